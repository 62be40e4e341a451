import { describe, expect, it } from 'vitest';
import { counted } from '../../src/rows/counted.ts';
import { asRows } from '../../src/rows/input.ts';

describe('numbers with nouns', () => {
  it('are in the singular for one alone', () => {
    expect([0, 1, 2, 1n].map((n) => counted(n, 'row'))).toEqual(['0 rows', '1 row', '2 rows', '1 row']);
    expect([1, 3].map((n) => counted(n, 'entry'))).toEqual(['1 entry', '3 entries']);
  });

  it('are what errors speak in', () => {
    expect(() => asRows([[0, 1], [1]])).toThrow(/row 1 has 1 entry, those before have 2/);
  });
});
