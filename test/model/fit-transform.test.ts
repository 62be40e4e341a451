import { expect, it } from 'vitest';
import { referenceEngine } from '../../src/engine/reference/engine.ts';
import { fit } from '../../src/model/fit.ts';
import { fitTransform } from '../../src/model/fit-transform.ts';
import { asRows } from '../../src/rows/input.ts';
import { memorySource } from '../../src/rows/memory.ts';

const table = {
  data: Uint8Array.from({ length: 40 * 6 }, (_, i) => ((i * i) % 7 < 3 ? 1 : 0)),
  n: 40,
  V: 6,
};
const options = { H: 2, epochs: 3, engine: referenceEngine() };

it('gives the model of `fit` and the codes of `encode`', async () => {
  const { model, codes, losses, gaps, n, H } = await fitTransform(table, options);
  const alone = await fit(table, options);
  expect(model.W).toEqual(alone.W);
  expect({ codes, losses, gaps }).toMatchObject(
    await alone
      .encode(table, options)
      .then((encoded) => ({ codes: encoded.codes, losses: encoded.losses, gaps: encoded.gaps })),
  );
  expect([n, H, codes.length]).toEqual([40, 2, 80]);
});

it('takes a source as well', async () => {
  const fromTable = await fitTransform(table, options);
  const fromSource = await fitTransform(memorySource(asRows(table)), options);
  expect(fromSource.codes).toEqual(fromTable.codes);
});
