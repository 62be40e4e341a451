import { expect, test } from 'vitest';
import { ContextCounts } from '../../src/compress/context-counts.ts';

test('a pattern leans on what is expected without it, the less the more often it was seen', () => {
  const counts = new ContextCounts(3, 2);
  const place = counts.place(2, 0b110);
  expect(place).toBe(counts.place(2, 0b10));
  expect(counts.estimate(place, 0.3)).toBe(0.3);
  for (const bit of [1, 0, 1]) counts.update(place, bit);
  expect(counts.estimate(place, 0.3)).toBeCloseTo((2 + 2 * 0.3) / (3 + 2), 12);
  expect(counts.estimate(counts.place(1, 0b10), 0.3)).toBe(0.3);
});

test('old counts fade, and the estimate follows what comes now', () => {
  const counts = new ContextCounts(1, 0);
  for (let k = 0; k < 5000; k++) counts.update(0, 1);
  expect(counts.estimate(0, 0.5)).toBeGreaterThan(0.997);
  for (let k = 0; k < 3000; k++) counts.update(0, 0);
  expect(counts.estimate(0, 0.5)).toBeLessThan(0.1);
});
