import { afterAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../../src/engine/node/index.ts';
import { hamming } from '../../../src/losses/hamming.ts';
import { fit } from '../../../src/model/fit.ts';
import type { PCAE } from '../../../src/model/model.ts';
import { sliceRows, takeRows } from '../../../src/rows/rows.ts';
import { toyRows } from '../toy.ts';

const engine = await createEngine({ threads: 1 });
afterAll(() => engine.close());

const rows = toyRows(700, 4);
const [learned, others] = [0, 500].map((first) =>
  takeRows(
    rows,
    Uint32Array.from({ length: first === 0 ? 500 : 200 }, (_, i) => first + i),
  ),
);

async function mean(model: PCAE): Promise<number> {
  const { losses } = await model.encode(others, { engine });
  return losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
}

describe("Newton's rounds at the end of learning", () => {
  it('prove the weights, lower the loss of few epochs, and bound the slack', async () => {
    const common = { H: 6, epochs: 4, seed: 3, engine } as const;
    const refined = await fit(learned, common);
    // Codes that are found anew leave nothing to refine.
    const plain = await fit(learned, { ...common, codes: 'recompute' });
    const { weightGap, slackGap, loss } = refined.training;
    expect(weightGap).toBeLessThanOrEqual(0.01);
    expect(slackGap).toBeGreaterThan(0);
    expect(slackGap).toBeLessThan(0.2 * loss);
    expect(plain.training.weightGap).toBeUndefined();
    const [now, before] = [await mean(refined), await mean(plain)];
    expect(now).toBeLessThan(before);
  });

  it('are taken back where rows held out lose by them', async () => {
    const { history, weightGap } = (
      await fit(sliceRows(learned, 0, 60), { H: 6, epochs: 60, ridge: 1e-9, validation: others, engine })
    ).training;
    expect(history.at(-1)?.validation).toBeGreaterThan(0);
    // A ridge this small fits the few training rows alone: what is kept is what learning had before, which is
    // no optimum.
    expect(weightGap).toBeGreaterThan(0.01);
  });

  it('are not taken where Psi has kinks: weights move to the optimum of their codes, and are proven', async () => {
    for (const [H, epochs] of [
      [3, 2],
      [6, 40],
    ]) {
      const { weightGap, loss } = (await fit(learned, { H, epochs, loss: hamming, engine })).training;
      expect(weightGap).toBeLessThan(0.003 * loss);
    }
  });

  it('are not taken there, and proofs come to a hundredth also for bits that are nearly always the same', async () => {
    for (const [n, H] of [
      [100, 2],
      [1000, 2],
      [2000, 3],
      [150, 20],
    ]) {
      const { weightGap } = (await fit(toyRows(n), { H, loss: hamming, engine })).training;
      expect(weightGap).toBeGreaterThanOrEqual(0);
      expect(weightGap).toBeLessThan(0.01);
    }
  });

  it('are not needed for bits, whose weights end at their optimum: it is proven', async () => {
    const { weightGap, slackGap, loss } = (await fit(learned, { H: 6, encoding: 'bits', engine })).training;
    expect(weightGap).toBeLessThan(0.01 * loss);
    expect(slackGap).toBeLessThan(0.1 * loss);
  });

  it('leave codes of other sets alone, whose weights are proven, and a ridge of 0, where nothing can be', async () => {
    const common = { H: 4, epochs: 3, engine } as const;
    for (const options of [{ encoding: 'simplex' }, { ridge: 0 }] as const) {
      const { weightGap, slackGap } = (await fit(learned, { ...common, ...options })).training;
      if ('ridge' in options) expect(weightGap).toBeUndefined();
      else expect(weightGap).toBeLessThanOrEqual(0.01);
      expect(slackGap).toBeGreaterThanOrEqual(0);
    }
  });
});
