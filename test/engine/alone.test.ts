import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { crossEntropy, hamming, type Loss, squared } from '../../src/math.ts';
import { sliceRows } from '../../src/rows/rows.ts';
import { holds } from '../property.ts';
import { everyEngine, type Problem, place, preconditioner, problems } from './problems.ts';

/**
 * A single row goes through kernels of its own: what comes out is what it has among others, to the last bit.
 */
const sizes = fc.oneof(
  { weight: 3, arbitrary: problems({ V: 90, H: 9, n: 10 }) },
  // Sums of a row alone are taken four blocks of 64 entries at a time.
  { weight: 1, arbitrary: problems({ V: 700, H: 5, n: 3 }) },
);
const engines = everyEngine();

interface Case {
  readonly loss: Loss;
  readonly radius: number;
  readonly ridge: number;
  readonly tolerance: number;
  readonly linear: boolean;
}

const cases = fc.record<Case>({
  loss: fc.constantFrom(crossEntropy, crossEntropy, squared, hamming),
  radius: fc.constantFrom(0.5, 1, 30, Number.POSITIVE_INFINITY),
  ridge: fc.constantFrom(0, 0.1),
  tolerance: fc.constantFrom(0.01, 1),
  linear: fc.boolean(),
});

async function encode(engine: Engine, problem: Problem, metric: ArrayLike<number>, how: Case) {
  const { loss, radius, ridge, tolerance } = how;
  const weights = Float32Array.from({ length: problem.V }, (_, v) => 0.1 * (1 + Math.cos(v)));
  const placed = place(engine, problem);
  const inverseHessian = placed.floats(metric);
  const linear = how.linear ? placed.floats(weights) : undefined;
  const at = { ...placed.point, loss };
  await engine.solve('codes', at, { steps: 12, tolerance, inverseHessian, linear, ridge, radius });
  const solved = await placed.E.read();
  const certificates = await engine.polish(at, { tolerance, steps: 20, radius: Math.min(radius, 100) });
  return { solved, codes: await placed.E.read(), ...certificates };
}

describe('a row alone', () => {
  it('is solved and proven as it is among others', () =>
    holds(
      fc.asyncProperty(sizes, cases, async (problem, how) => {
        for (const engine of engines) {
          const metric = preconditioner(problem, 'codes');
          const all = await encode(engine, problem, metric, how);
          for (let i = 0; i < problem.n; i++) {
            const { width } = problem;
            const one = await encode(
              engine,
              {
                ...problem,
                n: 1,
                rows: sliceRows(problem.rows, i, i + 1),
                E: problem.E.slice(i * width, (i + 1) * width),
              },
              metric,
              how,
            );
            expect(one.solved).toEqual(all.solved.slice(i * width, (i + 1) * width));
            expect(one.codes).toEqual(all.codes.slice(i * width, (i + 1) * width));
            expect(one.losses[0]).toBe(all.losses[i]);
            expect(one.gaps[0]).toBe(all.gaps[i]);
          }
        }
      }),
      { seed: 5, numRuns: 40 },
    ));
});
