import { describe, expect, it } from 'vitest';
import { referenceEngine } from '../../src/engine/reference/engine.ts';
import { fit } from '../../src/model/fit.ts';
import { fitStack } from '../../src/model/fit-stack.ts';
import { partialFit } from '../../src/model/partial-fit.ts';
import { asRows } from '../../src/rows/input.ts';
import { memorySource } from '../../src/rows/memory.ts';

const engine = referenceEngine();
const data = Uint8Array.from({ length: 40 * 4 }, (_, k) => Number((k * 7 + (k >> 3)) % 5 < 2));
const rows = asRows({ data, n: 40, V: 4 });
const named = (...columns: string[]) => memorySource(rows, { columns });
const model = await fit(named('a', 'b', 'c', 'd'), { H: 2, epochs: 2, engine });

describe('rows for a model', () => {
  it('may have its columns, or none with names', async () => {
    const { loss } = await model.evaluate(named('a', 'b', 'c', 'd'), { engine });
    expect((await model.evaluate(rows, { engine })).loss).toBe(loss);
    expect((await model.evaluate(memorySource(rows), { engine })).loss).toBe(loss);
  });

  it('are refused where columns have other names, or come in another order', async () => {
    const message =
      /column 1 of the rows is 'c', but the model was fitted to 'b' there; open them with \{ like: model \}/;
    const other = named('a', 'c', 'b', 'd');
    await expect(model.evaluate(other, { engine })).rejects.toThrow(message);
    await expect(model.encodeSource(other, { engine }).next()).rejects.toThrow(message);
    await expect(partialFit(model, other, { engine })).rejects.toThrow(message);
    await expect(partialFit(model, named('a', 'b', 'c', 'd'), { engine })).resolves.toBeDefined();
    const stack = await fitStack(named('a', 'b', 'c', 'd'), { layers: [3, 2], epochs: 2, engine });
    await expect(stack.evaluate(other, { engine })).rejects.toThrow(message);
  });

  it('have its number of columns', async () => {
    const wide = memorySource(asRows({ data, n: 32, V: 5 }));
    await expect(model.evaluate(wide, { engine })).rejects.toThrow('rows of 4 columns, these have 5');
    await expect(partialFit(model, wide, { engine })).rejects.toThrow('rows of 4 columns, these have 5');
  });
});

it('more units than memory holds are refused before anything is made for them', async () => {
  await expect(fit(rows, { H: 1e11, engine })).rejects.toThrow(
    'fit: H is 100000000000, and for rows of 4 columns it can be 128 at most',
  );
  await expect(fitStack(rows, { layers: [3, 1e11], engine })).rejects.toThrow(
    'fitStack: H is 100000000000, and for rows of 3 columns it can be 128 at most',
  );
});
