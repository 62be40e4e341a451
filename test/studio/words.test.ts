import { expect, it } from 'vitest';
import { columnCalled, short } from '../../studio/src/page/words.ts';

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

it('calls a column by its number where its name is empty', () => {
  expect(columnCalled({ V: 2, columns: ['tea', ''] }, 0)).toBe('tea');
  expect(columnCalled({ V: 2, columns: ['tea', ''] }, 1)).toBe('column 1');
});
