import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memorySource } from '../../src/rows/memory.ts';
import { sliceRows, takeRows } from '../../src/rows/rows.ts';
import { bothSeen, compareSeen, SeenRows, watched } from '../../src/rows/seen.ts';
import { holds } from '../property.ts';

/** Rows of random bits, 40 to a row: no two alike. */
function rowsOf(n: number, seed: number, V = 40) {
  const bits = new Uint8Array(n * 5);
  let state = seed;
  for (let k = 0; k < bits.length; k++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bits[k] = state >>> 24;
  }
  return { kind: 'bits', n, V, bits } as const;
}

const sketch = (...parts: Parameters<SeenRows['add']>[0][]) => {
  const rows = new SeenRows();
  for (const part of parts) rows.add(part);
  return rows.seen();
};

describe('rows that were seen', () => {
  it('are found among others, and others are not', () => {
    const rows = rowsOf(20_000, 1);
    const seen = sketch(rows);
    expect(seen.hashes.length).toBe(512);
    expect(seen.repeated).toBe(0);
    const some = compareSeen(seen, sliceRows(rows, 5000, 9000));
    expect(some.found).toBe(some.compared);
    expect(some.compared).toBeGreaterThan(60);
    const others = compareSeen(seen, rowsOf(4000, 2));
    expect(others.found).toBe(0);
    expect(others.compared).toBeGreaterThan(60);
  });

  it('are the same in any order and in any parts', () => {
    holds(
      fc.property(fc.integer({ min: 1, max: 3000 }), fc.integer(), fc.nat(2999), (n, seed, cut) => {
        const rows = rowsOf(n, seed);
        const at = Math.min(cut, n);
        const turned = takeRows(
          rows,
          Array.from({ length: n }, (_, i) => n - 1 - i),
        );
        expect(sketch(turned)).toEqual(sketch(rows));
        const [a, b] = [sliceRows(rows, 0, at), sliceRows(rows, at, n)];
        expect(sketch(a, b)).toEqual(sketch(rows));
        const both = bothSeen(sketch(a), sketch(b))!;
        expect(compareSeen(both, rows).found).toBe(compareSeen(both, rows).compared);
      }),
      { seed: 1, numRuns: 30 },
    );
  });

  it('are counted where they are repeated', () => {
    const rows = rowsOf(300, 3);
    expect(sketch(rows, sliceRows(rows, 0, 100)).repeated).toBeCloseTo(200 / 400, 9);
  });

  it('are the same whether all entries are known or nothing is said of it', () => {
    const rows = rowsOf(100, 4);
    const marked = { ...rows, known: new Uint8Array(rows.bits.length).fill(255) };
    expect(sketch(marked)).toEqual(sketch(rows));
    marked.known[0] = 254;
    expect(sketch(marked)).not.toEqual(sketch(rows));
    const real = { kind: 'real', n: 2, V: 2, values: Float32Array.of(0, 1, 0, Number.NaN) } as const;
    expect(sketch(real).hashes.length).toBe(2);
  });

  it('are gathered the first time that a source is read to its end', async () => {
    const rows = rowsOf(1000, 5);
    const { input, seen } = watched(memorySource(rows));
    for await (const _ of input.chunks(1)) break;
    expect(seen()).toBeUndefined();
    for (let time = 0; time < 2; time++) for await (const _ of input.chunks(300));
    expect(seen()).toEqual(sketch(rows));
    expect(watched(rows).input).toBe(rows);
    expect(watched(rows).seen()).toEqual(sketch(rows));
  });
});
