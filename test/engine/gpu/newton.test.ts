import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine, Side } from '../../../src/engine/engine.ts';
import { referenceEngine } from '../../../src/engine/reference/engine.ts';
import { type Item, lossAt, penalty, scores } from '../../../src/engine/reference/item.ts';
import { newtonMove, newtonStep } from '../../../src/engine/reference/newton.ts';
import { crossEntropy, hamming } from '../../../src/math.ts';
import { fit } from '../../../src/model/fit.ts';
import { expectSolved, itemsOf, newton, ridge, systemOf } from '../newton-systems.ts';
import { difference, exactness, largest, makeProblem, type Problem, place } from '../problems.ts';
import { missing, softwareDevice } from './device.ts';

/** Of a few shapes, because programs take seconds to compile on a processor; all sizes are odd. */
const made = {
  bits: { V: 61, H: 14, n: 43, bias: true, kind: 'bits', weighted: false, scale: 0.3, seed: 5 },
  'some missing, weighted': {
    V: 37,
    H: 5,
    n: 70,
    bias: true,
    kind: 'known',
    weighted: true,
    scale: 1,
    seed: 7,
  },
  'real entries': { V: 30, H: 9, n: 33, bias: false, kind: 'missing', weighted: true, scale: 1, seed: 9 },
  'many rows, shared by workgroups': {
    V: 5,
    H: 6,
    n: 9001,
    bias: true,
    kind: 'known',
    weighted: true,
    scale: 0.7,
    seed: 3,
  },
} as const satisfies Record<string, Parameters<typeof makeProblem>[0]>;
const fewRows = (['bits', 'some missing, weighted', 'real entries'] as const).flatMap((name) =>
  (['codes', 'weights'] as const).map((side) => [name, side] as const),
);
/** Residuals of so many rows are in the device's memory. */
const cases = [...fewRows, ['many rows, shared by workgroups', 'weights'] as const];

const title = missing
  ? `Newton's steps and proofs of weights on SwiftShader (skipped: ${missing})`
  : "Newton's steps and proofs of weights on SwiftShader";

describe.skipIf(missing && !process.env.CI)(title, { timeout: 120_000 }, () => {
  let gpu: Engine;
  let limits: Awaited<ReturnType<typeof softwareDevice>>['limits'];
  beforeAll(async () => {
    ({ engine: gpu, limits } = await softwareDevice());
  });
  afterAll(() => gpu?.close());

  it.each(cases)('solves the systems of %s, side %s', async (name, side) => {
    const problem = makeProblem(made[name]);
    const systems = itemsOf(problem, side, crossEntropy).map(systemOf);
    const taken = await newton(gpu, problem, side, crossEntropy);
    expectSolved(systems, taken, gpu.name);
    expect(taken.after.E).toEqual(problem.E);
    expect(taken.after.W).toEqual(problem.W);
  });

  it.each(cases)(
    'moves items of %s downhill only, and those of the range alone: side %s',
    async (name, side) => {
      const problem = makeProblem(made[name]);
      const items = side === 'codes' ? problem.n : problem.V;
      const range = { start: items >> 2, end: items - (items >> 3) };
      const before = itemsOf(problem, side, crossEntropy);
      const { after, losses } = await newton(gpu, problem, side, crossEntropy, { move: true, range });
      const rounding = exactness(crossEntropy) * (1 + largest(problem.W) * largest(problem.E));
      itemsOf(after, side, crossEntropy).forEach((item, i) => {
        if (i < range.start || i >= range.end) {
          expect(item.z).toEqual(before[i].z);
          return;
        }
        const was = objective(before[i], ridge);
        expect(objective(item, ridge)).toBeLessThanOrEqual(was + rounding * (1 + was));
        const f = lossAt(item, scores(item, item.z));
        expect(Math.abs(losses[i] - f)).toBeLessThan(2 * rounding * (1 + Math.abs(f)));
      });
    },
  );

  it.each(cases)('reaches the optimum of %s in a few steps: side %s', async (name, side) => {
    const after = await stepped(makeProblem(made[name]), side, 12);
    const { decrements } = await newton(referenceEngine(), after, side, crossEntropy);
    // The base rate of bits that are all alike goes to infinity, closer by a factor e in each step.
    expect(largest(decrements)).toBeLessThan(Math.exp(-12));
  });

  it.each(fewRows)('takes the same step where a card has little room: %s, side %s', async (name, side) => {
    const problem = makeProblem(made[name]);
    const step = () => newton(gpu, problem, side, crossEntropy, { move: true });
    const whole = await step();
    const room = limits.maxStorageBufferBindingSize;
    try {
      // Items come in pieces of a few panels, and products of units for a few entries at a time.
      limits.maxStorageBufferBindingSize = 2 ** 13;
      const inParts = await step();
      for (const key of ['losses', 'decrements'] as const)
        expect(difference(inParts[key], whole[key], 10 * largest(whole[key])), key).toBeLessThan(1e-5);
      for (const key of ['E', 'W'] as const)
        expect(
          difference(inParts.after[key], whole.after[key], 10 * largest(whole.after[key])),
          key,
        ).toBeLessThan(1e-4);
    } finally {
      limits.maxStorageBufferBindingSize = room;
    }
  });

  it('refuses losses whose Psi has kinks, and says so beforehand', async () => {
    const problem = makeProblem(made.bits);
    await expect(newton(gpu, problem, 'codes', hamming)).rejects.toThrow(/without kinks.*"hamming"/);
    expect(gpu.newtonian(hamming, 14)).toBe(false);
    expect(gpu.newtonian(crossEntropy, 14)).toBe(true);
    expect(gpu.newtonian(crossEntropy, 1000)).toBe(false);
  });

  /** A few rows whose codes are long: their scores are too loose to say how they bend. */
  const long = (problem: Problem): Problem => ({
    ...problem,
    E: problem.E.map((e, k) => (k % problem.width < problem.H && k < 3 * problem.width ? 3e4 * e : e)),
  });

  /** Codes that float32 takes for 0, by weights that make up for it. */
  const vanishing = (problem: Problem): Problem => ({
    ...problem,
    E: problem.E.map((e, k) => (k % problem.width === 1 ? 1e-39 * e : e)),
    W: problem.W.map((w, k) => (k % problem.width === 1 ? 1e38 * w : w)),
  });

  it.each([
    ['bits', 0.02, 0, 1e9],
    ['bits', 0.02, 9, 1e-4],
    ['some missing, weighted', 0.02, 9, 1e-4],
    ['some missing, weighted', 0, 9, 1e9],
    ['real entries', 0.02, 9, 1e-4],
    ['many rows, shared by workgroups', 1e-4, 9, 1e-4],
    ['long codes', 1e-4, 3, 1e9],
    ['vanishing codes', 0, 0, 1e9],
  ] as const)(
    'bounds the objectives of %s with a ridge of %f, %i steps on, never too closely',
    async (name, by, steps, most) => {
      const problem =
        name === 'long codes'
          ? long(makeProblem(made.bits))
          : name === 'vanishing codes'
            ? vanishing(makeProblem(made.bits))
            : makeProblem(made[name]);
      const after = await stepped(problem, 'weights', steps, by);
      const range = { start: 2, end: problem.V };
      const items = itemsOf(after, 'weights', crossEntropy).slice(range.start);
      const { point } = place(gpu, after);
      const at = { ...point, loss: crossEntropy, range };
      const { objectives, floors, gaps } = await gpu.bounds!(at, by, true);
      const looked = await gpu.bounds!(at, by, false);
      expect(looked.objectives).toEqual(objectives);
      expect(looked.gaps).toEqual(objectives);
      expect(objectives.length).toBe(items.length);
      let [pessimism, wide] = [0, 0];
      items.forEach((item, v) => {
        const here = objective(item, by);
        const best = least(item, by);
        expect(objectives[v]).toBeGreaterThanOrEqual(here);
        expect(floors[v]).toBeLessThanOrEqual(best);
        expect(floors[v]).toBeGreaterThanOrEqual(0);
        expect(gaps[v]).toBeGreaterThanOrEqual(here - best);
        expect(gaps[v]).toBeLessThanOrEqual(objectives[v]);
        pessimism += gaps[v] - (here - best);
        wide += here - best;
        // Float32 knows what scores are to a share of |a| |w|.
        if (most < 1) expect(objectives[v]).toBeLessThan(here * 1.0001 + 1e-6);
      });
      expect(pessimism).toBeLessThan(most);
      // Where there is little to gain, that is known.
      if (most < 1) expect(wide).toBeLessThan(1e-3);
    },
  );

  it.each(fewRows)('has the slopes of %s in float64: side %s', async (name, side) => {
    const problem = makeProblem(made[name]);
    const items = side === 'codes' ? problem.n : problem.V;
    const range = { start: 3, end: items - 2 };
    const bits = side === 'weights' ? Int32Array.of(1, 4, 5, items - 1) : undefined;
    const found = async (engine: Engine) => {
      const { point, floats } = place(engine, problem);
      const directions = floats(Float32Array.from({ length: items * problem.width }, (_, k) => Math.sin(k)));
      const at = { ...point, loss: crossEntropy, range };
      return [
        await engine.slopes(side, at),
        await engine.slopes(side, at, { directions }),
        await engine.slopes(side, at, { directions }, bits),
      ];
    };
    const [expected, actual] = [await found(referenceEngine()), await found(gpu)];
    actual.forEach((slopes, k) => {
      // Weights of entries are products in float32.
      for (const key of ['losses', 'conjugates', 'gradients'] as const)
        expect(difference(slopes[key], expected[k][key], largest(expected[k][key]))).toBeLessThan(5e-7);
    });
  });

  it("moves dual points along the device's steps: the bound is close where weights are", async () => {
    const after = await stepped(makeProblem(made.bits), 'weights', 9);
    const { H, width } = after;
    const at = { ...place(gpu, after).point, loss: crossEntropy };
    const { conjugates, gradients } = await gpu.slopes('weights', at, { ridge });
    itemsOf(after, 'weights', crossEntropy).forEach((item, v) => {
      const best = least(item, ridge);
      let bound = -conjugates[v];
      for (let h = 0; h < H; h++) bound -= gradients[v * width + h] ** 2 / (2 * ridge);
      const bias = 64 * Math.abs(gradients[v * width + H]);
      expect(bound - bias).toBeLessThanOrEqual(best);
      expect(bound - bias).toBeGreaterThan(best - 1e-3);
    });
  });

  it('ends learning with rounds, and proves the weights as the processor does', async () => {
    const { rows } = makeProblem(made.bits);
    const learning = { H: 3, seed: 3, epochs: 6 };
    const [here, there] = [await fit(rows, { ...learning, engine: gpu }), await fit(rows, learning)];
    expect(here.training.loss / there.training.loss).toBeCloseTo(1, 1);
    for (const { weightGap, slackGap, loss } of [here.training, there.training]) {
      expect(weightGap).toBeGreaterThan(0);
      expect(weightGap).toBeLessThan(0.01);
      expect(slackGap).toBeGreaterThan(0);
      expect(slackGap).toBeLessThanOrEqual(1.001 * loss);
    }
  });

  /** The problem after Newton's steps on the device. */
  async function stepped(problem: Problem, side: Side, steps: number, by = ridge): Promise<Problem> {
    let at = problem;
    for (let step = 0; step < steps; step++)
      at = (await newton(gpu, at, side, crossEntropy, { move: true, ridge: by })).after;
    return at;
  }
});

function objective(item: Item, by: number): number {
  return lossAt(item, scores(item, item.z)) + penalty(item, item.z, by);
}

/** The least objective that Newton's steps in float64 find. */
function least(item: Item, by: number): number {
  let at = item;
  for (let step = 0; step < 60; step++) at = { ...at, z: newtonMove(at, newtonStep(at, by), by) };
  return objective(at, by);
}
