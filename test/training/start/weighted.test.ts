import { expect, it } from 'vitest';
import { takeRows } from '../../../src/rows/rows.ts';
import { someRows } from '../../../src/training/start/weighted.ts';
import { toyRows } from '../toy.ts';

const rows = toyRows(60);
const rowWeights = Float32Array.from({ length: 60 }, (_, i) => 1 + i);

it('starts from no more rows than there is memory for as numbers, evenly spaced, with their weights', () => {
  const columnWeights = new Float32Array(rows.V).fill(2);
  const some = someRows(rows, { rowWeights, columnWeights }, 20 * rows.V + 1);
  const order = Array.from({ length: 20 }, (_, i) => 3 * i);
  expect(some.rows).toEqual(takeRows(rows, order));
  expect(some.weights).toEqual({ rowWeights: Float32Array.from(order, (i) => 1 + i), columnWeights });
  expect(someRows(rows, { rowWeights }, 0).rows.n).toBe(1);
  expect(someRows(rows, { rowWeights }, 60 * rows.V)).toEqual({ rows, weights: { rowWeights } });
});
