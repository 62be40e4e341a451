import { describe, expect, it } from 'vitest';
import { packCodes, reorderCodes } from '../../src/bits/pack.ts';
import { crossEntropy } from '../../src/losses/cross-entropy.ts';
import type { Rows } from '../../src/rows/rows.ts';
import { leastTen, likelihoodTemperature } from '../../src/search/temperature.ts';
import { gaussians } from '../../src/solvers/gaussians.ts';

const [V, H, n] = [30, 13, 160];
const W = Float32Array.from(gaussians(V * (H + 1), 1));
const decoder = { V, H, bias: true, W, reconstructionLoss: crossEntropy };
const E = Float32Array.from(gaussians(n * H, 2), (x) => (x < 0 ? -1 : 1));
const codes = packCodes(E, { n, H }, 'lsb');

/** Rows that codes say something about: the signs of their scores, some of them changed. */
const values = Float32Array.from(gaussians(n * V, 3), (noise, at) => {
  const [i, v] = [Math.floor(at / V), at % V];
  let m = W[v * (H + 1) + H];
  for (let h = 0; h < H; h++) m += W[v * (H + 1) + h] * E[i * H + h];
  return m + 2 * noise < 0 ? -1 : 1;
});
const rows: Rows = { kind: 'real', n, V, values };

describe('likelihoodTemperature', () => {
  it('finds a temperature at which codes find neighbours, the same for both orders of bits', async () => {
    const chosen = await likelihoodTemperature(decoder, rows, codes);
    expect(chosen.temperature).toBeGreaterThan(0);
    expect(chosen.recall).toBeGreaterThan(0.3);
    expect(await likelihoodTemperature(decoder, rows, reorderCodes(codes, 'msb'))).toEqual(chosen);
  });

  it('seeks the neighbours of rows that were held out, which need no codes', async () => {
    const queries: Rows = { kind: 'real', n: 7, V, values: values.slice(0, 7 * V) };
    const { recall } = await likelihoodTemperature(decoder, rows, codes, { queries });
    // Each query is among the rows, and nearest to itself.
    expect(recall).toBeGreaterThan(0.3);
  });

  it('knows neighbours by the ones they share', async () => {
    const chosen = await likelihoodTemperature(decoder, rows, codes, { metric: 'tanimoto' });
    expect(chosen.recall).toBeGreaterThan(0.3);
  });

  it('takes rows with missing entries, and too few rows', async () => {
    const holes = values.map((x, i) => (i % 5 === 0 ? Number.NaN : x));
    const { recall } = await likelihoodTemperature(decoder, { ...rows, values: holes } as Rows, codes);
    expect(recall).toBeGreaterThan(0.2);
    const one = { ...rows, n: 1, values: values.slice(0, V) } as Rows;
    const code = { ...codes, n: 1, bytes: codes.bytes.slice(0, 2) };
    expect(await likelihoodTemperature(decoder, one, code)).toEqual({ temperature: 1, recall: 0 });
    await expect(likelihoodTemperature(decoder, one, codes)).rejects.toThrow('one for each of 1 row');
  });
});

describe('leastTen', () => {
  it('is what sorting gives, the first of equals first', () => {
    const costs = Array.from(gaussians(300, 5), (x) => Math.round(3 * x));
    const sorted = costs.map((_, i) => i).sort((a, b) => costs[a] - costs[b] || a - b);
    expect(leastTen(costs)).toEqual(sorted.slice(0, 10));
    expect(leastTen([2, 1])).toEqual([1, 0]);
  });
});
