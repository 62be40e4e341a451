import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inverseRoot, PairWeights, shrinking } from '../../src/compress/pair-weights.ts';
import { holds } from '../property.ts';

test('the root is that of Math.sqrt', () => {
  holds(
    fc.property(fc.double({ min: 1, max: 1e6, noNaN: true }), (x) => {
      expect(inverseRoot(x)).toBeCloseTo(1 / Math.sqrt(x), 12);
    }),
    { seed: 1 },
  );
});

/**
 * A regression of a column on the unusual earlier ones, as it is defined: a weight for each pair in a map.
 */
class Oracle {
  private readonly weights = new Map<string, { w: number; squares: number }>();
  pairs(v: number, heard: number[]) {
    return heard.map((u) => {
      const key = `${v},${u}`;
      if (!this.weights.has(key)) this.weights.set(key, { w: 0, squares: 0 });
      return this.weights.get(key) as { w: number; squares: number };
    });
  }
}

test('weights follow their definition to float32, whatever comes', () => {
  const V = 6;
  const row = fc.array(fc.boolean(), { minLength: V, maxLength: V });
  const usual = fc.array(fc.nat(1), { minLength: V, maxLength: V });
  holds(
    fc.property(fc.array(row, { maxLength: 20 }), usual, (rows, common) => {
      const weights = new PairWeights(V, { usual: Uint8Array.from(common), unusual: 2 });
      const oracle = new Oracle();
      for (const bits of rows) {
        weights.startRow();
        const heard: number[] = [];
        for (let v = 0; v < V; v++) {
          const pairs = oracle.pairs(v, heard);
          const logit = pairs.reduce((sum, { w }) => sum + w, 0);
          expect(weights.logit(v)).toBeCloseTo(logit, 5);
          const bit = bits[v] ? 1 : 0;
          const error = bit - 1 / (1 + Math.exp(-logit));
          weights.update(v, error);
          for (const pair of pairs) {
            pair.squares += error * error;
            pair.w += (0.3 / Math.sqrt(3)) * error * shrinking(pair.squares);
          }
          weights.hear(v, bit);
          if (bit !== common[v]) heard.push(v);
        }
      }
    }),
    { seed: 2, numRuns: 50 },
  );
});
