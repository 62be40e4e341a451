import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Side } from '../../../src/engine/engine.ts';
import { referenceEngine } from '../../../src/engine/reference/engine.ts';
import { type Item, lossAt, penalty, scores } from '../../../src/engine/reference/item.ts';
import { crossEntropy, hamming } from '../../../src/math.ts';
import { instances } from '../../losses/instances.ts';
import { holds } from '../../property.ts';
import { expectSolved, itemsOf, newton, ridge, type System, systemOf } from '../newton-systems.ts';
import { difference, everyEngine, exactness, largest, makeProblem, problems } from '../problems.ts';

const sizes = { V: 70, H: 20, n: 60 };
const curved = instances.map(({ loss }) => loss).filter((loss) => Number.isFinite(loss.curvature));
const sides = fc.constantFrom<Side>('codes', 'weights');

const reference = referenceEngine();
const engines = everyEngine();

describe("Newton's systems", () => {
  it('are solved for every loss that bends, on both sides, by every build and by the reference', () =>
    holds(
      fc.asyncProperty(problems(sizes), sides, fc.constantFrom(...curved), async (problem, side, loss) => {
        const systems = itemsOf(problem, side, loss).map(systemOf);
        for (const engine of [reference, ...engines]) {
          const taken = await newton(engine, problem, side, loss);
          expectSolved(systems, taken, engine.name);
          expect(taken.after.E).toEqual(problem.E);
          expect(taken.after.W).toEqual(problem.W);
        }
      }),
      { seed: 20_261_118, numRuns: 60 },
    ));

  it('have the steps and decrements of the float64 reference where they are well conditioned', () =>
    holds(
      fc.asyncProperty(problems(sizes), sides, async (problem, side) => {
        // The ridge keeps all coordinates away from flatness but a bit's base rate.
        const bent = ({ S, item }: System) => S[item.free ** 2 - 1] > (item.free > item.penalised ? 0.1 : 0);
        fc.pre(largest(problem.W) < 10 && itemsOf(problem, side, crossEntropy).map(systemOf).every(bent));
        const expected = await newton(reference, problem, side, crossEntropy, { ridge: 0.3 });
        for (const engine of engines) {
          const actual = await newton(engine, problem, side, crossEntropy, { ridge: 0.3 });
          for (const key of ['directions', 'decrements', 'losses'] as const) {
            const scale = largest(expected[key]);
            expect(difference(actual[key], expected[key], scale), `${key} of ${engine.name}`).toBeLessThan(
              3e-4,
            );
          }
        }
      }),
      { seed: 42, numRuns: 40 },
    ));

  it('are those of thousands of rows too, which are gone through in batches', async () => {
    const problem = makeProblem({
      ...{ V: 9, H: 6, n: 9001, bias: true, kind: 'known', weighted: true, scale: 0.7, seed: 3 },
    });
    const systems = itemsOf(problem, 'weights', crossEntropy).map(systemOf);
    for (const engine of engines) {
      expectSolved(systems, await newton(engine, problem, 'weights', crossEntropy), engine.name);
    }
  });

  it('move items downhill only, and those of the range alone', () =>
    holds(
      fc.asyncProperty(problems(sizes), sides, fc.constantFrom(...curved), async (problem, side, loss) => {
        const items = side === 'codes' ? problem.n : problem.V;
        const range = { start: items >> 2, end: items - (items >> 3) };
        const objective = (item: Item) => lossAt(item, scores(item, item.z)) + penalty(item, item.z, ridge);
        const before = itemsOf(problem, side, loss);
        for (const engine of [reference, ...engines]) {
          const { after, losses } = await newton(engine, problem, side, loss, { move: true, range });
          const rounding = exactness(loss) * (1 + largest(problem.W) * largest(problem.E));
          itemsOf(after, side, loss).forEach((item, i) => {
            if (i < range.start || i >= range.end) {
              expect(item.z).toEqual(before[i].z);
              return;
            }
            const was = objective(before[i]);
            expect(objective(item)).toBeLessThanOrEqual(was + rounding * (1 + was));
            const f = lossAt(item, scores(item, item.z));
            expect(Math.abs(losses[i] - f)).toBeLessThan(2 * rounding * (1 + Math.abs(f)));
          });
        }
      }),
      { seed: 43, numRuns: 30 },
    ));

  it('reach the optimum in a few steps', () =>
    holds(
      fc.asyncProperty(problems({ V: 40, H: 8, n: 30 }), sides, async (problem, side) => {
        fc.pre(largest(problem.W) < 10);
        for (const engine of [reference, ...engines]) {
          let at = problem;
          for (let step = 0; step < 12; step++) {
            at = (await newton(engine, at, side, crossEntropy, { move: true })).after;
          }
          const { decrements } = await newton(reference, at, side, crossEntropy);
          // The base rate of bits that are all alike goes to infinity, closer by a factor e in each step.
          expect(largest(decrements), engine.name).toBeLessThan(Math.exp(-12));
        }
      }),
      { seed: 44, numRuns: 30 },
    ));

  it('are refused where Psi has kinks', async () => {
    const problem = makeProblem({
      ...{ V: 5, H: 2, n: 3, bias: false, kind: 'bits', weighted: false, scale: 1, seed: 1 },
    });
    for (const engine of [reference, ...engines]) {
      await expect(newton(engine, problem, 'codes', hamming)).rejects.toThrow(/without kinks.*"hamming"/);
    }
  });
});
