import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { createEngine } from '../../src/engine/node/index.ts';
import { referenceEngine } from '../../src/engine/reference/engine.ts';
import { crossEntropy } from '../../src/losses/cross-entropy.ts';
import { toyRows } from '../training/toy.ts';

let engines: Engine[];
beforeAll(async () => {
  engines = [referenceEngine(), await createEngine({ threads: 1 }), await createEngine({ threads: 2 })];
});
afterAll(() => Promise.all(engines.map((engine) => engine.close())));

/** A problem whose every operation takes far longer than a turn of the event loop is put off. */
function long(engine: Engine, n: number, V = 196) {
  const shape = { V, H: 2, bias: false };
  const [W, E, accumulators] = [V * 2, n * 2, n * 2].map((length) => engine.floats(length));
  W.write(Float32Array.from({ length: V * 2 }, (_, i) => Math.sin(i)));
  const at = { block: engine.load(toyRows(n, 1)), shape, W, E, loss: crossEntropy };
  return (through: Engine) => through.adagrad('codes', at, { steps: 2000, rate: 0.1, accumulators });
}

describe('an engine until a signal aborts', () => {
  it('rejects with its reason half-way through a long operation, and works on afterwards', async () => {
    for (const engine of engines) {
      const stop = new AbortController();
      const run = long(engine, 4096);
      const running = run(engine.until(stop.signal));
      // Runs in a turn of the event loop that the operation has to give.
      setTimeout(() => stop.abort(), 0);
      await expect(running).rejects.toMatchObject({ name: 'AbortError' });
      const A = engine.floats(2);
      A.write([3, 4]);
      expect(await engine.gram(A, 2, 1)).toEqual(Float64Array.of(25));
    }
  });

  it('rejects at once where it has aborted already, and while it waits for its turn', async () => {
    for (const engine of engines) {
      const reason = new Error('enough');
      const run = long(engine, 64);
      await expect(run(engine.until(AbortSignal.abort(reason)))).rejects.toBe(reason);
      await expect(engine.until(AbortSignal.abort(reason)).turn()).rejects.toBe(reason);
      await expect(engine.turn()).resolves.toBeUndefined();
    }
    const [, engine] = engines;
    const stop = new AbortController();
    let over = false;
    const first = long(
      engine,
      512,
    )(engine).then(() => {
      over = true;
    });
    const waiting = long(engine, 64)(engine.until(stop.signal));
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    expect(over).toBe(false);
    await first;
  });

  it('listens to both signals where it is told twice', async () => {
    for (const engine of engines) {
      const [outer, inner] = [new AbortController(), new AbortController()];
      const both = engine.until(outer.signal).until(inner.signal);
      outer.abort();
      await expect(both.turn()).rejects.toMatchObject({ name: 'AbortError' });
    }
  });
});
