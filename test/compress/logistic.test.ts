import { expect, test } from 'vitest';
import { LOGIT_LIMIT, squash, stretch } from '../../src/compress/logistic.ts';
import { crc32 } from '../../src/formats/crc32.ts';

test('squash is the logistic function to half a unit, and symmetric', () => {
  for (let logit = -LOGIT_LIMIT; logit <= LOGIT_LIMIT; logit++) {
    const exact = 65536 / (1 + Math.exp(-logit / 256));
    expect(Math.abs(squash(logit) - Math.min(65535, Math.max(1, exact)))).toBeLessThan(0.501);
    expect(squash(logit) + squash(-logit)).toBe(65536);
  }
  expect([squash(-1e9), squash(1e9)]).toEqual([1, 65535]);
});

test('stretch undoes squash to the width of its intervals', () => {
  for (let p = 64; p < 65472; p += 7) {
    const again = squash(stretch(p));
    expect(Math.abs(again - p)).toBeLessThan(16 + 65536 / 1000);
  }
});

test('the table is the same on every machine', () => {
  const bytes = new Uint8Array(2 * (2 * LOGIT_LIMIT + 1));
  for (let k = -LOGIT_LIMIT; k <= LOGIT_LIMIT; k++) {
    bytes[2 * (k + LOGIT_LIMIT)] = squash(k) & 255;
    bytes[2 * (k + LOGIT_LIMIT) + 1] = squash(k) >> 8;
  }
  expect(crc32(bytes)).toMatchInlineSnapshot(`294703712`);
});
