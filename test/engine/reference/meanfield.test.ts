import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/engine/engine.ts';
import { referenceEngine } from '../../../src/engine/reference/engine.ts';
import type { AnnealOptions } from '../../../src/engine/true-bits.ts';
import { crossEntropy, type Loss, squared } from '../../../src/math.ts';
import { instances } from '../../losses/instances.ts';
import { holds } from '../../property.ts';
import {
  difference,
  everyEngine,
  exactness,
  generator,
  largest,
  lossesOf,
  makeProblem,
  type Problem,
  place,
  problems,
  signed,
} from '../problems.ts';

const losses = instances.map(({ loss }) => loss);
const reference = referenceEngine();
const engines = everyEngine();

const probing = { expansions: 2, stretches: 3, steps: 12 } as const;
const settings = { iterations: 12, hot: 4, cold: 0.5, damping: 0.3, sweeps: 2, keep: false } as const;

/** Starts and curvatures for a problem, the same numbers for every engine. */
function numbersFor({ H, V, W, width }: Problem, starts: number, seed = 5) {
  const random = generator(seed);
  const curvatures = new Float32Array(H);
  for (let v = 0; v < V; v++) for (let h = 0; h < H; h++) curvatures[h] += 0.1 * W[v * width + h] ** 2;
  return { starts: Float32Array.from({ length: starts * H }, () => 3 * (random() - 0.5)), curvatures };
}

async function annealed(
  engine: Engine,
  problem: Problem,
  loss: Loss,
  starts: ArrayLike<number>,
  options: Partial<AnnealOptions> = {},
) {
  const { point, E, floats } = place(engine, problem);
  const curvatures = floats(numbersFor(problem, 1).curvatures);
  const found = engine.floats(problem.n);
  await engine.anneal(
    { ...point, loss },
    { ...settings, starts: floats(starts), curvatures, losses: found, ...options },
  );
  return { codes: await E.read(), losses: await found.read() };
}

describe('anneal', () => {
  it('finds bits, reports their loss, and never gives up a better code that it may keep', () =>
    holds(
      fc.asyncProperty(
        problems({ V: 40, H: 9, n: 11 }).map(signed),
        fc.constantFrom(...losses),
        fc.constantFrom({}, { probing }),
        async (problem, loss, how) => {
          const before = await lossesOf(problem, loss);
          const { starts } = numbersFor(problem, 2);
          for (const engine of engines) {
            const found = await annealed(engine, problem, loss, starts, { keep: true, ...how });
            for (const e of found.codes) expect(Math.abs(e)).toBe(1);
            const now = await lossesOf({ ...problem, E: found.codes }, loss);
            now.forEach((value, i) => {
              const slack = exactness(loss) * (1 + value);
              expect(value).toBeLessThanOrEqual(before[i] + slack);
              expect(Math.abs(found.losses[i] - value)).toBeLessThan(slack);
            });
          }
        },
      ),
      { seed: 41, numRuns: 30 },
    ));

  it('takes the best of its starts, and treats each row by itself', () =>
    holds(
      fc.asyncProperty(problems({ V: 40, H: 9, n: 20 }).map(signed), async (problem) => {
        const { H, n } = problem;
        const { starts } = numbersFor(problem, 3);
        for (const engine of engines) {
          const all = await annealed(engine, problem, crossEntropy, starts);
          const each = await Promise.all(
            [0, 1, 2].map((s) => annealed(engine, problem, crossEntropy, starts.slice(s * H, (s + 1) * H))),
          );
          for (let i = 0; i < n; i++) {
            expect(all.losses[i]).toBe(Math.min(...each.map((one) => one.losses[i])));
          }
          const { point, E, floats } = place(engine, problem);
          const given = {
            ...settings,
            starts: floats(starts),
            curvatures: floats(numbersFor(problem, 1).curvatures),
          };
          for (const range of [
            { start: 0, end: n >> 1 },
            { start: n >> 1, end: n },
          ]) {
            await engine.anneal({ ...point, range, loss: crossEntropy }, given);
          }
          expect(await E.read()).toEqual(all.codes);
        }
      }),
      { seed: 42, numRuns: 20 },
    ));

  it('does as well as the reference does, and better with probing', async () => {
    const totals = { plain: [0, 0], probed: [0, 0] };
    for (let seed = 1; seed <= 8; seed++) {
      const [problem] = fc.sample(problems({ V: 60, H: 12, n: 8 }).map(signed), { seed, numRuns: 1 });
      const { starts } = numbersFor(problem, 2, seed);
      for (const [name, how] of [['plain', {}] as const, ['probed', { probing }] as const]) {
        for (const [k, engine] of [reference, engines[0]].entries()) {
          for (const value of (await annealed(engine, problem, crossEntropy, starts, how)).losses) {
            totals[name][k] += value;
          }
        }
      }
    }
    // Flips are made in another order, so single codes may differ: not the quality.
    for (const [expected, found] of Object.values(totals)) {
      expect(Math.abs(found / expected - 1)).toBeLessThan(0.02);
    }
    for (const k of [0, 1]) expect(totals.probed[k]).toBeLessThanOrEqual(1.001 * totals.plain[k]);
  });
});

/**
 * What Psi'' falls by where Gamma's range ends and Psi becomes straight. Within a cell of the engine's table
 * of such a score it is anything in between.
 */
function jumpOfBend(loss: Loss): number {
  const ends = [-1, 1].filter((end) => Number.isFinite(loss.gamma(end)));
  return largest(ends.map((end) => loss.psiSecond(loss.gamma(end) * (1 - 1e-4))));
}

/** A score so close to an end of the squared loss that the engine's Psi'' is not the reference's. */
const nextToAJump = makeProblem({
  ...{ V: 25, H: 8, n: 69, bias: false, kind: 'missing', weighted: true, scale: 1, seed: 249723102 },
});

describe('relax', () => {
  it('makes the steps of the reference and sums up the same', () =>
    holds(
      fc.asyncProperty(
        problems({ V: 40, H: 9, n: 70 }).filter(({ W }) => largest(W) < 20),
        // Where Psi' jumps, a score within rounding of a kink may fall on either side.
        fc.constantFrom(crossEntropy, ...losses.filter(({ name }) => !name.includes('hamming'))),
        fc.integer({ min: 1, max: 4 }),
        async (problem, loss, steps) => {
          const run = async (engine: Engine) => {
            const { point, E } = place(engine, problem);
            const gradient = engine.floats(problem.W.length);
            const bends = engine.running(problem.V);
            bends.write(new Float64Array(problem.V).fill(0.1));
            const found = engine.floats(problem.n);
            await engine.relax(
              { ...point, loss },
              { steps, temperature: 2, damping: 0.2, bends, follow: 0.5, gradient, losses: found },
            );
            return [await E.read(), await gradient.read(), await bends.read(), await found.read()];
          };
          const expected = await run(reference);
          // Of codes and losses no more than rounding; of the gradient and the bends, what one bit's two
          // entries beside a jump of Psi'' may change: the bends go half the way to their mean, and n times
          // as much is in the gradient.
          const { n, W, columnWeights = [1], rowWeights = [1] } = problem;
          const jump = 2 * 0.5 * 0.5 * jumpOfBend(loss) * largest(columnWeights) * largest(rowWeights);
          const jumps = [0, jump * largest(W), jump / n, 0];
          for (const engine of engines) {
            (await run(engine)).forEach((values, i) => {
              const rounding = 20 * exactness(loss) * (1 + largest(expected[i]));
              expect(difference(values, expected[i])).toBeLessThan(rounding + jumps[i]);
            });
          }
        },
      ),
      { seed: 43, numRuns: 30, examples: [[nextToAJump, squared, 3]] },
    ));
});

describe('enumerate', () => {
  it('finds a code that no other code of bits beats', () =>
    holds(
      fc.asyncProperty(
        problems({ V: 30, H: 9, n: 9 }).map(signed),
        fc.constantFrom(...losses),
        async (problem, loss) => {
          const plain = place(reference, problem);
          const least = reference.floats(problem.n);
          await reference.enumerate({ ...plain.point, loss }, least);
          for (const engine of engines) {
            const { point, E } = place(engine, problem);
            const found = engine.floats(problem.n);
            await engine.enumerate({ ...point, loss }, found);
            const now = await lossesOf({ ...problem, E: await E.read() }, loss);
            const told = await found.read();
            (await least.read()).forEach((value, i) => {
              const slack = 2 * exactness(loss) * (1 + value);
              expect(Math.abs(now[i] - value)).toBeLessThan(slack);
              expect(Math.abs(told[i] - value)).toBeLessThan(slack);
            });
          }
        },
      ),
      { seed: 44, numRuns: 25 },
    ));

  it('refuses more codes than anyone waits for', async () => {
    const [problem] = fc.sample(
      problems({ V: 5, H: 17, n: 2 }).filter(({ H }) => H === 17),
      { seed: 1, numRuns: 1 },
    );
    for (const engine of engines) {
      const { point } = place(engine, problem);
      await expect(engine.enumerate({ ...point, loss: crossEntropy })).rejects.toThrow(/at most 16/);
    }
  });
});
