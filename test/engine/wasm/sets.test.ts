import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ball } from '../../../src/encodings/ball.ts';
import type { CodeSet } from '../../../src/encodings/encoding.ts';
import { nonnegative } from '../../../src/encodings/nonnegative.ts';
import { simplex } from '../../../src/encodings/simplex.ts';
import { sized } from '../../../src/encodings/sized.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { referenceEngine } from '../../../src/engine/reference/engine.ts';
import { crossEntropy, type Loss, squared } from '../../../src/math.ts';
import { entry } from '../../../src/rows/rows.ts';
import { holds } from '../../property.ts';
import { centred, everyEngine, largest, type Problem, place, preconditioner, problems } from '../problems.ts';

const sets = fc.constantFrom<CodeSet>(nonnegative, simplex, ball);
const sizes = { V: 40, H: 9, n: 20 };
const engines = everyEngine();

/** The loss of row i at a code, and its gradient, in plain float64; column weights counted. */
function plain(problem: Problem, i: number, loss: Loss, e: Float64Array) {
  const { V, H, width, W, rows } = problem;
  let f = 0;
  const g = new Float64Array(H);
  for (let v = 0; v < V; v++) {
    const x = entry(rows, i, v);
    if (Number.isNaN(x)) continue;
    const t = 0.5 * (problem.columnWeights?.[v] ?? 1);
    let m = problem.bias ? W[v * width + H] : 0;
    for (let h = 0; h < H; h++) m += W[v * width + h] * e[h];
    f += t * (loss.psi(m) - x * m);
    for (let h = 0; h < H; h++) g[h] += t * (loss.psiPrime(m) - x) * W[v * width + h];
  }
  return { f, g };
}

/** Many short projected gradient steps from a code: whatever they find, no proof may contradict it. */
function improve(problem: Problem, i: number, loss: Loss, from: Float64Array, set: CodeSet, radius: number) {
  const domain = sized(set, radius);
  let e = Float64Array.from(from);
  domain.project(e);
  let at = plain(problem, i, loss, e);
  let length = 1;
  for (let step = 0; step < 300 && length > 1e-12; step++) {
    const next = e.map((value, h) => value - length * at.g[h]);
    domain.project(next);
    const there = plain(problem, i, loss, next);
    if (there.f < at.f) {
      e = next;
      at = there;
      length *= 2;
    } else length /= 4;
  }
  return at.f;
}

const codesOf = (problem: Problem, E: Float32Array, i: number) =>
  Float64Array.from(E.subarray(i * problem.width, i * problem.width + problem.H));

function expectInside(set: CodeSet, radius: number, e: Float64Array): void {
  const projected = e.slice();
  sized(set, radius).project(projected);
  e.forEach((value, h) => {
    expect(Math.abs(value - projected[h])).toBeLessThanOrEqual(2e-6 * (1 + radius));
  });
}

describe('codes confined to a set', () => {
  it('solve lowers every row, stays in the set, and comes close to what the reference finds', () =>
    holds(
      fc.asyncProperty(problems(sizes), sets, fc.constantFrom(1, 3), async (problem, set, radius) => {
        const options = { steps: 60, tolerance: 1e-6, ridge: 0.01, radius, set };
        const objective = (E: Float32Array, i: number) => {
          const e = codesOf(problem, E, i);
          return (
            plain(problem, i, crossEntropy, e).f + 0.005 * e.reduce((sum, value) => sum + value * value, 0)
          );
        };
        const run = async (engine: Engine) => {
          const { point, floats, E } = place(engine, problem);
          const inverseHessian = floats(preconditioner(problem, 'codes'));
          await engine.solve('codes', { ...point, loss: crossEntropy }, { ...options, inverseHessian });
          return await E.read();
        };
        const start = await (async () => {
          const { point, floats, E } = place(engines[0], problem);
          const inverseHessian = floats(preconditioner(problem, 'codes'));
          await engines[0].solve(
            'codes',
            { ...point, loss: crossEntropy },
            { ...options, steps: 0, inverseHessian },
          );
          return await E.read();
        })();
        const expected = await run(referenceEngine());
        for (const engine of engines) {
          const E = await run(engine);
          for (let i = 0; i < problem.n; i++) {
            expectInside(set, radius, codesOf(problem, E, i));
            const found = objective(E, i);
            const scale = 1e-4 * (1 + Math.abs(objective(start, i)));
            expect(found).toBeLessThanOrEqual(objective(start, i) + scale);
            // Weights of forty leave nothing but kinks to first-order steps: Newton's are for them.
            if (largest(problem.W) > 10) continue;
            const gained = objective(start, i) - objective(expected, i);
            expect(found).toBeLessThanOrEqual(objective(expected, i) + 0.02 + 0.02 * gained);
          }
        }
      }),
      { seed: 424_259, numRuns: 40 },
    ));

  it('polish proves every code of cross-entropy, and no projected gradient finds better than loss - gap', () =>
    holds(
      fc.asyncProperty(
        problems(sizes),
        sets,
        fc.constantFrom(1, 3),
        fc.boolean(),
        async (drawn, set, radius, fromCentre) => {
          const problem = fromCentre ? centred(drawn) : drawn;
          for (const engine of engines.slice(0, 2)) {
            const { point, E } = place(engine, { ...problem, columnWeights: undefined });
            const { losses, gaps } = await engine.polish(
              { ...point, loss: crossEntropy },
              { tolerance: 0.01, steps: 60, radius, set },
            );
            const found = await E.read();
            for (let i = 0; i < problem.n; i++) {
              const bare = { ...problem, columnWeights: undefined };
              const e = codesOf(problem, found, i);
              expectInside(set, radius, e);
              expect(losses[i]).toBeCloseTo(plain(bare, i, crossEntropy, e).f, 5);
              if (fromCentre) expect(gaps[i]).toBeLessThanOrEqual(0.01);
              const better = improve(bare, i, crossEntropy, e, set, radius);
              expect(better).toBeGreaterThanOrEqual(losses[i] - gaps[i] - 1e-6 * (1 + losses[i]));
            }
          }
        },
      ),
      { seed: 424_326, numRuns: 60 },
    ));

  it('the plain polish does the same, for other losses too', () =>
    holds(
      fc.asyncProperty(
        problems({ V: 20, H: 5, n: 6 }),
        sets,
        fc.constantFrom(crossEntropy, squared),
        async (problem, set, loss) => {
          for (const engine of [referenceEngine(), engines[0]]) {
            const { point, E } = place(engine, problem);
            const { losses, gaps } = await engine.polish(
              { ...point, loss },
              { tolerance: 0.01, steps: 60, radius: 1, set },
            );
            const found = await E.read();
            for (let i = 0; i < problem.n; i++) {
              expectInside(set, 1, codesOf(problem, found, i));
              expect(gaps[i]).toBeLessThanOrEqual(0.01);
              const better = improve(problem, i, loss, codesOf(problem, found, i), set, 1);
              expect(better).toBeGreaterThanOrEqual(losses[i] - gaps[i] - 1e-6 * (1 + losses[i]));
            }
          }
        },
      ),
      { seed: 7, numRuns: 60 },
    ));
});
