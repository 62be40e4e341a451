import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/engine/engine.ts';
import { createEngine, enableRelaxedSimd } from '../../../src/engine/node/index.ts';
import { createWasmEngine } from '../../../src/engine/wasm/engine.ts';
import type { WorkerHandle } from '../../../src/engine/wasm/worker.ts';
import { crossEntropy } from '../../../src/math.ts';
import { difference, makeProblem, place, preconditioner } from '../problems.ts';
import { transpileTo } from '../transpile.ts';

enableRelaxedSimd();

const problem = makeProblem({
  ...{ V: 203, H: 21, n: 333, bias: true, kind: 'known', weighted: true, scale: 0.7, seed: 5 },
});

/** Everything an engine computes in floating point, from one start. */
async function everything(engine: Engine): Promise<Record<string, ArrayLike<number>>> {
  const { point, block, floats, W, E } = place(engine, problem);
  const { V, H, n, width } = problem;
  const at = { ...point, loss: crossEntropy };
  const sums = { gradient: engine.floats(V * width), curvature: engine.floats(V) };
  const options = { steps: 4, tolerance: 1e-6, ridge: 0.01, losses: engine.floats(n) };
  const inverseHessian = floats(preconditioner(problem, 'codes'));
  await engine.solve('codes', at, { ...options, inverseHessian, sums, radius: 2 });
  const codes = await E.read();
  const slopes = { codes: engine.floats(n * width), weights: engine.floats(V * width) };
  await engine.gradients(at, slopes);
  const codeSteps = { directions: engine.floats(n * width), decrements: engine.floats(n) };
  const weightSteps = { directions: engine.floats(V * width), decrements: engine.floats(V) };
  await engine.newton('codes', at, { ridge: 0.01, ...codeSteps });
  await engine.newton('weights', at, { ridge: 0.01, ...weightSteps, move: true });
  await engine.solve('weights', at, {
    ...{ ...options, losses: engine.floats(V), inverseHessian: floats(preconditioner(problem, 'weights')) },
  });
  const accumulators = floats(new Float32Array(n * width).fill(0.1));
  await engine.adagrad('codes', at, { steps: 5, rate: 0.3, accumulators, radius: 1 });
  const gram = await engine.gram(E, n, width);
  const A = engine.floats(V * width);
  await engine.correlate(block, E, width, A);
  const proof = await engine.slopes('weights', at);
  const polished = await engine.polish(at, { steps: 2, tolerance: 1e-9, radius: 1 });
  E.write(codes.map((e, i) => (i % width === H ? 1 : Math.sign(e) || 1)));
  const flipSums = { gradient: engine.floats(V * width), curvature: engine.floats(V) };
  await engine.flip(at, { sweeps: 5, pairs: false, sums: flipSums });
  return {
    ...{
      codes,
      gram,
      W: await W.read(),
      bits: await E.read(),
      A: await A.read(),
      losses: await options.losses.read(),
    },
    ...{
      gradient: await sums.gradient.read(),
      curvature: await sums.curvature.read(),
      flips: await flipSums.gradient.read(),
    },
    ...{ codeSteps: await codeSteps.directions.read(), codeDecrements: await codeSteps.decrements.read() },
    ...{
      weightSteps: await weightSteps.directions.read(),
      weightDecrements: await weightSteps.decrements.read(),
    },
    ...{ codeSlopes: await slopes.codes.read(), weightSlopes: await slopes.weights.read() },
    ...{ proofGradients: proof.gradients, conjugates: proof.conjugates },
    ...{ polishedLosses: polished.losses, gaps: polished.gaps, accumulators: await accumulators.read() },
  };
}

describe('threads', () => {
  it.each([false, true])(
    'results are the same bit for bit with 1, 2 or 5 of them (relaxed: %s)',
    async (relaxed) => {
      const [one, two, five] = await Promise.all(
        [1, 2, 5].map(async (threads) => {
          const engine = await createEngine({ threads, relaxed });
          expect(engine.threads).toBe(threads);
          const result = await everything(engine);
          await engine.close();
          return result;
        }),
      );
      for (const [key, values] of Object.entries(one)) {
        expect(difference(two[key], values), key).toBe(0);
        expect(difference(five[key], values), key).toBe(0);
      }
    },
  );

  it('calls that are not awaited run one after the other', async () => {
    const engine = await createEngine({ threads: 2 });
    const { point, E, floats } = place(engine, problem);
    const at = { ...point, loss: crossEntropy };
    const accumulators = floats(new Float32Array(E.length).fill(0.1));
    const step = { steps: 1, rate: 0.3, accumulators };
    await Promise.all([1, 2, 3, 4].map(() => engine.adagrad('codes', at, step)));
    const together = await E.read();
    E.write(problem.E);
    accumulators.fill(0.1);
    await engine.adagrad('codes', at, { ...step, steps: 4 });
    expect(difference(together, await E.read())).toBeLessThan(1e-6);
    await engine.close();
  });

  it('many short operations let timers run in between, as one long one does', async () => {
    const engine = await createEngine({ threads: 1 });
    const A = engine.floats(4);
    let fired = false;
    setTimeout(() => {
      fired = true;
    });
    for (let k = 0; k < 1e5 && !fired; k++) await engine.gram(A, 4, 1);
    expect(fired).toBe(true);
    await engine.close();
  });

  it('a worker that dies gives an error, not a hang', async () => {
    const dying = (): WorkerHandle => ({
      ready: Promise.resolve(),
      failed: new Promise((resolve) =>
        setTimeout(() => resolve(new Error('engine: thread 1 died: gone')), 20),
      ),
      terminate: async () => {},
    });
    const engine = await createWasmEngine({ threads: 2, spawn: dying });
    await expect(everything(engine)).rejects.toThrow('thread 1 died');
    expect(engine.usable).toBe(false);
    await expect(everything(engine)).rejects.toThrow('thread 1 died');
    await engine.close();
  });

  it('a worker that never gets ready because it died gives an error too', async () => {
    const engine = await createWasmEngine({
      threads: 2,
      spawn: () => ({
        ready: new Promise(() => {}),
        failed: Promise.resolve(new Error('engine: thread 1 died: no memory')),
        terminate: async () => {},
      }),
    });
    await expect(everything(engine)).rejects.toThrow('no memory');
  });

  it('an engine that is closed says so', async () => {
    const engine = await createEngine({ threads: 2 });
    await engine.close();
    await expect(everything(engine)).rejects.toThrow('already closed');
  });

  it('threads do not keep a process alive, and it may end without closing the engine', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'engine-'));
    try {
      await transpileTo(folder);
      const entry = pathToFileURL(join(folder, 'engine/node/index.js'));
      const program = `
        const { createEngine } = await import('${entry}');
        const engine = await createEngine({ threads: 3 });
        const A = engine.floats(4000 * 100);
        A.fill(1);
        const gram = await engine.gram(A, 4000, 100);
        console.log(engine.threads, gram[0]);`;
      const arguments_ = ['--input-type=module', '-e', program];
      const { stdout } = await promisify(execFile)(process.execPath, arguments_, { timeout: 30_000 });
      expect(stdout.trim()).toBe('3 4000');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
