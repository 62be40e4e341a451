import { expect, test } from 'vitest';
import { packCodes } from '../../src/bits/pack.ts';
import { chooseUnits } from '../../src/compress/choose-units.ts';
import { withoutCodes } from '../../src/compress/compress.ts';
import { type BitRows, entry } from '../../src/rows/rows.ts';

/** Rows of 64 equal bits, each 0 or 1 by its own bit of a counter: a code of one bit says all of them. */
const n = 100;
const one = (i: number) => ((i * 2654435761) >>> 13) & 1;
const bits = Uint8Array.from({ length: n * 8 }, (_, k) => (one(k >> 3) ? 255 : 0));
const rows: BitRows = { kind: 'bits', n, V: 64, bits };

test('codes are chosen where they make a quarter of the sample smaller', async () => {
  const asked: [number, number][] = [];
  const chosen = await chooseUnits(n, rows, async (tried, H) => {
    asked.push([tried.n, H]);
    const W = Float32Array.from({ length: 64 * H }, (_, k) => (k % H === 0 ? 6 : 0));
    const E = Float32Array.from({ length: tried.n * H }, (_, k) =>
      k % H === 0 ? entry(tried, Math.floor(k / H), 0) : 1,
    );
    return { W, shape: { V: 64, H, bias: false }, codes: packCodes(E, { n: tried.n, H }, 'lsb') };
  });
  expect(asked).toEqual([[n / 4, 8]]);
  expect(chosen).toBe(8);
});

test('codes that say nothing and cost something are left out', async () => {
  const chosen = await chooseUnits(n, rows, async (tried, H) => ({
    ...withoutCodes(tried),
    W: new Float32Array(64 * H),
    shape: { V: 64, H, bias: false },
    codes: packCodes(
      Float32Array.from({ length: tried.n * H }, (_, k) => 2 * one(7 * k + 3) - 1),
      { n: tried.n, H },
      'lsb',
    ),
  }));
  expect(chosen).toBe(0);
});

test('where rows are many nothing is tried', async () => {
  const never = () => Promise.reject(new Error('nothing should be learned'));
  expect(await chooseUnits(100 * n, rows, never)).toBe(0);
});
