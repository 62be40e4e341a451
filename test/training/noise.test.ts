import { describe, expect, it } from 'vitest';
import { correlations, matrix } from '../../src/math.ts';
import { rowStream, sampleUnit } from '../../src/rows/binarize.ts';
import { corrupt } from '../../src/rows/corrupt.ts';
import { entry, type Rows } from '../../src/rows/rows.ts';
import { gaussians } from '../../src/solvers/gaussians.ts';
import { noiseInCorrelations } from '../../src/training/noise.ts';
import { toyRows } from '../training/toy.ts';

const H = 4;

/** Codes that know the rows but not their noise: projections on random directions. */
function projections(rows: Rows): Float32Array {
  const directions = gaussians(rows.V * H, 8);
  const codes = new Float32Array(rows.n * H);
  for (let i = 0; i < rows.n; i++) {
    for (let v = 0; v < rows.V; v++) {
      for (let h = 0; h < H; h++) {
        codes[i * H + h] += (entry(rows, i, v) * directions[v * H + h]) / Math.sqrt(rows.V);
      }
    }
  }
  return codes;
}

function asMatrix(rows: Rows) {
  const { n, V } = rows;
  return matrix(
    n,
    V,
    Float64Array.from({ length: n * V }, (_, k) => entry(rows, Math.floor(k / V), k % V)),
  );
}

/** Root mean square of the differences, as a share of the first's own. */
function apart(a: Float64Array, b: Float64Array): number {
  const square = (x: Float64Array) => x.reduce((sum, value) => sum + value * value, 0);
  return Math.sqrt(square(a.map((value, k) => value - b[k])) / square(a));
}

describe('noise in the correlations (Sec. 5.2)', () => {
  const rho = 0.25;

  it('is the difference of the two correlation matrices, where the clean rows are known', () => {
    const clean = toyRows(50);
    const noisy = corrupt(clean, { kind: 'mask', rho });
    const codes = projections(clean);
    const E = matrix(50, H, codes);
    const [before, after] = [correlations(asMatrix(clean), E), correlations(asMatrix(noisy), E)];
    noiseInCorrelations(noisy, codes, { clean }).forEach((delta, k) => {
      expect(delta).toBeCloseTo(after.data[k] - before.data[k], 10);
    });
  });

  it('is found from the noisy rows alone, the better the more rows there are', () => {
    const error = (n: number) => {
      const clean = toyRows(n, 3);
      const noisy = corrupt(clean, { kind: 'mask', rho, seed: 7 });
      const codes = projections(clean);
      return apart(
        noiseInCorrelations(noisy, codes, { clean }),
        noiseInCorrelations(noisy, codes, { mask: rho }),
      );
    };
    const [few, many] = [error(100), error(1600)];
    // Sixteen times the rows: a quarter of the error, give or take.
    expect(many).toBeLessThan(0.4 * few);
    expect(many).toBeLessThan(0.2);
  });

  it('vanishes for noise of mean zero: drawing bits from grey values leaves B as it is', () => {
    const difference = (n: number) => {
      const bits = toyRows(n, 5);
      const grey: Rows = {
        kind: 'real',
        n,
        V: bits.V,
        values: Float32Array.from(
          { length: n * bits.V },
          (_, k) => 0.6 * entry(bits, Math.floor(k / bits.V), k % bits.V),
        ),
      };
      const values = grey.values.map((x, k) => (sampleUnit((1 + x) / 2, rowStream(9, k)) ? 1 : -1));
      const codes = projections(grey);
      const E = matrix(n, H, codes);
      const clean = correlations(asMatrix(grey), E);
      return apart(clean.data, correlations(matrix(n, bits.V, values), E).data);
    };
    const [few, many] = [difference(100), difference(1600)];
    expect(many).toBeLessThan(0.4 * few);
  });

  it('names what is wrong', () => {
    const rows = toyRows(2);
    expect(() => noiseInCorrelations(rows, new Float32Array(2), { mask: 1 })).toThrow(/below 1, got 1/);
    expect(() => noiseInCorrelations(rows, new Float32Array(2), { clean: toyRows(3) })).toThrow(
      /3 rows of 196/,
    );
  });
});
