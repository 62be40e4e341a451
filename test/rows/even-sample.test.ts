import { describe, expect, it } from 'vitest';
import { evenSample } from '../../src/rows/even-sample.ts';
import { memorySource } from '../../src/rows/memory.ts';
import { entry, type RealRows } from '../../src/rows/rows.ts';

describe('a sample of rows', () => {
  it.each([
    [10, 10],
    [10, 20],
    [9999, 7],
    [10000, 5000],
  ])('of %i rows, at most %i, is spread evenly', async (n, most) => {
    const values = Float32Array.from({ length: n }, (_, i) => i / n);
    const rows: RealRows = { kind: 'real', n, V: 1, values, ids: Array.from(values, (_, i) => `${i}`) };
    const taken = Math.min(n, most);
    const sample = await evenSample(memorySource(rows), most);
    const places = Array.from({ length: taken }, (_, k) => Math.floor((k * n) / taken));
    expect(Array.from({ length: sample.n }, (_, i) => entry(sample, i, 0))).toEqual(
      places.map((i) => values[i]),
    );
    expect([...(sample.ids ?? [])]).toEqual(places.map(String));
  });
});
