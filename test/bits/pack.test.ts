import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { codesAsText, codesFromFaiss, codesFromText, faissBytes } from '../../src/bits/exchange.ts';
import { codesAsRows, packCodes, reorderCodes, unpackCodes } from '../../src/bits/pack.ts';
import { entry } from '../../src/rows/rows.ts';
import { holds } from '../property.ts';

/** Two codes of ten bits, worked out by hand: 1011001000 and 0111111110. */
const codes = Float32Array.from(
  [
    [1, 0, 1, 1, 0, 0, 1, 0, 0, 0],
    [0, 1, 1, 1, 1, 1, 1, 1, 1, 0],
  ]
    .flat()
    .map((bit) => 2 * bit - 1),
);
const shape = { n: 2, H: 10 };
// 10110010 = 0xb2, 00 + 000000 = 0x00; 01111111 = 0x7f, 10 + 000000 = 0x80.
const msb = [0xb2, 0x00, 0x7f, 0x80];
// From the right: 01001101 = 0x4d, 0x00; 11111110 = 0xfe, 0x01.
const lsb = [0x4d, 0x00, 0xfe, 0x01];

describe('packed codes', () => {
  test('are the bytes computed by hand', () => {
    expect(Array.from(packCodes(codes, shape, 'msb').bytes)).toEqual(msb);
    expect(Array.from(packCodes(codes, shape, 'lsb').bytes)).toEqual(lsb);
    expect(codesAsText(packCodes(codes, shape, 'lsb'))).toEqual(['1011001000', '0111111110']);
    expect(codesAsText(packCodes(codes, shape, 'msb'))).toEqual(['1011001000', '0111111110']);
  });

  test('are the rows that the rest of the package reads', () => {
    const rows = codesAsRows(packCodes(codes, shape, 'msb'));
    const entries = Array.from({ length: 20 }, (_, k) => entry(rows, Math.floor(k / 10), k % 10));
    expect(entries).toEqual(Array.from(codes));
  });

  test('keep a bias unit out and put it back', () => {
    const wide = Float32Array.from([1, -1, 1, -1, -1, 1]);
    const packed = packCodes(wide, { n: 2, H: 2, width: 3 }, 'lsb');
    expect(Array.from(packed.bytes)).toEqual([1, 0]);
    expect(unpackCodes(packed, 3)).toEqual(wide);
  });

  test('FAISS: whole bytes, least significant bit first unless asked otherwise', () => {
    const sixteen = Float32Array.from([1, 1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 1]);
    const packed = packCodes(sixteen, { n: 1, H: 16 }, 'msb');
    expect(Array.from(faissBytes(packed))).toEqual([0x03, 0x80]);
    expect(Array.from(faissBytes(packed, 'msb'))).toEqual([0xc0, 0x01]);
    expect(unpackCodes(codesFromFaiss(faissBytes(packed), 16))).toEqual(sixteen);
    expect(() => faissBytes(packCodes(codes, shape, 'lsb'))).toThrow('H = 10; train with H = 16');
    expect(() => codesFromFaiss(new Uint8Array(3), 16)).toThrow('multiple of 2');
    expect(() => codesFromFaiss(new Uint8Array(3), 12)).toThrow('multiple of 8');
  });

  test('all round trips, any size', () => {
    const bits = fc.record({ n: fc.nat(5), H: fc.integer({ min: 1, max: 40 }) }).chain(({ n, H }) =>
      fc.record({
        n: fc.constant(n),
        H: fc.constant(H),
        codes: fc.array(fc.constantFrom(-1, 1), { minLength: n * H, maxLength: n * H }),
        order: fc.constantFrom('msb' as const, 'lsb' as const),
      }),
    );
    holds(
      fc.property(bits, ({ n, H, codes, order }) => {
        const numbers = Float32Array.from(codes);
        const packed = packCodes(numbers, { n, H }, order);
        const other = reorderCodes(packed, order === 'msb' ? 'lsb' : 'msb');
        expect(unpackCodes(packed)).toEqual(numbers);
        expect(unpackCodes(other)).toEqual(numbers);
        expect(reorderCodes(other, order)).toEqual(packed);
        if (n > 0) expect(codesFromText(codesAsText(packed), order)).toEqual(packed);
      }),
      { seed: 5 },
    );
  });

  test('what does not fit is refused with its place', () => {
    expect(() => packCodes(Float32Array.from([1, 0.5]), { n: 1, H: 2 }, 'lsb')).toThrow(
      'code 1, unit 2 is 0.5, expected -1 or 1',
    );
    expect(() => packCodes(codes, { n: 3, H: 10 }, 'lsb')).toThrow('found 20 numbers, expected 30');
    expect(() => unpackCodes({ n: 1, H: 9, order: 'lsb', bytes: new Uint8Array(1) })).toThrow('expected 2');
    expect(() => unpackCodes(packCodes(codes, shape, 'lsb'), 12)).toThrow('expected 10, or 11');
    expect(() => codesFromText(['01', '011'])).toThrow('code 2 has 3 bits, expected 2');
    expect(() => codesFromText(['01', '0x'])).toThrow("code 2, bit 2: found 'x'");
  });
});
