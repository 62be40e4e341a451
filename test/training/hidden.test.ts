import { expect, test } from 'vitest';
import { checkHidden, mostHidden } from '../../src/training/hidden.ts';

test('as many units as can be held, by the weights of wide rows and by the matrices of many units', () => {
  expect(mostHidden(2 ** 20)).toBe(255);
  expect(mostHidden(2 ** 13)).toBe(16_383);
  expect(mostHidden(1000)).toBe(4000);
  expect(mostHidden(12)).toBe(1024);
  expect(mostHidden(5e8)).toBe(0);
  for (const V of [784, 1_000_003]) {
    const H = mostHidden(V);
    checkHidden('fit', H, { V });
    expect(Math.max(V, H) * (H + 1)).toBeLessThanOrEqual(2 ** 28);
    expect(() => checkHidden('fit', H + 1, { V })).toThrow(
      `fit: H is ${H + 1}, and for rows of ${V} columns it can be ${H} at most`,
    );
  }
});

test('no more units are learned than four times what describes every row', () => {
  for (const [table, most, of] of [
    [
      { V: 4 },
      128,
      'rows of 4 columns it can be 128 at most; a unit for each column already describes every row',
    ],
    [{ V: 100, n: 1000 }, 400, 'rows of 100 columns it can be 400 at most; a unit for each column'],
    [{ V: 784, n: 50 }, 200, '50 rows it can be 200 at most; a unit for each row'],
    [{ V: 10_000, n: 1 }, 128, '1 row it can be 128 at most'],
  ] as const) {
    checkHidden('fit', most, table);
    expect(() => checkHidden('fit', most + 1, table)).toThrow(`fit: H is ${most + 1}, and for ${of}`);
  }
});
