import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crossEntropy } from '../../src/losses/cross-entropy.ts';
import { complete, filledIn, listen } from '../../src/solvers/neighbours.ts';
import { holds } from '../property.ts';

const [n, V, K] = [3, 4, 2];
const numbers = (length: number, size = 3) =>
  fc.array(fc.float({ min: -size, max: size, noNaN: true }), { minLength: length, maxLength: length });
const partials = fc
  .record({
    scores: numbers(n * V),
    bits: fc.array(fc.constantFrom(-1, 1, Number.NaN), { minLength: n * V, maxLength: n * V }),
  })
  .map(({ scores, bits }) => ({ n, V, scores: Float32Array.from(scores), known: Float32Array.from(bits) }));
const passes = fc
  .record({
    columns: fc.array(fc.nat(V - 1), { minLength: V * K, maxLength: V * K }),
    W: numbers(V * (K + 2)),
  })
  .map(({ columns, W }) => ({ columns: Int32Array.from(columns), W: Float32Array.from(W) }));
const link = { loss: crossEntropy };

describe('listening to neighbours', () => {
  it('changes unknown entries alone, each by its own sum', () => {
    holds(
      fc.property(partials, passes, (rows, pass) => {
        const filled = filledIn(rows, link);
        const heard = listen(pass, rows, filled);
        for (let k = 0; k < n * V; k++) {
          const [i, v] = [Math.floor(k / V), k % V];
          if (!Number.isNaN(rows.known[k])) {
            expect(heard[k]).toBe(rows.scores[k]);
            expect(filled[k]).toBe(rows.known[k]);
            continue;
          }
          const w = pass.W.subarray(v * (K + 2), (v + 1) * (K + 2));
          let sum = w[K] * rows.scores[k] + w[K + 1];
          for (let j = 0; j < K; j++) sum += w[j] * filled[i * V + pass.columns[v * K + j]];
          expect(heard[k]).toBeCloseTo(sum, 4);
        }
      }),
      { seed: 72, numRuns: 50 },
    );
  });

  it('says what the codes say where neighbours weigh nothing', () => {
    const W = Float32Array.from({ length: V * (K + 2) }, (_, k) => (k % (K + 2) === K ? 1 : 0));
    const silent = { columns: new Int32Array(V * K), W };
    holds(
      fc.property(partials, (rows) => {
        const scores = complete({ passes: [silent, silent] }, rows, link);
        scores.forEach((score, k) => void expect(score).toBeCloseTo(rows.scores[k], 6));
      }),
      { seed: 71, numRuns: 20 },
    );
  });

  it('fills a category in with probabilities that add up to one', () => {
    const rows = {
      n: 1,
      V: 3,
      known: new Float32Array(3).fill(Number.NaN),
      scores: Float32Array.of(1, 0, -2),
    };
    const groups = [{ name: 'q', first: 0, values: ['a', 'b', 'c'] }];
    const shares = filledIn(rows, { ...link, groups }).map((x) => (1 + x) / 2);
    expect(shares.reduce((sum, x) => sum + x, 0)).toBeCloseTo(1, 5);
  });
});
