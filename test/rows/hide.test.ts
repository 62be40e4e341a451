import { describe, expect, it } from 'vitest';
import { hideEntries } from '../../src/rows/hide.ts';
import { asRows } from '../../src/rows/input.ts';
import { entry } from '../../src/rows/rows.ts';

describe('hideEntries', () => {
  const data = Float32Array.from({ length: 40 * 13 }, (_, k) => (k % 7 === 0 ? Number.NaN : (k >> 2) & 1));
  const grey = data.map((x) => 0.25 + x / 2);
  it.each([
    ['bits', asRows({ data, n: 40, V: 13, missing: Number.NaN })],
    ['probabilities', asRows({ data: grey, n: 40, V: 13, missing: Number.NaN })],
  ])('%s: what was known is either shown or hidden, never both', (_, rows) => {
    const { shown, hidden } = hideEntries(rows, 0.3, 2);
    let count = 0;
    for (let i = 0; i < rows.n; i++) {
      for (let v = 0; v < rows.V; v++) {
        const [all, seen, kept] = [rows, shown, hidden].map((each) => entry(each, i, v));
        if (Number.isNaN(all)) expect([seen, kept]).toEqual([Number.NaN, Number.NaN]);
        else expect([seen, kept].filter((x) => !Number.isNaN(x))).toEqual([all]);
        if (!Number.isNaN(kept)) count++;
      }
    }
    expect(count).toBeGreaterThan(80);
    expect(count).toBeLessThan(200);
  });

  it.each([
    ['bits', asRows({ data, n: 40, V: 13, missing: Number.NaN })],
    ['probabilities', asRows({ data: grey, n: 40, V: 13, missing: Number.NaN })],
  ])('%s: the columns of a category go together', (_, rows) => {
    const groups = [{ name: 'colour', first: 5, values: ['red', 'green', 'blue', 'grey'] }];
    const { shown, hidden } = hideEntries(rows, 0.5, 2, groups);
    let together = 0;
    for (let i = 0; i < rows.n; i++) {
      const states = [5, 6, 7, 8]
        .filter((v) => !Number.isNaN(entry(rows, i, v)))
        .map((v) => Number.isNaN(entry(shown, i, v)));
      expect(new Set(states).size).toBe(1);
      if (states[0]) together++;
      for (let v = 0; v < rows.V; v++) {
        const both = [entry(shown, i, v), entry(hidden, i, v)].filter((x) => !Number.isNaN(x));
        expect(both).toEqual([entry(rows, i, v)].filter((x) => !Number.isNaN(x)));
      }
    }
    expect(together).toBeGreaterThan(10);
    expect(together).toBeLessThan(30);
  });
});
