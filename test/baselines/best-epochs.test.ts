import { describe, expect, it } from 'vitest';
import { BestEpochs } from '../../src/baselines/best-epochs.ts';

/** Adds epochs with these losses; the state is the epoch's number. */
async function run(test: readonly number[], validation?: readonly number[]) {
  const best = new BestEpochs<number>();
  const improved: (boolean | undefined)[] = [];
  for (let k = 0; k < test.length; k++) {
    const entry = { epoch: k + 1, seconds: k, loss: 0, test: test[k], validation: validation?.[k] };
    improved.push(await best.add(entry, () => k + 1));
  }
  return { best, improved };
}

describe('the best epochs', () => {
  it('are the first with the lowest test loss, and the first with the lowest validation loss', async () => {
    const { best } = await run([9, 5, 7, 4, 6, 4], [3, 4, 2, 5, 2, 6]);
    expect(best.onTest).toMatchObject({ epoch: 4, state: 4, test: 4, validation: 5 });
    expect(best.onValidation).toMatchObject({ epoch: 3, state: 3, test: 7, validation: 2 });
  });

  it('are those in which either loss was lowest so far', async () => {
    expect((await run([9, 8, 9, 7])).improved).toEqual([true, true, false, true]);
    expect((await run([9, 9, 9, 9], [5, 4, 5, 3])).improved).toEqual([true, true, false, true]);
  });

  it('leave the choice that nothing was measured for open, and say nothing without measurements', async () => {
    const { best } = await run([3, 2]);
    expect(best.onValidation).toBeUndefined();
    const blind = new BestEpochs<number>();
    expect(await blind.add({ epoch: 1, seconds: 0, loss: 1 }, () => 0)).toBeUndefined();
    expect(blind.onTest).toBeUndefined();
  });

  it('treat a loss that is no number as no improvement', async () => {
    const { best } = await run([Number.NaN, 5, Number.NaN]);
    expect(best.onTest?.epoch).toBe(2);
  });
});
