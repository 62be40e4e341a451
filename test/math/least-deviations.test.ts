import { describe, expect, it } from 'vitest';
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
