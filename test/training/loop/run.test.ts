import { describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/engine/engine.ts';
import { createWasmEngine } from '../../../src/engine/wasm/engine.ts';
import { fit } from '../../../src/model/fit.ts';
import { fitStack } from '../../../src/model/fit-stack.ts';
import { l1Path } from '../../../src/model/path.ts';
import { memorySource } from '../../../src/rows/memory.ts';
import type { Progress } from '../../../src/training/loop/progress.ts';
import type { FitOptions } from '../../../src/training/options.ts';
import { toyRows } from '../toy.ts';

/** Learning that does not run to its end gives back what it holds inside an engine. */
const rows = toyRows(200);
const small = await createWasmEngine({ memory: 4 * 2 ** 20 });

/** The engine, and how much of what was asked of it has not been freed yet. */
function counted(inner: Engine): { engine: Engine; held: () => number } {
  const held = new Set<object>();
  const count = <T extends { free(): void }>(made: T): T => {
    const free = made.free.bind(made);
    held.add(made);
    made.free = () => {
      held.delete(made);
      free();
    };
    return made;
  };
  const counting: Pick<Engine, 'floats' | 'load' | 'until'> = {
    floats: (length) => count(inner.floats(length)),
    load: (given) => count(inner.load(given)),
    // The engine until a signal aborts makes what it makes out of the same memory: scopes ask the one that
    // was given.
    until: (signal) => proxy(inner.until(signal)),
  };
  const proxy = (of: Engine): Engine =>
    new Proxy(of, {
      get(target, name) {
        if (name in counting) return counting[name as keyof typeof counting];
        const value = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  return { engine: proxy(inner), held: () => held.size };
}

const stop = () => {
  throw new Error('stop');
};

/** Whether runs that throw leave nothing behind: the engine has memory for only a few. */
async function leavesNothing(run: (engine: Engine) => Promise<unknown>): Promise<void> {
  const { engine, held } = counted(small);
  await expect(run(engine)).rejects.toThrow(/stop|abort/i);
  expect(held()).toBe(0);
}

describe.each<[string, Partial<FitOptions>]>([
  ['fast', {}],
  ['fast, with rows to validate on', { validation: 0.2 }],
  ['fast, codes not kept', { codes: 'recompute' }],
  ['relaxed', { l1: 0.01 }],
  ['paper', { algorithm: 'paper' }],
])('%s', (_, options) => {
  const given = { H: 4, epochs: 2, ...options };

  it('leaves nothing behind, whatever it ends by', async () => {
    const { engine, held } = counted(small);
    await fit(rows, { ...given, engine });
    expect(held()).toBe(0);
    for (const last of ['start', 'learn', 'finish']) {
      const stop = new AbortController();
      const onProgress = ({ phase }: Progress) => phase === last && stop.abort();
      const source = memorySource(rows);
      const run = fit(source, { ...given, engine, signal: stop.signal, onProgress });
      await expect(run).rejects.toMatchObject({ name: 'AbortError' });
      expect(held()).toBe(0);
    }
  });

  it('leaves nothing behind when onProgress throws', async () => {
    for (const last of ['learn', 'finish']) {
      await leavesNothing((engine) =>
        fit(rows, { ...given, engine, onProgress: ({ phase }) => phase === last && stop() }),
      );
    }
  });

  it('leaves nothing behind when a checkpoint cannot be saved', async () => {
    await leavesNothing((engine) =>
      fit(rows, { ...given, engine, checkpoint: { every: 0, save: async () => stop() } }),
    );
  });
});

describe('other learning', () => {
  it('leaves nothing behind while a ridge is chosen', async () => {
    await leavesNothing((engine) =>
      fit(rows, {
        ...{ H: 4, ridge: 'auto', validation: 0.2, engine },
        onProgress: ({ phase }) => phase === 'ridge' && stop(),
      }),
    );
  });

  it('leaves nothing behind along a path of relaxations', async () => {
    await leavesNothing((engine) =>
      l1Path(rows, {
        ...{ H: 4, l1s: [0.01], epochs: 2, engine },
        onProgress: ({ phase }) => phase === 'learn' && stop(),
      }),
    );
  });

  it('leaves nothing behind in a stack, neither in its layers nor in its rounds', async () => {
    const options = { layers: [4, 2], epochs: 1, rounds: 1 };
    await leavesNothing((engine) => {
      const abort = new AbortController();
      return fitStack(rows, {
        ...{ ...options, engine, signal: abort.signal },
        onProgress: ({ phase, number }) => phase === 'layer' && number === 2 && abort.abort(),
      });
    });
    for (const last of ['layer', 'round']) {
      await leavesNothing((engine) =>
        fitStack(rows, { ...options, engine, onProgress: ({ phase }) => phase === last && stop() }),
      );
    }
  });

  it('can be interrupted more often than an engine has room for', async () => {
    for (let round = 0; round < 25; round++) {
      const onProgress = ({ phase }: Progress) => phase === 'learn' && stop();
      await expect(fit(rows, { H: 64, engine: small, onProgress })).rejects.toThrow('stop');
    }
    expect((await fit(rows, { H: 64, epochs: 1, engine: small })).H).toBe(64);
  });
});
