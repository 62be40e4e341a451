import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RangeDecoder, RangeEncoder } from '../../src/compress/range-coder.ts';
import { holds } from '../property.ts';

const symbol = fc.record({
  bit: fc.nat(1),
  p: fc.oneof(fc.integer({ min: 1, max: 65535 }), fc.constantFrom(1, 65535)),
});

function encoded(symbols: readonly { bit: number; p: number }[]): Uint8Array {
  const encoder = new RangeEncoder();
  for (const { bit, p } of symbols) encoder.encode(bit, p);
  return encoder.finish();
}

describe('the range coder', () => {
  test('gives back every sequence, whatever the probabilities, and asks for exactly its bytes', () => {
    holds(
      fc.property(fc.array(symbol, { maxLength: 400 }), (symbols) => {
        const decoder = new RangeDecoder(encoded(symbols));
        expect(symbols.map(({ p }) => decoder.decode(p))).toEqual(symbols.map(({ bit }) => bit));
        expect(decoder.left).toBe(0);
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  test('carries run through long chains of 255', () => {
    // A certain zero leaves low just below a power of two; the improbable ones that follow push it over.
    const symbols = Array.from({ length: 3000 }, (_, k) => ({ bit: k % 1000 === 999 ? 0 : 1, p: 65535 }));
    const decoder = new RangeDecoder(encoded(symbols));
    expect(symbols.map(({ p }) => decoder.decode(p))).toEqual(symbols.map(({ bit }) => bit));
  });

  test('costs what the probabilities say, within six bytes', () => {
    let state = 1;
    const symbols = Array.from({ length: 20_000 }, () => {
      state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
      return { bit: state % 1000 < 100 ? 1 : 0, p: 6554 };
    });
    const ideal =
      symbols.reduce((sum, { bit, p }) => sum - Math.log2(bit ? p / 65536 : 1 - p / 65536), 0) / 8;
    expect(encoded(symbols).length).toBeLessThan(ideal + 6);
    expect(encoded(symbols).length).toBeGreaterThan(ideal - 6);
  });

  test('the bytes are fixed for ever', () => {
    const symbols = [1, 0, 0, 1, 1, 1, 0, 1, 0, 0].map((bit, k) => ({ bit, p: 6000 * (k + 1) }));
    expect(Array.from(encoded(symbols))).toMatchInlineSnapshot(`
      [
        0,
        10,
        179,
        121,
        174,
        96,
      ]
    `);
  });

  test('a stream that was cut is noticed', () => {
    const bytes = encoded(Array.from({ length: 100 }, (_, k) => ({ bit: k & 1, p: 32768 })));
    const decoder = new RangeDecoder(bytes.subarray(0, bytes.length - 1));
    expect(() => {
      for (let k = 0; k < 100; k++) decoder.decode(32768);
    }).toThrow('end too early');
    expect(() => new RangeDecoder(bytes.subarray(0, 4))).toThrow('end too early');
  });
});
