import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PackedNames, sliceNames } from '../../src/rows/names.ts';
import { holds } from '../property.ts';

describe('packed names', () => {
  // Any code units at all, halves of surrogate pairs among them; and words of one script.
  const name = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 })
      .map((units) => String.fromCharCode(...units)),
  );

  test('are what a plain array is', () => {
    holds(
      fc.property(fc.array(name, { maxLength: 40 }), fc.integer({ min: -50, max: 50 }), (names, i) => {
        const packed = PackedNames.from(names);
        expect(packed.length).toBe(names.length);
        expect([...packed]).toEqual(names);
        expect(packed.at(i)).toBe(names.at(i));
        const start = Math.min(Math.abs(i), names.length);
        expect(sliceNames(packed, start, start + 5)).toEqual(names.slice(start, start + 5));
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  test('over many pages, some of one script and some of others', () => {
    holds(
      fc.property(fc.array(name, { minLength: 1, maxLength: 30 }), (some) => {
        const names = Array.from({ length: 10_000 }, (_, i) =>
          i < 6000 ? `row ${i}` : some[i % some.length] + i,
        );
        const packed = PackedNames.from(names);
        expect(packed.length).toBe(names.length);
        expect([...packed]).toEqual(names);
        for (const i of [0, 4095, 4096, 8191, 8192, 9999, -1, 10_000]) expect(packed.at(i)).toBe(names.at(i));
      }),
      { seed: 2, numRuns: 8 },
    );
  });

  test('a very long name', () => {
    const long = 'ab'.repeat(100_000);
    expect([...PackedNames.from(['x', long, 'y'])]).toEqual(['x', long, 'y']);
  });
});
