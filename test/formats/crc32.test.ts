import { crc32 as reference } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { crc32 } from '../../src/formats/crc32.ts';
import { holds } from '../property.ts';

test('the check value of the standard', () => {
  expect(crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf43926);
});

test('agrees with zlib, at once and in two parts', () => {
  holds(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(100), (bytes, cut) => {
      expect(crc32(bytes)).toBe(reference(bytes));
      expect(crc32(bytes.subarray(cut), crc32(bytes.subarray(0, cut)))).toBe(reference(bytes));
    }),
    { seed: 1 },
  );
});
