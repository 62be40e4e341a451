import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { choleskySolve, matrix, times, timesTranspose } from '../../src/math.ts';
import { holds } from '../property.ts';
import { randomMatrices } from './random.ts';

describe('Cholesky', () => {
  it('solves positive definite systems', () => {
    holds(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 0, max: 1000 }), (H, seed) => {
        const random = randomMatrices(seed);
        const F = random.normals(H, H + 3);
        const A = timesTranspose(F, F);
        const z = random.normals(H, 1).data;
        const solved = choleskySolve(A.data, times(A, z));
        solved!.forEach((value, h) => {
          expect(value).toBeCloseTo(z[h], 6);
        });
      }),
      { seed: 7, numRuns: 50 },
    );
  });

  it('says when a matrix is not positive definite', () => {
    expect(choleskySolve(Float64Array.of(1, 2, 2, 1), Float64Array.of(1, 1))).toBeUndefined();
    expect(choleskySolve(Float64Array.of(0), Float64Array.of(1))).toBeUndefined();
  });
});

describe('a matrix', () => {
  it('refuses a wrong count of numbers', () => {
    expect(() => matrix(2, 3, [1, 2, 3, 4, 5])).toThrow('5 numbers given for 2 x 3 = 6 entries');
  });
});
