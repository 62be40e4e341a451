import { describe, expect, it } from 'vitest';
import { fullChunks, JoinedRows } from '../../src/rows/joined.ts';
import { collect, memorySource } from '../../src/rows/memory.ts';
import { allKnown, type BitRows, type Rows, sliceRows } from '../../src/rows/rows.ts';
import type { RowSource } from '../../src/rows/source.ts';

const bits: BitRows = {
  kind: 'bits',
  n: 11,
  V: 9,
  bits: Uint8Array.from({ length: 22 }, (_, k) => (k % 2 === 0 ? 23 * k : k & 1)),
};
const values = Float32Array.from({ length: 22 }, (_, k) => Math.sin(k));
const known = allKnown(11, 9).fill(0xa5, 8, 12);
const kinds: Rows[] = [bits, { ...bits, known }, { kind: 'real', n: 11, V: 2, values }];

/** The rows, no more than two at a time, and the mask only where something is missing. */
function slowly(rows: Rows): RowSource {
  return {
    ...memorySource(rows),
    async *chunks(size) {
      for await (const chunk of memorySource(rows).chunks(Math.min(2, size))) {
        const whole = chunk.kind === 'bits' && chunk.known?.every((mask, k) => mask === known[k % 2]);
        yield whole ? { ...chunk, known: undefined } : chunk;
      }
    },
  };
}

describe('full chunks', () => {
  it('are the same rows, as many at a time as were asked for', async () => {
    for (const rows of kinds) {
      for (const source of [slowly(rows), memorySource(rows)]) {
        for (const [size, expected] of Object.entries({ 1: 11, 3: 4, 11: 1, 50: 1 })) {
          const joined = new JoinedRows(source);
          const sizes: number[] = [];
          for await (const chunk of fullChunks(source, Number(size))) {
            sizes.push(chunk.n);
            joined.add(chunk);
          }
          expect(sizes).toHaveLength(expected);
          expect(sizes.slice(0, -1).every((n) => n === Number(size))).toBe(true);
          expect(joined.rows).toEqual(await collect(source));
        }
      }
    }
  });

  it('may be of rows that come in larger pieces', async () => {
    const source: RowSource = {
      ...memorySource(bits),
      async *chunks() {
        yield sliceRows(bits, 0, 8);
        yield sliceRows(bits, 8, 11);
      },
    };
    const sizes: number[] = [];
    for await (const { n } of fullChunks(source, 3)) sizes.push(n);
    expect(sizes).toEqual([3, 3, 3, 2]);
  });
});
