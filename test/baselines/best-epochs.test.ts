import { describe, expect, it } from 'vitest';
import { BestEpochs } from '../../src/baselines/best-epochs.ts';

/** Adds epochs with these losses until it is time to stop; the state is the epoch's number. */
async function run(test: readonly number[], validation: readonly number[] | undefined, patience: number) {
  const best = new BestEpochs<number>(patience);
  let seen = 0;
  for (let k = 0; k < test.length; k++) {
    seen++;
    const entry = { epoch: k + 1, seconds: k, loss: 0, test: test[k], validation: validation?.[k] };
    if (!(await best.add(entry, () => k + 1))) break;
  }
  return { best, seen };
}

describe('the best epochs', () => {
  it('are the first with the lowest test loss, and the first with the lowest validation loss', async () => {
    const { best, seen } = await run([9, 5, 7, 4, 6, 4], [3, 4, 2, 5, 2, 6], 10);
    expect(seen).toBe(6);
    expect(best.onTest).toMatchObject({ epoch: 4, state: 4, test: 4, validation: 5 });
    expect(best.onValidation).toMatchObject({ epoch: 3, state: 3, test: 7, validation: 2 });
  });

  it('end the run after as many epochs in a row without any improvement as patience allows', async () => {
    expect((await run([9, 8, 9, 9, 7, 9, 9, 9, 1], undefined, 3)).seen).toBe(8);
    // An improvement of either kind counts.
    expect((await run([9, 9, 9, 9, 9], [5, 4, 3, 2, 1], 2)).seen).toBe(5);
    expect((await run([9, 9, 9, 9, 9], [5, 4, 5, 5, 1], 2)).seen).toBe(4);
  });

  it('leave the choice that nothing was measured for open, and never stop without measurements', async () => {
    const { best } = await run([3, 2], undefined, 1);
    expect(best.onValidation).toBeUndefined();
    const blind = new BestEpochs<number>(1);
    for (let epoch = 1; epoch < 9; epoch++)
      expect(await blind.add({ epoch, seconds: 0, loss: 1 }, () => 0)).toBe(true);
    expect(blind.onTest).toBeUndefined();
  });

  it('treat a loss that is no number as no improvement', async () => {
    const { best } = await run([Number.NaN, 5, Number.NaN], undefined, 5);
    expect(best.onTest?.epoch).toBe(2);
  });
});
