import { describe, expect, it } from 'vitest';
import { driftEllipsoid } from '../../src/math/estimated-drift.ts';
import { leastDeviations } from '../../src/math/least-deviations.ts';
import { dot, matrix, row } from '../../src/math/matrix.ts';
import {
  boxOfDrifts,
  correlations,
  crossEntropy,
  exactWorstCase,
  hamming,
  reconstruct,
} from '../../src/math.ts';
import { worstCase } from './adversary.ts';
import { randomMatrices } from './random.ts';

describe('least absolute deviations', () => {
  it('end at one value, wherever they begin, in ellipsoids as well', () => {
    for (let seed = 1; seed <= 12; seed++) {
      const random = randomMatrices(seed);
      const [n, H] = [60, 4];
      // Few codes, each of many rows, with a bias unit.
      const few = random.box(6, H);
      const E = matrix(n, H);
      for (let i = 0; i < n; i++) row(E, i).set([...row(few, i % 6).subarray(1), 1]);
      const w = random.normals(1, H).data.map((value) => 20 * value);
      // A bit that the codes explain, up to one row in seven, as those of a learned model do.
      const scores = Float64Array.from({ length: n }, (_, i) => dot(w, row(E, i)));
      const x = scores.map((score, i) => (score < 0 ? -1 : 1) * (i % 7 === 0 ? -1 : 1));
      const b = correlations(matrix(n, 1, x), E).data;
      const set = driftEllipsoid(x, E, 0.99);
      const g = scores.map((score) => Math.max(-1, Math.min(1, score)));
      const [far, near] = [1, 0.001].map((share) =>
        leastDeviations(
          { E, g, b, set },
          w.map((value) => share * value),
        ),
      );
      expect(far, `seed ${seed}`).toBeCloseTo(near, 6);
    }
  });

  // Weights from far too small to far too large: from all deviations at their kinks to none anywhere near.
  it.each([0.1, 1, 3])('end where a linear program ends, with many rows and units (weights x %d)', (size) => {
    const random = randomMatrices(11);
    const [n, V, H] = [150, 1, 9];
    const E = random.box(n, H);
    const B = correlations(random.bits(n, V), E);
    const W = random.normals(V, H);
    for (let k = 0; k < W.data.length; k++) W.data[k] *= size;
    for (const loss of [crossEntropy, hamming]) {
      for (const eps of [0, 0.02, 0.3]) {
        const found = exactWorstCase(loss, E, B, W, [boxOfDrifts(new Float64Array(H).fill(eps))]);
        const lp = worstCase(loss, E, B, reconstruct(loss, W, E), new Float64Array(V).fill(eps));
        expect(found).toBeCloseTo(lp, 5);
        expect(found).toBeGreaterThan(lp - 1e-7);
      }
    }
  });
});
