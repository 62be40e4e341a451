import { describe, expect, it } from 'vitest';
import {
  certifiedGap,
  crossEntropy,
  dualBound,
  encode,
  encodeAll,
  frankWolfeGap,
  matrix,
  residuals,
  row,
  totalDistortion,
  transposeTimes,
} from '../../src/math.ts';
import { instances } from '../losses/instances.ts';
import { randomMatrices } from './random.ts';

const seeds = [21, 22, 23, 24, 25, 26];

function sample(seed: number) {
  const random = randomMatrices(seed);
  const [V, H] = [9, 1 + (seed % 4)];
  return { random, V, H, W: random.normals(V, H), x: random.box(1, V, 0.9).data };
}

describe.each(instances)('Enc: $loss.name', ({ loss }) => {
  const smooth = Number.isFinite(loss.curvature);

  it.each(seeds)(
    'in the box: proven optimal by its own dual point, and no code tried is better (sample %i)',
    (seed) => {
      const { random, H, W, x } = sample(seed);
      const best = encode(loss, W, x);
      expect(best.z.every((e) => Math.abs(e) <= 1)).toBe(true);
      expect(best.value).toBeCloseTo(totalDistortion(loss, W, best.z, x), 12);
      const gap = certifiedGap(loss, W, best.z, x, { u: best.slopes });
      expect(Math.abs(gap)).toBeLessThan(1e-7);
      for (let k = 0; k < 30; k++) {
        const other = random.box(1, H).data;
        expect(totalDistortion(loss, W, other, x)).toBeGreaterThanOrEqual(best.value - 1e-9);
      }
    },
  );

  it.each(seeds)('for real codes the residual is orthogonal to W (sample %i)', (seed) => {
    const { W, x } = sample(seed);
    const best = encode(loss, W, x, { domain: 'real' });
    const r = best.slopes.map((u, v) => u - x[v]);
    for (const g of transposeTimes(W, r)) expect(g).toBeCloseTo(0, 7);
    expect(best.value).toBeLessThanOrEqual(encode(loss, W, x).value + 1e-9);
  });

  it.each(seeds)(
    'away from the optimum both gaps are upper bounds, the certified one the smaller (sample %i)',
    (seed) => {
      const { random, H, W, x } = sample(seed);
      const best = encode(loss, W, x).value;
      for (let k = 0; k < 20; k++) {
        const e = random.box(1, H).data;
        const truth = (totalDistortion(loss, W, e, x) - best) / 2;
        const certified = certifiedGap(loss, W, e, x);
        expect(certified).toBeGreaterThanOrEqual(truth - 1e-8);
        // At the hallucinated data the dual bound is the Frank-Wolfe bound.
        if (smooth) expect(certified).toBeLessThanOrEqual(frankWolfeGap(loss, W, e, x) + 1e-6);
      }
    },
  );
});

describe('Enc with cross-entropy', () => {
  it.each(seeds)(
    'the residual is orthogonal to W on free coordinates, and pushes outwards on the faces (sample %i)',
    (seed) => {
      const { random, V, H } = sample(seed);
      // Small weights hold many coordinates at the faces of the box.
      const W = matrix(
        V,
        H,
        random.normals(V, H).data.map((w) => w / 3),
      );
      const X = random.bits(6, V);
      const E = encodeAll(crossEntropy, W, X);
      const R = residuals(crossEntropy, W, E, X);
      const free = E.data.filter((e) => Math.abs(e) < 1).length;
      expect(free).toBeGreaterThan(0);
      expect(free).toBeLessThan(E.data.length);
      for (let i = 0; i < X.rows; i++) {
        transposeTimes(W, row(R, i)).forEach((g, h) => {
          const e = row(E, i)[h];
          if (Math.abs(e) < 1) expect(g).toBeCloseTo(0, 9);
          else expect(g * e).toBeLessThanOrEqual(0);
        });
        expect(frankWolfeGap(crossEntropy, W, row(E, i), row(X, i))).toBeCloseTo(0, 8);
      }
    },
  );

  it('the moved dual point makes the gap second-order small', () => {
    const { W, x } = sample(23);
    const e = encode(
      crossEntropy,
      matrix(
        W.rows,
        W.cols,
        W.data.map((w) => 3 * w),
      ),
      x,
    ).z;
    const strong = matrix(
      W.rows,
      W.cols,
      W.data.map((w) => 3 * w),
    );
    const near = e.map((value) => value + 1e-4);
    expect(frankWolfeGap(crossEntropy, strong, near, x)).toBeGreaterThan(1e-4);
    expect(certifiedGap(crossEntropy, strong, near, x)).toBeLessThan(1e-5);
  });

  it('proves a bound for real codes within a radius', () => {
    const { W, x } = sample(22);
    const best = encode(crossEntropy, W, x, { domain: 'real' });
    const radius = 100;
    expect(dualBound(crossEntropy, W, x, best.slopes, radius)).toBeCloseTo(best.value / 2, 7);
    expect(certifiedGap(crossEntropy, W, best.z, x, { radius })).toBeCloseTo(0, 7);
  });

  it('codes do not depend on the order of the data', () => {
    const { random, V, W } = sample(24);
    const X = random.bits(5, V);
    const order = [3, 0, 4, 1, 2];
    const E = encodeAll(crossEntropy, W, X);
    const shuffled = matrix(
      5,
      V,
      order.flatMap((i) => [...row(X, i)]),
    );
    const E2 = encodeAll(crossEntropy, W, shuffled);
    order.forEach((i, k) => {
      expect(row(E2, k)).toEqual(row(E, i));
    });
  });

  it('scores of 1e4 do no harm', () => {
    const { random, V, H } = sample(25);
    const W = matrix(
      V,
      H,
      random.normals(V, H).data.map((w) => 1e4 * w),
    );
    const x = random.bits(1, V).data;
    const best = encode(crossEntropy, W, x);
    expect(Number.isFinite(best.value)).toBe(true);
    expect(certifiedGap(crossEntropy, W, best.z, x)).toBeLessThan(1e-6);
  });

  it('a row that real codes reconstruct perfectly has its minimum at infinity; a ridge brings it back', () => {
    const W = matrix(2, 1, [1, 1]);
    const x = Float64Array.of(1, 1);
    const free = encode(crossEntropy, W, x, { domain: 'real' });
    expect(free.z[0]).toBeGreaterThan(15);
    expect(free.value).toBeLessThan(1e-6);
    const held = encode(crossEntropy, W, x, { domain: 'real', ridge: 1e-3 });
    expect(held.z[0]).toBeLessThan(10);
    expect(held.optimality).toBeLessThan(1e-10);
  });
});
