import { describe, expect, it } from 'vitest';
import { strongestFeatures } from '../../src/model/strongest.ts';

describe('strongestFeatures', () => {
  it('names the columns with the largest weights either way, by number where they have no names', () => {
    const W = Float32Array.of(3, 0, -4, 1, 0, 2);
    const [first, second] = strongestFeatures({ V: 3, H: 2, W }, 1);
    expect(first).toMatchObject({ unit: 1, length: 5 });
    expect(first.on).toEqual([{ column: '0', weight: 3 }]);
    expect(first.off).toEqual([{ column: '1', weight: -4 }]);
    expect(second.off).toEqual([]);
    const [named] = strongestFeatures({ V: 3, H: 2, W, columns: ['tea', 'milk', 'ice'] }, 1);
    expect(named.on.map(({ column }) => column)).toEqual(['tea']);
    const [unnamed] = strongestFeatures({ V: 3, H: 2, W, columns: ['', 'milk', 'ice'] }, 1);
    expect(unnamed.on.map(({ column }) => column)).toEqual(['0']);
  });

  it('takes tables with more columns than a function takes arguments', () => {
    const V = 300_000;
    const W = new Float32Array(V);
    W[V - 1] = 2;
    const [unit] = strongestFeatures({ V, H: 1, W }, 3);
    expect(unit.length).toBe(2);
    expect(unit.on).toEqual([{ column: String(V - 1), weight: 2 }]);
  });
});
