import { expect, test } from 'vitest';
import { checkHidden, mostHidden } from '../../src/training/hidden.ts';

test('as many units as can be held, by the weights of wide rows and by the matrices of many units', () => {
  expect(mostHidden(2 ** 20)).toBe(255);
  expect(mostHidden(2 ** 13)).toBe(16_383);
  expect(mostHidden(1000)).toBe(4000);
  expect(mostHidden(12)).toBe(1024);
  expect(mostHidden(5e8)).toBe(0);
  for (const V of [1, 784, 1_000_003]) {
    const H = mostHidden(V);
    checkHidden('fit', H, V);
    expect(Math.max(V, H) * (H + 1)).toBeLessThanOrEqual(2 ** 28);
    expect(() => checkHidden('fit', H + 1, V)).toThrow(
      `fit: H is ${H + 1}, and for rows of ${V} columns it can be ${H} at most`,
    );
  }
});
