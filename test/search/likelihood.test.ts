import { describe, expect, it } from 'vitest';
import { packCodes, reorderCodes } from '../../src/bits/pack.ts';
import { crossEntropy } from '../../src/losses/cross-entropy.ts';
import { entry, type Rows } from '../../src/rows/rows.ts';
import { likelihoodConstants, likelihoodTables } from '../../src/search/likelihood.ts';
import { openScores } from '../../src/search/scores.ts';
import { gaussians } from '../../src/solvers/gaussians.ts';

const [V, H, n] = [30, 13, 60];
const W = Float32Array.from(gaussians(V * (H + 1), 1));
const decoder = { V, H, bias: true, W, reconstructionLoss: crossEntropy };
const E = Float32Array.from(gaussians(n * H, 2), (x) => (x < 0 ? -1 : 1));
const codes = packCodes(E, { n, H }, 'lsb');
const rows: Rows = {
  ...{ kind: 'real', n, V },
  values: Float32Array.from(gaussians(n * V, 3), (x) => (x < 0 ? -1 : 1)),
};

/** The loss in nats of row i at code j: what a cost is, but for a number that all codes of the row share. */
function loss(i: number, j: number, weight = (_: number) => 1): number {
  let sum = 0;
  for (let v = 0; v < V; v++) {
    const x = entry(rows, i, v);
    if (Number.isNaN(x)) continue;
    let m = W[v * (H + 1) + H];
    for (let h = 0; h < H; h++) m += W[v * (H + 1) + h] * E[j * H + h];
    sum += weight(v) * Math.log1p(Math.exp(-x * m));
  }
  return sum;
}

describe('scoring by likelihood', () => {
  it('orders codes by the loss of the row at them', async () => {
    for (const columnWeights of [undefined, Float32Array.from({ length: V }, (_, v) => 0.5 + (v % 3))]) {
      const weighted = { ...decoder, columnWeights };
      const scores = await openScores(codes, await likelihoodConstants(weighted, codes));
      const found = await scores.nearest(await likelihoodTables(weighted, rows), n);
      for (const i of [0, 7, 59]) {
        const losses = Array.from({ length: n }, (_, j) => loss(i, j, (v) => columnWeights?.[v] ?? 1));
        const order = losses.map((_, j) => j).sort((a, b) => losses[a] - losses[b]);
        const first = found.indices.subarray(i * n, i * n + 5);
        expect(Array.from(first)).toEqual(order.slice(0, 5));
        const shift = found.costs[i * n] - losses[first[0]];
        for (let r = 0; r < n; r++) {
          expect(found.costs[i * n + r] - losses[found.indices[i * n + r]]).toBeCloseTo(shift, 2);
        }
      }
      await scores.close();
    }
  });

  it('has constants that are float64 sums of Psi, at any temperature, with a bias or without', async () => {
    for (const bias of [true, false]) {
      const width = bias ? H + 1 : H;
      const model = { ...decoder, bias, W: W.subarray(0, V * width), temperature: 0.4 };
      const constants = await likelihoodConstants(model, codes);
      for (let j = 0; j < n; j++) {
        let sum = 0;
        for (let v = 0; v < V; v++) {
          let m = bias ? W[v * width + H] : 0;
          for (let h = 0; h < H; h++) m += W[v * width + h] * E[j * H + h];
          sum += crossEntropy.psi(0.4 * m);
        }
        expect(constants[j]).toBeCloseTo(sum / 0.8, 3);
      }
    }
    expect(await likelihoodConstants(decoder, reorderCodes(codes, 'msb'))).toEqual(
      await likelihoodConstants(decoder, codes),
    );
    await expect(likelihoodConstants({ ...decoder, H: 12 }, codes)).rejects.toThrow('codes of 13 bits');
  });

  it('passes over missing entries of a query', async () => {
    const [known, missing] = [rows.values.slice(0, V), rows.values.slice(0, V)];
    known[4] = 0;
    missing[4] = Number.NaN;
    const one = (values: Float32Array): Rows => ({ kind: 'real', n: 1, V, values });
    expect(await likelihoodTables(decoder, one(missing))).toEqual(
      await likelihoodTables(decoder, one(known)),
    );
    await expect(likelihoodTables(decoder, { ...one(known), V: V + 1 })).rejects.toThrow(
      'rows of 31 columns',
    );
  });
});
