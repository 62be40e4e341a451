import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Engine, Side } from '../../../src/engine/engine.ts';
import { referenceEngine } from '../../../src/engine/reference/engine.ts';
import { SMOOTHING } from '../../../src/engine/wasm/tables.ts';
import { endsOf } from '../../../src/losses/chords.ts';
import { crossEntropy, hamming, type Loss, squared } from '../../../src/math.ts';
import { instances } from '../../losses/instances.ts';
import { holds } from '../../property.ts';
import {
  everyEngine,
  exactness,
  largest,
  makeProblem,
  type Problem,
  place,
  preconditioner,
  problems,
} from '../problems.ts';

const sizes = { V: 60, H: 14, n: 40 };
const losses = instances.map(({ loss }) => loss);
const ridge = 0.02;

const reference = referenceEngine();
const engines = everyEngine();

/** Loss + ridge of each item at the given factors, in float64 arithmetic. */
async function objectives(problem: Problem, side: Side, loss: Loss): Promise<Float64Array> {
  const { point, floats } = place(reference, problem);
  const count = side === 'codes' ? problem.n : problem.V;
  const out = reference.floats(count);
  const size = side === 'codes' ? problem.H : problem.width;
  await reference.solve(
    side,
    { ...point, loss },
    { steps: 0, tolerance: 0, ridge, inverseHessian: floats(new Float32Array(size * size)), losses: out },
  );
  const z = side === 'codes' ? problem.E : problem.W;
  return Float64Array.from(await out.read(), (value, i) => {
    let square = 0;
    for (let h = 0; h < problem.H; h++) square += z[i * problem.width + h] ** 2;
    return value + 0.5 * ridge * square;
  });
}

async function solved(
  engine: Engine,
  problem: Problem,
  side: Side,
  loss: Loss,
  options: { steps: number; radius?: number; range?: { start: number; end: number } },
): Promise<{ readonly after: Problem; readonly losses: Float32Array }> {
  const { point, floats, E, W } = place(engine, problem);
  const out = engine.floats(side === 'codes' ? problem.n : problem.V);
  await engine.solve(
    side,
    { ...point, loss, range: options.range },
    {
      ...{ steps: options.steps, radius: options.radius, tolerance: 1e-7, ridge, losses: out },
      inverseHessian: floats(preconditioner(problem, side)),
    },
  );
  return { after: { ...problem, E: await E.read(), W: await W.read() }, losses: await out.read() };
}

/** The loss as steps see it: each kink, a hinge max(0, z), is (z + sqrt(z^2 + 4 width^2)) / 2. */
function smooth(loss: Loss): Loss {
  const ends = endsOf(loss);
  if (ends.slopeFrom <= -1 && ends.slopeTo >= 1) return loss;
  const more = (z: number) => (Math.sqrt(z * z + 4 * SMOOTHING ** 2) - Math.abs(z)) / 2;
  const psi = (m: number) =>
    loss.psi(m) + (1 - ends.slopeTo) * more(m - ends.to) + (1 + ends.slopeFrom) * more(ends.from - m);
  return { ...loss, psi };
}

const smoothed = new Map(losses.map((loss) => [loss, smooth(loss)]));

/**
 * A score of the right sign just beyond the kink, where the loss itself is 0 already: a step moves it
 * inwards.
 */
const besideAKink: Problem = {
  ...{ V: 1, H: 1, n: 1, bias: false, width: 1 },
  rows: { kind: 'bits', n: 1, V: 1, bits: Uint8Array.of(0) },
  W: Float32Array.of(-1.15),
  E: Float32Array.of(0.92),
};

/** Weights that make the loss far steeper across the way to a bound than along it, which bends steps. */
const alongABound = makeProblem({
  ...{ V: 4, H: 3, n: 18, bias: true, kind: 'missing', weighted: false, scale: 40, seed: 20 },
});

const sides = fc.constantFrom<Side>('codes', 'weights');

describe('solve', () => {
  it('never raises an objective, kinks smoothed, for any loss, whatever the number of steps', () =>
    holds(
      fc.asyncProperty(
        problems(sizes),
        sides,
        fc.constantFrom(...losses),
        fc.integer({ min: 0, max: 12 }),
        async (problem, side, loss, steps) => {
          const minimised = smoothed.get(loss)!;
          const before = await objectives(problem, side, minimised);
          for (const engine of engines) {
            const { after } = await solved(engine, problem, side, loss, { steps });
            const now = await objectives(after, side, minimised);
            const rounding = exactness(loss) * (1 + largest(problem.W) * largest(problem.E));
            now.forEach((value, i) => {
              expect(value).toBeLessThanOrEqual(before[i] + rounding * (1 + before[i]));
            });
          }
        },
      ),
      { seed: 11, numRuns: 60, examples: [[besideAKink, 'codes', hamming, 1]] },
    ));

  it('finds the optimum of smooth losses: more reference steps from there gain next to nothing', () =>
    holds(
      fc.asyncProperty(
        problems({ V: 40, H: 8, n: 20 }),
        sides,
        fc.option(fc.constant(0.8), { nil: undefined }),
        fc.constantFrom(...losses.filter((loss) => Number.isFinite(loss.curvature))),
        async (problem, side, radius, loss) => {
          for (const engine of engines) {
            const { after } = await solved(engine, problem, side, loss, { steps: 400, radius });
            const reached = await objectives(after, side, loss);
            const more = await solved(reference, after, side, loss, { steps: 30, radius });
            const best = await objectives(more.after, side, loss);
            const rounding = 1e-3 * (1 + 0.01 * largest(problem.W));
            reached.forEach((value, i) => {
              expect(value - best[i], `${engine.name} ${loss.name} ${side} ${i}`).toBeLessThan(
                rounding * (1 + value),
              );
            });
          }
        },
      ),
      { seed: 12, numRuns: 40, examples: [[alongABound, 'codes', 0.8, squared]] },
    ));

  it('stays in the box, moves nothing outside the range, and never moves the bias unit of a code', () =>
    holds(
      fc.asyncProperty(problems(sizes), async (problem) => {
        const { n, H, width } = problem;
        const range = { start: n >> 2, end: n - (n >> 3) };
        for (const engine of engines) {
          const { after } = await solved(engine, problem, 'codes', crossEntropy, {
            ...{ steps: 20, radius: 0.5, range },
          });
          after.E.forEach((e, at) => {
            const row = Math.floor(at / width);
            const inside = row >= range.start && row < range.end;
            if (!inside || at % width >= H) expect(e).toBe(problem.E[at]);
            else expect(Math.abs(e)).toBeLessThanOrEqual(0.5);
          });
        }
      }),
      { seed: 13, numRuns: 30 },
    ));

  it('takes any range of bits, not only whole bytes of them', () =>
    holds(
      fc.asyncProperty(problems(sizes), fc.nat(), fc.nat(), async (problem, a, b) => {
        const [start, end] = [a % problem.V, b % (problem.V + 1)].sort((p, q) => p - q);
        const all = await solved(engines[0], problem, 'weights', crossEntropy, { steps: 3 });
        const some = await solved(engines[0], problem, 'weights', crossEntropy, {
          ...{ steps: 3, range: { start, end } },
        });
        const { width } = problem;
        some.after.W.forEach((w, at) => {
          const v = Math.floor(at / width);
          expect(w).toBe(v >= start && v < end ? all.after.W[at] : problem.W[at]);
        });
      }),
      { seed: 14, numRuns: 30 },
    ));

  it('reports the loss of each item at its end', () =>
    holds(
      fc.asyncProperty(problems(sizes), sides, async (problem, side) => {
        for (const engine of engines) {
          const { after, losses: reported } = await solved(engine, problem, side, crossEntropy, { steps: 5 });
          const { losses: exact } = await solved(reference, after, side, crossEntropy, { steps: 0 });
          const rounding = 1e-5 * (1 + largest(after.W) * largest(after.E));
          reported.forEach((value, i) => {
            expect(Math.abs(value - exact[i])).toBeLessThan(rounding * (1 + exact[i]));
          });
        }
      }),
      { seed: 15, numRuns: 30 },
    ));
});
