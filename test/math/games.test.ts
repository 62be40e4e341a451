import { describe, expect, it } from 'vitest';
import {
  correlations,
  crossEntropy,
  customLoss,
  type Loss,
  type Matrix,
  matrix,
  meanLoss,
  minimaxValue,
  optimalWeights,
  reconstruct,
  relaxedWeights,
  row,
  slack,
  worstCaseBound,
} from '../../src/math.ts';
import { instances } from '../losses/instances.ts';
import { gameValue, worstCase } from './adversary.ts';
import { randomMatrices } from './random.ts';

const seeds = [1, 2, 3, 4, 5, 6];

/** Codes, and correlations that some data with randomised bits realises. */
function game(seed: number) {
  const random = randomMatrices(seed);
  const [n, V, H] = [6 + (seed % 5), 2, 1 + (seed % 3)];
  const E = seed % 2 ? random.box(n, H) : random.bits(n, H);
  const X = random.box(n, V);
  return { random, E, X, B: correlations(X, E) };
}

/** Reconstructions near Y and far from it, all strictly inside (-1, 1) so that every loss is finite. */
function others(random: ReturnType<typeof randomMatrices>, Y: Matrix): Matrix[] {
  const near = [0.3, 0.1, 0.03, 0.01].map((size) => {
    const noise = random.box(Y.rows, Y.cols, size);
    return inside(
      matrix(
        Y.rows,
        Y.cols,
        Y.data.map((y, k) => y + noise.data[k]),
      ),
    );
  });
  return [...near, random.box(Y.rows, Y.cols, 0.9), matrix(Y.rows, Y.cols)];
}

/** Reconstructions by weights a little off: the safest alternatives there are. */
function otherDecoders(loss: Loss, W: Matrix, E: Matrix): Matrix[] {
  return W.data.reduce<Matrix[]>((found, _, k) => {
    for (const off of [-0.05, -0.005, 0.005, 0.05]) {
      const moved = matrix(
        W.rows,
        W.cols,
        W.data.map((w, j) => (j === k ? w + off : w)),
      );
      found.push(inside(reconstruct(loss, moved, E)));
    }
    return found;
  }, []);
}

function inside(Y: Matrix): Matrix {
  return matrix(
    Y.rows,
    Y.cols,
    Y.data.map((y) => Math.max(-0.9999, Math.min(y, 0.9999))),
  );
}

describe.each(instances)('the minimax game: $loss.name', ({ loss }) => {
  it.each(seeds)('Theorem 1: no data does worse, no reconstruction is safer (game %i)', (seed) => {
    const { random, E, X, B } = game(seed);
    const W = optimalWeights(loss, E, B);
    const value = minimaxValue(loss, E, B);
    const Y = reconstruct(loss, W, E);
    expect(worstCase(loss, E, B, Y)).toBeCloseTo(value, 6);
    expect(meanLoss(loss, X, Y)).toBeLessThanOrEqual(value + 1e-9);
    for (const other of [...others(random, Y), ...otherDecoders(loss, W, E)]) {
      expect(worstCase(loss, E, B, other)).toBeGreaterThanOrEqual(value - 1e-7);
    }
  });

  it.each(seeds)(
    'Theorem 1: the value is what a linear program finds without the theorem (game %i)',
    (seed) => {
      const { E, B } = game(seed);
      const Y = inside(reconstruct(loss, optimalWeights(loss, E, B), E));
      expect(gameValue(loss, E, B, Y)).toBeCloseTo(minimaxValue(loss, E, B), 6);
    },
  );

  it.each(seeds)('any weights give a bound that no data exceeds (game %i)', (seed) => {
    const { random, E, B } = game(seed);
    const W = random.normals(B.rows, B.cols);
    const eps = Float64Array.from([0, 0.1]);
    expect(worstCase(loss, E, B, reconstruct(loss, W, E), eps)).toBeLessThanOrEqual(
      worstCaseBound(loss, E, B, W, eps) + 1e-7,
    );
  });

  it.each(seeds)('the L_inf theorem: the same with correlations to within eps (game %i)', (seed) => {
    const { random, E, B } = game(seed);
    const eps = Float64Array.from([0.02, 0.15]);
    const W = relaxedWeights(loss, E, B, eps);
    const value = worstCaseBound(loss, E, B, W, eps);
    const Y = reconstruct(loss, W, E);
    expect(worstCase(loss, E, B, Y, eps)).toBeCloseTo(value, 6);
    expect(value).toBeGreaterThanOrEqual(minimaxValue(loss, E, B) - 1e-9);
    for (const other of [...others(random, Y), ...otherDecoders(loss, W, E)]) {
      expect(worstCase(loss, E, B, other, eps)).toBeGreaterThanOrEqual(value - 1e-7);
    }
  });
});

describe('what the theorem needs', () => {
  it('holds without a convex Psi, when the slack is minimised globally', () => {
    const loss = customLoss({
      name: 'roots',
      plus: (y) => Math.sqrt((1 - y) / 2),
      minus: (y) => Math.sqrt((1 + y) / 2),
      allowNonConvexPsi: true,
    });
    for (const seed of seeds) {
      const random = randomMatrices(seed);
      const E = random.box(7, 1);
      const B = correlations(random.box(7, 1), E);
      // One weight: scan it, coarsely and then around the best.
      let best = Float64Array.of(0);
      for (const [step, reach] of [
        [0.02, 60],
        [0.0002, 0.02],
      ]) {
        const centre = best[0];
        for (let w = centre - reach; w <= centre + reach; w += step) {
          const tried = Float64Array.of(w);
          if (slack(loss, E, tried, row(B, 0)) < slack(loss, E, best, row(B, 0))) best = tried;
        }
      }
      const value = slack(loss, E, best, row(B, 0)) / 2;
      const Y = reconstruct(loss, matrix(1, 1, best), E);
      expect(worstCase(loss, E, B, Y)).toBeLessThanOrEqual(value + 1e-3);
      for (const other of [...others(random, Y), ...Array.from({ length: 40 }, () => random.bits(7, 1))]) {
        expect(worstCase(loss, E, B, other)).toBeGreaterThanOrEqual(value - 1e-3);
      }
    }
  });

  it('the relaxed penalty removes weights exactly, all of them once eps covers every correlation', () => {
    const { E, B } = game(4);
    const widest = Math.max(...B.data.map(Math.abs));
    const W = relaxedWeights(crossEntropy, E, B, new Float64Array(B.rows).fill(widest));
    expect([...W.data].every((w) => w === 0)).toBe(true);
  });

  it('no relaxation is the plain game', () => {
    const { E, B } = game(5);
    const plain = optimalWeights(crossEntropy, E, B);
    const relaxed = relaxedWeights(crossEntropy, E, B, new Float64Array(B.rows));
    plain.data.forEach((w, k) => {
      expect(relaxed.data[k]).toBeCloseTo(w, 6);
    });
  });
});
