import { expect, test } from 'vitest';
import { packCodes } from '../../src/bits/pack.ts';
import { chooseUnits } from '../../src/compress/choose-units.ts';
import { withoutCodes } from '../../src/compress/compress.ts';
import type { BitRows } from '../../src/rows/rows.ts';

/** Rows of 64 equal bits, each 0 or 1 by its own bit of a counter: a code of one bit says all of them. */
const n = 100;
const one = (i: number) => ((i * 2654435761) >>> 13) & 1;
const bits = Uint8Array.from({ length: n * 8 }, (_, k) => (one(k >> 3) ? 255 : 0));
const rows: BitRows = { kind: 'bits', n, V: 64, bits };

test('codes are chosen where they make the sample smaller, and no longer ones than that', async () => {
  const asked: number[] = [];
  const chosen = await chooseUnits(n, rows, async (H) => {
    asked.push(H);
    const W = Float32Array.from({ length: 64 * H }, (_, k) => (k % H === 0 ? 6 : 0));
    const E = Float32Array.from({ length: n * H }, (_, k) =>
      k % H === 0 && !one(Math.floor(k / H)) ? -1 : 1,
    );
    return { W, shape: { V: 64, H, bias: false }, codes: packCodes(E, { n, H }, 'lsb') };
  });
  expect(asked).toEqual([8, 16]);
  expect(chosen).toBe(8);
});

test('codes that say nothing and cost something are left out', async () => {
  const chosen = await chooseUnits(n, rows, async (H) => ({
    ...withoutCodes(rows),
    W: new Float32Array(64 * H),
    shape: { V: 64, H, bias: false },
    codes: packCodes(
      Float32Array.from({ length: n * H }, (_, k) => 2 * one(7 * k + 3) - 1),
      { n, H },
      'lsb',
    ),
  }));
  expect(chosen).toBe(0);
});

test('where rows are many nothing is tried', async () => {
  const never = () => Promise.reject(new Error('nothing should be learned'));
  expect(await chooseUnits(100 * n, rows, never)).toBe(0);
});
