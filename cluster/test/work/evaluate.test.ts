import { crossEntropy, fit, hamming } from 'pc-ae';
import { expect, it } from 'vitest';
import { evalSums, evalWork } from '../../src/work/evaluate.ts';
import { patterns } from '../helpers.ts';

it('sums both losses of a bounded one, which are the same for others', async () => {
  const rows = patterns(200, 12);
  for (const loss of [hamming, crossEntropy]) {
    const model = await fit(rows, { H: 2, epochs: 2, loss });
    const bench = { model: async () => model, rows: async () => rows } as unknown as Parameters<
      typeof evalWork
    >[1];
    const task = { inputs: {}, options: { tolerance: 0.01 } } as unknown as Parameters<typeof evalWork>[0];
    const { sums } = (await evalWork(task, bench)) as { sums: Uint8Array };
    const found = evalSums.parse(JSON.parse(new TextDecoder().decode(sums)));
    const { decodedLoss, loss: mean } = await model.evaluate(rows);
    expect(found.loss / found.n).toBeCloseTo(mean, 6);
    if (decodedLoss === undefined) expect(found.decodedLoss).toBeUndefined();
    else expect((found.decodedLoss ?? 0) / found.n).toBeCloseTo(decodedLoss, 6);
    expect(decodedLoss === undefined).toBe(loss === crossEntropy);
  }
});
