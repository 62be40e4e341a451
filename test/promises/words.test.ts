import { expect, it } from 'vitest';
import { amount, percent } from '../../src/promises/words.ts';

it('rounds amounts up and shares to what they are', () => {
  expect([0.12341, 7, 36.901, 550.32].map(amount)).toEqual(['0.124', '7.000', '36.91', '550.4']);
  expect([0.95, 0.999, 0.1, 0.29].map(percent)).toEqual(['95%', '99.9%', '10%', '29%']);
});
