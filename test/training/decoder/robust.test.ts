import { describe, expect, it } from 'vitest';
import { referenceEngine } from '../../../src/engine/reference/engine.ts';
import {
  boxOfDrifts,
  correlations,
  crossEntropy,
  driftBox,
  driftEllipsoid,
  type Matrix,
  matrix,
  robustBound,
  squared,
  sumOfDrifts,
} from '../../../src/math.ts';
import { fitDecoder } from '../../../src/model/decoder.ts';
import { randomMatrices } from '../../math/random.ts';

const [n, labelled, H, V] = [120, 40, 3, 2];
const random = randomMatrices(7);
const codes = random.box(n, H);
const E = withOnes(codes);
// Bits that follow the codes, with errors.
const X = matrix(n, V);
for (let i = 0; i < n; i++) {
  for (let v = 0; v < V; v++)
    X.data[i * V + v] = 2 * codes.data[i * H + v] + 1.5 * random.uniform() - 0.75 > 0 ? 1 : -1;
}
const few = (M: Matrix) => matrix(labelled, M.cols, M.data.slice(0, labelled * M.cols));
const column = (M: Matrix, v: number) => M.data.filter((_, k) => k % M.cols === v);
const B = correlations(few(X), few(E));
const known = { codes: Float32Array.from(codes.data), B: B.data, V };
const engine = referenceEngine();

function withOnes(M: Matrix): Matrix {
  const out = matrix(M.rows, M.cols + 1);
  for (let i = 0; i < M.rows; i++)
    out.data.set([...M.data.subarray(i * M.cols, (i + 1) * M.cols), 1], i * (M.cols + 1));
  return out;
}

describe('the decoder for correlations in convex sets', () => {
  it.each([
    ['ellipsoids', driftEllipsoid],
    ['boxes', driftBox],
  ] as const)(
    'that are %s, with codes of more rows than the correlations: proven the best',
    async (_, setOf) => {
      for (const loss of [crossEntropy, squared]) {
        const sets = Array.from({ length: V }, (__, v) => setOf(column(few(X), v), few(E), 0.9));
        const { W, weightGap } = await fitDecoder(known, { sets, loss, engine });
        expect(weightGap).toBeLessThan(1e-5);
        const worst = (weights: ArrayLike<number>) =>
          robustBound(
            loss,
            matrix(n, H + 1, Float64Array.from(E.data, Math.fround)),
            B,
            matrix(V, H + 1, weights),
            sets,
          );
        const value = worst(W);
        for (let k = 0; k < 40; k++) {
          const moved = Float64Array.from(W, (w) => w + 0.3 * (random.uniform() - 0.5));
          expect(worst(moved)).toBeGreaterThan(value - weightGap);
        }
      }
    },
  );

  it('takes the ellipsoids of the source of its rows, by their confidence', async () => {
    const rows = { data: Int8Array.from(X.data), n, V };
    const bounds: number[] = [];
    for (const confidence of [0.5, 0.99]) {
      const sets = Array.from({ length: V }, (_, v) =>
        driftEllipsoid(column(X, v), E, 1 - (1 - confidence) / V),
      );
      const [named, given] = [
        await fitDecoder(known.codes, rows, { sets: { confidence }, engine }),
        await fitDecoder(known.codes, rows, { sets, engine }),
      ];
      named.W.forEach((w, k) => {
        expect(w).toBeCloseTo(given.W[k], 4);
      });
      bounds.push(named.loss);
    }
    // Who has to be surer stays further from the rows.
    expect(bounds[1]).toBeGreaterThan(bounds[0]);
    await expect(fitDecoder(known, { sets: { confidence: 0.9 }, engine })).rejects.toThrow('needs the rows');
    await expect(fitDecoder(known.codes, rows, { sets: { confidence: 1 }, engine })).rejects.toThrow(
      'between 0 and 1',
    );
  });

  it('says that nothing is proven where it is not', async () => {
    const [box, other] = [boxOfDrifts([0.1, 0.1, 0.1, 0.1]), boxOfDrifts([0.2, 0, 0, 0.1])];
    const sets = Array.from({ length: V }, () => sumOfDrifts([box, other]));
    expect((await fitDecoder(known, { sets, engine })).weightGap).toBe(Number.POSITIVE_INFINITY);
  });

  it('wants one set for each bit, and no other penalty', async () => {
    const set = boxOfDrifts([0.1, 0.1, 0.1, 0.1]);
    await expect(fitDecoder(known, { sets: [set], engine })).rejects.toThrow(
      'one set for each of the 2 bits',
    );
    await expect(fitDecoder(known, { sets: [set, set], ridge: 0.1, engine })).rejects.toThrow(
      'sets and ridge exclude each other',
    );
  });
});
