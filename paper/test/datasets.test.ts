import { entry, type Rows } from 'pc-ae/rows';
import { describe, expect, it } from 'vitest';
import { foldCount, hashSet, loadSet, readLabels, SET_NAMES } from '../src/datasets.ts';
import { fakeData } from './fake-data.ts';

const { data } = fakeData();
const rowsAsText = (rows: Rows) =>
  Array.from({ length: rows.n }, (_, i) =>
    Array.from({ length: rows.V }, (_, v) => entry(rows, i, v)).join(''),
  );

describe("the paper's data sets", () => {
  it('are read as bits, with a part to stop by that is not learned from', async () => {
    for (const name of SET_NAMES) {
      const { train, test, held, image } = await loadSet(data, name);
      expect([train.kind, test.kind, image]).toEqual(['bits', 'bits', { height: 6, width: 6 }]);
      const own = name === 'caltech101';
      const [rest, validation] = own ? [60, 20] : name === 'notmnist' ? [51, 3] : [57, 3];
      expect([held.train.n, held.validation.n]).toEqual([rest, validation]);
      if (!own) {
        const parts = [...rowsAsText(held.train), ...rowsAsText(held.validation)];
        expect(parts.sort()).toEqual(rowsAsText(train).sort());
      }
    }
  });

  it('gives each row of a set without a split to one fold', async () => {
    const whole = rowsAsText((await loadSet(data, 'notmnist')).train).length;
    const tested: string[] = [];
    for (let fold = 0; fold < foldCount('notmnist'); fold++) {
      const { train, test } = await loadSet(data, 'notmnist', { fold });
      expect(train.n + test.n).toBe(60);
      tested.push(...rowsAsText(test));
    }
    const { train, test } = await loadSet(data, 'notmnist');
    expect(whole).toBe(54);
    expect(tested.sort()).toEqual([...rowsAsText(train), ...rowsAsText(test)].sort());
  });

  it('draws the same bits each time, and keeps grey pixels where asked to', async () => {
    const [once, again] = [await loadSet(data, 'mnist'), await loadSet(data, 'mnist')];
    expect(rowsAsText(once.train)).toEqual(rowsAsText(again.train));
    const grey = await loadSet(data, 'mnist', { grey: true });
    expect(grey.train.kind).toBe('real');
    expect(new Set(rowsAsText(grey.train).join('').match(/0\.\d/g)).size).toBeGreaterThan(2);
  });

  it('knows its labels and hashes, and says which file is missing', async () => {
    expect([...(await readLabels(data, 'mnist'))].slice(8, 12)).toEqual([8, 9, 0, 1]);
    const hashes = await hashSet(data, 'caltech101');
    expect(Object.keys(hashes)).toHaveLength(3);
    for (const hash of Object.values(hashes)) expect(hash).toMatch(/^[0-9a-f]{64}$/);
    await expect(hashSet('nowhere', 'mnist')).rejects.toThrow(
      /nowhere\/mnist\/train-images.*--data names a folder/,
    );
  });
});
