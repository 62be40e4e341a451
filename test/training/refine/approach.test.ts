import fc from 'fast-check';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { floatsOf } from '../../../src/engine/engine.ts';
import { createEngine } from '../../../src/engine/node/index.ts';
import { crossEntropy } from '../../../src/losses/cross-entropy.ts';
import { hamming } from '../../../src/losses/hamming.ts';
import { approach, approachFrom } from '../../../src/training/refine/approach.ts';
import { objectivesOf } from '../../../src/training/refine/proof.ts';
import { holds } from '../../property.ts';
import { toyRows } from '../toy.ts';

const engine = await createEngine({ threads: 1 });
afterAll(() => engine.close());

const [n, H, ridge] = [80, 24, 1e-3];
const shape = { V: 196, H, bias: true };

/**
 * Codes and weights at random, then some rounds of Newton's steps, and W a share of its way to the optimum.
 */
async function learned(seed: number, share: number) {
  const size = H + 1;
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
  const E = Float32Array.from({ length: n * size }, (_, i) => (i % size === H ? 1 : random()));
  const at = {
    ...{ block: engine.load(toyRows(n, 2)), shape, loss: crossEntropy },
    W: floatsOf(engine, Float32Array.from({ length: shape.V * size }, random)),
    E: floatsOf(engine, E),
  };
  for (let round = 0; round < 5; round++) {
    for (const side of ['weights', 'codes'] as const) await engine.newton(side, at, { ridge, move: true });
  }
  const before = await at.W.read();
  for (let step = 0; step < 6; step++) await engine.newton('weights', at, { ridge, move: true });
  const best = await at.W.read();
  at.W.write(best.map((w, i) => w + (1 - share) * (before[i] - w)));
  return at;
}

const total = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0);

describe('weights that are proven without being refined', () => {
  it('are within what was asked of the best that many steps find, and within what is proven', async () => {
    const cases = fc.tuple(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 0, max: 10 }));
    await holds(
      fc.asyncProperty(cases, async ([seed, tenths]) => {
        const at = await learned(seed, tenths / 10);
        const decrements = engine.floats(Math.max(n, shape.V));
        const gap = (await approach(engine, at, { ridge, room: decrements, free: true }))?.gap;
        const reached = total(await objectivesOf(engine, at, ridge));
        expect(gap).toBeLessThanOrEqual(0.01);
        for (let step = 0; step < 8; step++) await engine.newton('weights', at, { ridge, move: true });
        const best = total(await objectivesOf(engine, at, ridge));
        expect(reached - best).toBeLessThanOrEqual(gap! + 1e-9);
        for (const used of [at.block, at.W, at.E, decrements]) used.free();
      }),
      { seed: 71, numRuns: 8 },
    );
  });

  it('stay as they were learned where there is no time', async () => {
    const at = await learned(3, 0);
    const before = await at.W.read();
    const decrements = engine.floats(Math.max(n, shape.V));
    expect(
      await approach(engine, at, { ridge, room: decrements, free: true, inTime: () => false }),
    ).toBeUndefined();
    expect(await at.W.read()).toEqual(before);
  });

  it('are proven by the same steps where validation rows take the move back', async () => {
    for (const loss of [crossEntropy, hamming]) {
      const at = { ...(await learned(5, 0.3)), loss };
      const before = await at.W.read();
      const objective = total(await objectivesOf(engine, at, ridge));
      const steps = vi.spyOn(engine, 'newton');
      let judged = 0;
      const taken: number[] = [];
      const validate = async () => {
        taken.push(steps.mock.calls.length);
        return judged++;
      };
      const gap = await approachFrom(engine, at, { ridge, validate });
      expect(judged).toBe(2);
      expect(steps.mock.calls.length).toBe(taken[1]);
      steps.mockRestore();
      expect(await at.W.read()).toEqual(before);
      const moved = await approachFrom(engine, at, { ridge });
      const gained = objective - total(await objectivesOf(engine, at, ridge));
      expect(gained).toBeGreaterThan(0.01);
      expect(gap).toBeCloseTo(gained + moved!, 6);
    }
  });
});
