import { crossEntropy } from 'pc-ae';
import { createEngine } from 'pc-ae/node';
import { entry, type Rows } from 'pc-ae/rows';
import { describe, expect, it } from 'vitest';
import { lengthsOf, newtonStep, slopeOf } from '../../src/jobs/newton-step.ts';
import { hessians, packedSize } from '../../src/work/hessians.ts';
import { LENGTHS } from '../../src/work/search.ts';
import { patterns } from '../helpers.ts';

const [V, H, n] = [11, 3, 60];
const width = H + 1;
const number = (k: number) => Math.sin(1 + 7.3 * k);
const W = Float32Array.from({ length: V * width }, (_, k) => number(k));
const E = Float32Array.from({ length: n * width }, (_, k) => (k % width === H ? 1 : number(k + 99)));
const known = new Uint8Array(n * 2).fill(0xef);
const rows = { ...patterns(n, V), known } as Rows;
const score = (i: number, v: number, at: ArrayLike<number> = W) =>
  Array.from({ length: width }, (_, h) => at[v * width + h] * E[i * width + h]).reduce((a, b) => a + b);

/** Sums over all rows in float64: what the engine is held to. */
function oracle(at: ArrayLike<number>) {
  const gradient = new Float64Array(V * width);
  const full = new Float64Array(V * packedSize(width));
  let loss = 0;
  for (let i = 0; i < n; i++) {
    for (let v = 0; v < V; v++) {
      const x = entry(rows, i, v);
      if (Number.isNaN(x)) continue;
      const t = Math.tanh(score(i, v, at) / 2);
      loss += Math.log1p(Math.exp(-x * score(i, v, at)));
      let k = v * packedSize(width);
      for (let h = 0; h < width; h++) {
        gradient[v * width + h] += ((t - x) / 2) * E[i * width + h];
        for (let j = h; j < width; j++) full[k++] += ((1 - t * t) / 4) * E[i * width + h] * E[i * width + j];
      }
    }
  }
  return { gradient, hessians: full.map((sum) => sum / n), loss: loss / n };
}

describe("a shard's Hessians", () => {
  it('are those of the loss, missing entries left out', async () => {
    const engine = await createEngine({ threads: 1, relaxed: false });
    const floats = (values: Float32Array) => {
      const made = engine.floats(values.length);
      made.write(values);
      return made;
    };
    const shape = { V, H, bias: true };
    const at = { block: engine.load(rows), shape, W: floats(W), E: floats(E), loss: crossEntropy };
    const found = await hessians(engine, (length) => engine.floats(length), at, rows);
    oracle(W).hessians.forEach((mean, k) => {
      expect(found[k] / n).toBeCloseTo(mean, 5);
    });
    await engine.close();
  });
});

describe("Newton's step from sums", () => {
  it('lowers the loss of every start as far as slopes say, and ends where the gradient is 0', () => {
    const options = { n, H, ridge: 0.01, width };
    const slope = (at: ArrayLike<number>) => slopeOf(at, oracle(at).gradient, options);
    const along = (at: ArrayLike<number>, d: ArrayLike<number>) => {
      const sums = new Float64Array(V);
      slope(at).forEach((g, k) => {
        sums[Math.floor(k / width)] += g * d[k];
      });
      return sums;
    };
    const objective = (at: ArrayLike<number>) => {
      const size = Array.from(at).reduce((sum, w, k) => sum + (k % width < H ? w * w : 0), 0);
      return oracle(at).loss + (options.ridge / 2) * size;
    };
    let at: Float32Array = W.map((w) => 8 * w);
    for (let round = 0; round < 15; round++) {
      const d = newtonStep(at, oracle(at), options);
      const lengths = [0, ...LENGTHS];
      const slopes = lengths.map((length) =>
        along(
          at.map((w, k) => w + length * d[k]),
          d,
        ),
      );
      const far = lengthsOf(lengths, slopes, V);
      const next = at.map((w, k) => w + far[Math.floor(k / width)] * d[k]);
      expect(objective(next)).toBeLessThan(objective(at) + 1e-6);
      at = next;
    }
    for (const g of slope(at)) expect(g).toBeCloseTo(0, 4);
  });

  it('goes to where a slope is 0, to the last length where it falls on, and nowhere where it does not fall', () => {
    const slopes = [
      [-1, -1, 0],
      [1, -0.5, 1],
      [2, -0.1, 2],
    ];
    expect([...lengthsOf([0, 1, 2], slopes, 3)]).toEqual([0.5, 2, 0]);
  });
});
