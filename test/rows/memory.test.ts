import { describe, expect, test } from 'vitest';
import { collect, memorySource } from '../../src/rows/memory.ts';
import type { BitRows, Rows } from '../../src/rows/rows.ts';
import type { RowSource } from '../../src/rows/source.ts';

const bits: BitRows = { kind: 'bits', n: 3, V: 9, bits: Uint8Array.from([1, 0, 2, 1, 4, 0]) };

describe('memory sources', () => {
  test('give back their rows in chunks of any size', async () => {
    const known = Uint8Array.from([255, 1, 254, 1, 255, 0]);
    const all: Rows[] = [
      bits,
      { ...bits, known },
      { kind: 'real', n: 2, V: 2, values: Float32Array.from([1, 0, -1, 0.5]) },
    ];
    for (const rows of all) {
      expect(await collect(memorySource(rows))).toEqual(rows);
      const sizes: number[] = [];
      for await (const chunk of memorySource(rows).chunks(2)) sizes.push(chunk.n);
      expect(sizes).toEqual(rows.n === 3 ? [2, 1] : [2]);
    }
  });

  test('names must fit', () => {
    expect(() => memorySource(bits, { columns: ['a'] })).toThrow('1 column names were given for 9 columns');
    expect(memorySource(bits, { ids: ['a', 'b', 'c'] }).ids).toEqual(['a', 'b', 'c']);
  });

  test('a mask may appear in some chunks only', async () => {
    const source: RowSource = {
      n: 2,
      V: 3,
      async *chunks() {
        yield { kind: 'bits', n: 1, V: 3, bits: Uint8Array.of(5) };
        yield { kind: 'bits', n: 1, V: 3, bits: Uint8Array.of(1), known: Uint8Array.of(3) };
      },
    };
    expect(await collect(source)).toEqual({
      kind: 'bits',
      n: 2,
      V: 3,
      bits: Uint8Array.of(5, 1),
      known: Uint8Array.of(7, 3),
    });
  });

  test('the limit is checked before allocation, and counts are checked', async () => {
    const huge: RowSource = { ...memorySource(bits), n: 2 ** 40 };
    await expect(collect(huge)).rejects.toThrow('GiB of memory, the limit is 4.00 GiB');
    await expect(collect({ ...memorySource(bits), n: 2 })).rejects.toThrow('gave more');
    await expect(collect({ ...memorySource(bits), n: 4 })).rejects.toThrow('gave only 3');
  });
});
