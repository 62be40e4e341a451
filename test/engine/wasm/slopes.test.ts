import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Engine, type Side, WIDE } from '../../../src/engine/engine.ts';
import type { Slopes } from '../../../src/engine/proofs.ts';
import { referenceEngine } from '../../../src/engine/reference/engine.ts';
import { itemAt, lossAt, scores } from '../../../src/engine/reference/item.ts';
import { crossEntropy, type Loss } from '../../../src/math.ts';
import { instances } from '../../losses/instances.ts';
import { holds } from '../../property.ts';
import { difference, everyEngine, makeProblem, type Problem, place, problems } from '../problems.ts';

const sides = fc.constantFrom<Side>('codes', 'weights');
const all = instances.map(({ loss }) => loss);

const reference = referenceEngine();
const engines = everyEngine();

async function slopes(
  engine: Engine,
  problem: Problem,
  side: Side,
  loss: Loss,
  directions?: Float32Array,
  range?: { start: number; end: number },
  bits?: Int32Array,
): Promise<Slopes> {
  const { point, E, W, block } = place(engine, problem);
  const along = directions && engine.floats(directions.length);
  if (directions) along?.write(directions);
  const found = await engine.slopes(side, { ...point, loss, range }, along && { directions: along }, bits);
  for (const used of [E, W, block, along]) used?.free();
  return found;
}

function itemOf(problem: Problem, side: Side, loss: Loss, i: number) {
  const { V, H, bias } = problem;
  const at = { ...place(reference, problem).point, shape: { V, H, bias }, loss };
  return itemAt(side, at, problem, i);
}

/** Directions of a size that moves some dual points into their bounds. */
function someDirections(problem: Problem, side: Side): Float32Array {
  const items = side === 'codes' ? problem.n : problem.V;
  return Float32Array.from({ length: items * problem.width }, (_, k) => Math.sin(12.9898 * (k + 1)));
}

/**
 * Weights of entries are products in float32. Losses without a formula are read from chords, whose bends are
 * those of a cell: a dual point that was moved by them is another one, as good as any.
 */
function exactness(problem: Problem, loss: Loss, moved: boolean): number {
  const weighted = problem.columnWeights || problem.rowWeights ? 5e-7 : 1e-11;
  return loss === crossEntropy ? weighted : moved ? 5e-3 : 2e-6;
}

describe('slopes', () => {
  it('are those of the float64 reference, of all engines, with and without directions', () =>
    holds(
      fc.asyncProperty(
        problems({ V: 40, H: 12, n: 45 }),
        sides,
        fc.constantFrom(crossEntropy, ...all),
        fc.boolean(),
        async (problem, side, loss, moved) => {
          const directions = moved ? someDirections(problem, side) : undefined;
          const items = side === 'codes' ? problem.n : problem.V;
          const range = { start: items >> 2, end: items };
          const expected = await slopes(reference, problem, side, loss, directions, range);
          for (const engine of engines) {
            const actual = await slopes(engine, problem, side, loss, directions, range);
            for (const key of ['losses', 'conjugates', 'gradients'] as const) {
              const scale = expected[key].reduce((most, value) => Math.max(most, Math.abs(value)), 1);
              expect(actual[key].length).toBe(expected[key].length);
              expect(
                difference(actual[key], expected[key], scale - 1),
                `${key} of ${engine.name}, ${loss.name}`,
              ).toBeLessThan(exactness(problem, loss, moved));
            }
          }
        },
      ),
      { seed: 51, numRuns: 60 },
    ));

  it('of some bits are those that they have among all', () =>
    holds(
      fc.asyncProperty(
        problems({ V: 40, H: 6, n: 30 }),
        fc.constantFrom(crossEntropy, ...all),
        fc.boolean(),
        fc.integer({ min: 1, max: 7 }),
        async (problem, loss, moved, apart) => {
          const { V, width } = problem;
          const directions = moved ? someDirections(problem, 'weights') : undefined;
          const bits = Int32Array.from({ length: Math.ceil(V / apart) }, (_, i) => i * apart);
          const every = await slopes(reference, problem, 'weights', loss, directions);
          for (const engine of [reference, ...engines]) {
            const some = await slopes(engine, problem, 'weights', loss, directions, undefined, bits);
            const exact = exactness(problem, loss, moved);
            bits.forEach((v, i) => {
              const row = (gradients: Float64Array, k: number) =>
                gradients.subarray(k * width, (k + 1) * width);
              expect(difference([some.losses[i]], [every.losses[v]], 1)).toBeLessThan(exact);
              expect(difference([some.conjugates[i]], [every.conjugates[v]], 1)).toBeLessThan(exact);
              expect(difference(row(some.gradients, i), row(every.gradients, v), 1)).toBeLessThan(exact);
            });
            expect(some.losses.length).toBe(bits.length);
          }
        },
      ),
      { seed: 53, numRuns: 30 },
    ));

  it('bound the loss of every item at every other point from below', () =>
    holds(
      fc.asyncProperty(
        problems({ V: 20, H: 6, n: 20 }),
        sides,
        fc.constantFrom(...all),
        fc.boolean(),
        fc.double({ min: -6, max: 6, noNaN: true }),
        async (problem, side, loss, moved, size) => {
          const directions = moved ? someDirections(problem, side) : undefined;
          const found = await slopes(engines[0], problem, side, loss, directions);
          const { width } = problem;
          found.losses.forEach((_, i) => {
            const item = itemOf(problem, side, loss, i);
            const z = item.z.map((value, h) => value + size * Math.cos(7 * (h + 1) * (i + 1)));
            let bound = -found.conjugates[i];
            for (let h = 0; h < width; h++) bound += found.gradients[i * width + h] * z[h];
            const there = lossAt(item, scores(item, z));
            expect(bound).toBeLessThanOrEqual(there + 1e-5 * (1 + Math.abs(there)));
          });
        },
      ),
      { seed: 52, numRuns: 60 },
    ));

  it('are those of thousands of rows too', async () => {
    const problem = makeProblem({
      ...{ V: 9, H: 6, n: 9001, bias: true, kind: 'known', weighted: false, scale: 0.7, seed: 3 },
    });
    const expected = await slopes(reference, problem, 'weights', crossEntropy);
    for (const engine of engines) {
      const actual = await slopes(engine, problem, 'weights', crossEntropy);
      expect(difference(actual.losses, expected.losses)).toBeLessThan(1e-10);
      expect(difference(actual.gradients, expected.gradients)).toBeLessThan(1e-10);
    }
  });

  it("along Newton's step bound the objective closely where it is nearly smallest, in a wide table too", () =>
    holds(
      fc.asyncProperty(
        fc.constantFrom(30, WIDE + 3),
        fc.boolean(),
        fc.integer({ min: 1, max: 1e6 }),
        async (V, weighted, seed) => {
          const problem = makeProblem({
            ...{ V, H: 5, n: 9, bias: true, kind: 'known', scale: 0.4 },
            weighted,
            seed,
          });
          const { H, width, n } = problem;
          const ridge = 0.5;
          for (const engine of engines) {
            const { point, E, W, block } = place(engine, problem);
            const at = { ...point, loss: crossEntropy };
            // In a wide table steps go by a sample of the entries: each leaves a few percent of the gap.
            for (let step = 0; step < 6; step++) await engine.newton('codes', at, { ridge, move: true });
            const { losses, conjugates, gradients } = await engine.slopes('codes', at, { ridge });
            const codes = await E.read();
            for (const used of [E, W, block]) used.free();
            for (let i = 0; i < n; i++) {
              let [here, bound] = [losses[i], gradients[i * width + H] - conjugates[i]];
              for (let h = 0; h < H; h++) {
                here += 0.5 * ridge * codes[i * width + h] ** 2;
                bound -= gradients[i * width + h] ** 2 / (2 * ridge);
              }
              expect(bound).toBeLessThanOrEqual(here + 1e-6 * here);
              expect(bound).toBeGreaterThan(here - 1e-3);
              const other = itemOf(
                { ...problem, E: codes.map((e, k) => e + ((k + 1) % width && 0.1)) },
                'codes',
                crossEntropy,
                i,
              );
              const there = lossAt(other, scores(other, other.z));
              let below = -conjugates[i];
              for (let h = 0; h < width; h++) below += gradients[i * width + h] * other.z[h];
              expect(below).toBeLessThanOrEqual(there + 1e-5 * there);
            }
          }
        },
      ),
      { seed: 53, numRuns: 6 },
    ));
});
