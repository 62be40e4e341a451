import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WIDE } from '../../../src/engine/engine.ts';
import { referenceEngine } from '../../../src/engine/reference/engine.ts';
import { type Item, itemAt, lossAt, penalty, scores } from '../../../src/engine/reference/item.ts';
import { newtonMove, newtonStep } from '../../../src/engine/reference/newton.ts';
import {
  correlations,
  costWeighted,
  crossEntropy,
  customLoss,
  hamming,
  matrix,
  optimalWeights,
  squared,
} from '../../../src/math.ts';
import { entry, type Rows } from '../../../src/rows/rows.ts';
import { objectivesOf, proveWeights, ridgedGap, slackFloor } from '../../../src/training/refine/proof.ts';
import { everyEngine, largest, makeProblem, type Problem, place, problems } from '../../engine/problems.ts';
import { holds } from '../../property.ts';

const engines = everyEngine(referenceEngine());

function bitsOf(problem: Problem): Item[] {
  const at = { ...place(referenceEngine(), problem).point, loss: crossEntropy };
  return Array.from({ length: problem.V }, (_, v) => itemAt('weights', at, problem, v));
}

/** The smallest objective of a bit that many steps of Newton's method in float64 find. */
function smallest(item: Item, ridge: number): number {
  let z: Float64Array = item.z.map(() => 0);
  for (let step = 0; step < 60; step++) {
    const here = { ...item, z };
    z = newtonMove(here, newtonStep(here, ridge), ridge);
  }
  return lossAt(item, scores(item, z)) + penalty(item, z, ridge);
}

function valuesOf(rows: Rows): Float64Array {
  return Float64Array.from({ length: rows.n * rows.V }, (_, k) =>
    entry(rows, Math.floor(k / rows.V), k % rows.V),
  );
}

/** Losses may be any numbers, also negative ones. */
const negative = [hamming, squared].map(({ name, plus, minus }) =>
  customLoss({ name: `${name} below zero`, plus: (y) => plus(y) - 5, minus: (y) => minus(y) - 4 }),
);

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

describe('the proof of weights', () => {
  it('is never less than what other weights could gain, and little more where weights are good', () =>
    holds(
      fc.asyncProperty(
        problems({ V: 12, H: 5, n: 40 }),
        fc.constantFrom(0.003, 0.03, 0.3),
        async (problem, ridge) => {
          fc.pre(largest(problem.W) < 10);
          const items = bitsOf(problem);
          const objective = sum(
            items.map((item) => lossAt(item, scores(item, item.z)) + penalty(item, item.z, ridge)),
          );
          const best = sum(items.map((item) => smallest(item, ridge)));
          for (const engine of engines) {
            const { point, E, W, block } = place(engine, problem);
            const at = { ...point, loss: crossEntropy };
            const gap = await ridgedGap(engine, at, ridge);
            expect(gap, engine.name).toBeGreaterThanOrEqual(objective - best - 1e-6 * (1 + objective));
            for (let step = 0; step < 25; step++) await engine.newton('weights', at, { ridge, move: true });
            // A bit that never changes has its best bias at infinity.
            expect(await ridgedGap(engine, at, ridge), engine.name).toBeLessThan(0.02 * problem.V);
            for (const used of [E, W, block]) used.free();
          }
        },
      ),
      { seed: 61, numRuns: 25 },
    ));

  it('holds against any other weights, also where Psi has kinks', () =>
    holds(
      fc.asyncProperty(
        problems({ V: 9, H: 4, n: 30 }),
        fc.constantFrom(hamming, squared, crossEntropy, ...negative),
        fc.constantFrom(0.01, 0.3),
        fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 45, maxLength: 45 }),
        async (problem, loss, ridge, other) => {
          fc.pre(largest(problem.W) < 10);
          const at = { ...place(referenceEngine(), problem).point, loss };
          const objective = (item: Item, z: Float64Array) =>
            lossAt(item, scores(item, z)) + penalty(item, z, ridge);
          let gained = 0;
          for (let v = 0; v < problem.V; v++) {
            const item = itemAt('weights', at, problem, v);
            const z = item.z.map((_, h) => other[(v * problem.width + h) % other.length]);
            gained += Math.max(0, objective(item, item.z) - objective(item, z));
          }
          for (const engine of engines) {
            const { point, E, W, block } = place(engine, problem);
            const gap = await ridgedGap(engine, { ...point, loss }, ridge);
            expect(gap, engine.name).toBeGreaterThanOrEqual(gained - 1e-6 * (1 + gained));
            for (const used of [E, W, block]) used.free();
          }
        },
      ),
      { seed: 62, numRuns: 30 },
    ));

  it('is tight at the best weights where Psi has kinks, which an independent method finds', () =>
    holds(
      fc.asyncProperty(
        fc.constantFrom(hamming, costWeighted(hamming, { falseOne: 1, falseZero: 2 })),
        fc.integer({ min: 1, max: 3 }),
        fc.nat(1e6),
        async (loss, H, seed) => {
          const given = { n: 120, V: 2, H, bias: false, kind: 'bits', weighted: false, scale: 1 } as const;
          const problem = makeProblem({ ...given, seed });
          const [ridge, E] = [0.01, matrix(given.n, H, Float64Array.from(problem.E))];
          // In the units of math/, the slack has no half in front, and neither has the ridge.
          const B = correlations(matrix(given.n, given.V, valuesOf(problem.rows)), E);
          const W = optimalWeights(loss, E, B, { ridge: 2 * ridge });
          for (const engine of engines) {
            const { point, E: codes, W: weights, block } = place(engine, problem);
            weights.write(W.data);
            const at = { ...point, loss };
            const best = sum([...(await objectivesOf(engine, at, ridge))]);
            expect(await ridgedGap(engine, at, ridge), engine.name).toBeLessThan(0.02 * best);
            weights.write(W.data.map((w) => 1.5 * w + 0.1));
            const worse = sum([...(await objectivesOf(engine, at, ridge))]);
            const gap = await ridgedGap(engine, at, ridge);
            expect(gap, engine.name).toBeGreaterThan(worse - best - 1e-4 * best);
            expect(gap, engine.name).toBeLessThan(worse - best + 0.02 * best);
            for (const used of [codes, weights, block]) used.free();
          }
        },
      ),
      { seed: 20_261_118, numRuns: 6 },
    ));

  it('says the same of a loss that is lower by a number, however low it is', async () => {
    const shifted = (by: number) =>
      customLoss({
        name: `squared less ${by}`,
        plus: (y) => squared.plus(y) - by,
        minus: (y) => squared.minus(y) - by,
      });
    const given = {
      n: 120,
      V: 6,
      H: 2,
      bias: true,
      kind: 'bits',
      weighted: false,
      scale: 1,
      seed: 5,
    } as const;
    const problem = makeProblem(given);
    for (const engine of engines) {
      const { point, E, W, block } = place(engine, problem);
      const [here, lower] = await Promise.all(
        [0, 5].map((by) => proveWeights(engine, { ...point, loss: shifted(by) }, 0.01)),
      );
      expect(here.weightGap, engine.name).toBeGreaterThan(0.01);
      expect(lower.weightGap, engine.name).toBeCloseTo(here.weightGap!, 5);
      expect(here.slackGap, engine.name).toBeGreaterThan(0.01);
      expect(lower.slackGap, engine.name).toBeCloseTo(here.slackGap!, 5);
      for (const used of [E, W, block]) used.free();
    }
  });

  it('of the slack is a floor for all weights within reach', () =>
    holds(
      fc.asyncProperty(
        problems({ V: 8, H: 4, n: 60 }),
        fc.array(fc.double({ min: -20, max: 20, noNaN: true }), { minLength: 5, maxLength: 5 }),
        async (problem, other) => {
          fc.pre(largest(problem.W) < 10);
          const items = bitsOf(problem);
          const at = (z: (item: Item) => Float64Array) =>
            sum(items.map((item) => lossAt(item, scores(item, z(item)))));
          const sizes = Float64Array.from({ length: problem.width }, (_, h) => {
            let square = 0;
            for (let i = 0; i < problem.n; i++) square += problem.E[i * problem.width + h] ** 2 / problem.n;
            return Math.sqrt(square);
          });
          const tried = at((item) => item.z.map((_, h) => (sizes[h] > 0 ? other[h] / sizes[h] : 0)));
          for (const engine of engines) {
            const { point, E, W, block } = place(engine, problem);
            const floor = await slackFloor(engine, { ...point, loss: crossEntropy });
            const here = at((item) => item.z);
            expect(floor, engine.name).toBeLessThanOrEqual(here + 1e-5 * (1 + here));
            expect(floor, engine.name).toBeLessThanOrEqual(tried + 1e-5 * (1 + tried));
            for (const used of [E, W, block]) used.free();
          }
        },
      ),
      { seed: 62, numRuns: 25 },
    ));

  it('of the slack is tight for a table of few rows and many columns', async () => {
    const given = { n: 40, V: 64, H: 3, bias: true, kind: 'bits', weighted: false, scale: 1 } as const;
    const problem = makeProblem({ ...given, seed: 9 });
    const best = sum(bitsOf(problem).map((item) => smallest(item, 0)));
    // The same columns many times.
    const times = WIDE / given.V;
    const bytes = given.V / 8;
    const { bits } = problem.rows as Rows & { readonly kind: 'bits' };
    const wide: Problem = {
      ...problem,
      V: WIDE,
      rows: {
        ...{ kind: 'bits', n: given.n, V: WIDE },
        bits: Uint8Array.from(
          { length: times * bits.length },
          (_, k) => bits[Math.floor(k / (times * bytes)) * bytes + (k % bytes)],
        ),
      },
      W: Float32Array.from({ length: times * problem.W.length }, (_, k) => problem.W[k % problem.W.length]),
    };
    for (const engine of engines) {
      const { point, E, W, block } = place(engine, wide);
      const floor = await slackFloor(engine, { ...point, loss: crossEntropy });
      expect(floor / times, engine.name).toBeLessThanOrEqual(best * (1 + 1e-6));
      expect(floor / times, engine.name).toBeGreaterThan(0.99 * best);
      for (const used of [E, W, block]) used.free();
    }
  });
});
