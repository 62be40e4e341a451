import { expect, it } from 'vitest';
import { columnCalled, percent, short, time } from '../../studio/src/page/words.ts';

it.each([
  [0, '0'],
  [-0.0100001, '−0.01'],
  [-0.00081, '−8.1e−4'],
  [1234.5, '1,235'],
  [-1234.5, '−1,235'],
  [2e5, '2.0e5'],
  [undefined, '–'],
])('%d is written %s, with one sign for minus', (number, text) => {
  expect(short(number)).toBe(text);
});

it.each([
  [0.4, '400 ms'],
  [59.7, '60 s'],
  [119.7, '2 min 0 s'],
  [3599.6, '1 h 0 min'],
])('%d seconds are written %s', (seconds, text) => {
  expect(time(seconds)).toBe(text);
});

it.each([
  [0, '0%'],
  [0.0004, '<0.1%'],
  [0.5, '50%'],
  [0.996, '99.6%'],
  [0.9996, '>99.9%'],
  [1, '100%'],
])('a share of %d is written %s', (share, text) => {
  expect(percent(share)).toBe(text);
});

it('calls a column by its number where its name is empty', () => {
  expect(columnCalled({ V: 2, columns: ['tea', ''] }, 0)).toBe('tea');
  expect(columnCalled({ V: 2, columns: ['tea', ''] }, 1)).toBe('column 1');
});
