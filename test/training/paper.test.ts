import { afterAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/node/index.ts';
import { crossEntropy } from '../../src/losses/cross-entropy.ts';
import { encodingGradient, hallucinatedCorrelations } from '../../src/math/correlations.ts';
import { type Matrix, matrix } from '../../src/math/matrix.ts';
import { correlations } from '../../src/math.ts';
import { fit } from '../../src/model/fit.ts';
import { entry, type Rows, takeRows } from '../../src/rows/rows.ts';
import { permutation } from '../../src/rows/split.ts';
import { gaussians } from '../../src/solvers/gaussians.ts';
import type { Checkpoint } from '../../src/training/checkpoint/checkpoint.ts';
import { PAPER, paperEncode } from '../../src/training/paper-encode.ts';
import { toyRows } from './toy.ts';

const [n, H, epochs, seed] = [40, 3, 2, 1];
const rows = toyRows(n);
const others = toyRows(55, 2);

const engine = await createEngine({ threads: 1 });
afterAll(() => engine.close());

/** A model, and the state that learning ended in. */
async function learned(algorithm: 'paper' | 'paper-text') {
  let end: Checkpoint | undefined;
  const checkpoint = {
    every: Number.POSITIVE_INFINITY,
    async save(taken: Checkpoint) {
      end = taken;
    },
  };
  const model = await fit(rows, { H, epochs, algorithm, seed, checkpoint, engine });
  if (!end) throw new Error('no checkpoint');
  return { model, end };
}

/** One step of Adagrad in float64, with the gradient as the author's program has it. */
function step(z: Matrix, sums: Float64Array, g: Matrix, clip: number): void {
  for (let k = 0; k < z.data.length; k++) {
    sums[k] += g.data[k] ** 2;
    const moved = z.data[k] - (PAPER.rate * g.data[k]) / Math.sqrt(sums[k]);
    z.data[k] = Math.max(-clip, Math.min(moved, clip));
  }
}

function matrixOf(some: Rows): Matrix {
  return matrix(
    some.n,
    some.V,
    Float64Array.from({ length: some.n * some.V }, (_, k) => entry(some, Math.floor(k / some.V), k % some.V)),
  );
}

/**
 * The program's procedure, in plain loops: codes and both accumulators go on, gradients are those of means.
 */
function byHand() {
  const { V } = rows;
  const W = matrix(V, H, gaussians(V * H, seed));
  const E = matrix(n, H, gaussians(n * H, seed + 15_485_863));
  const sums = { E: new Float64Array(n * H).fill(0.1), W: new Float64Array(V * H).fill(0.1) };
  const encode = (X: Matrix, steps: number) => {
    for (let k = 0; k < steps; k++) step(E, sums.E, encodingGradient(crossEntropy, W, E, X), 1);
  };
  for (let t = 1; t <= epochs; t++) {
    const X = matrixOf(takeRows(rows, permutation(n, seed + 104_729 * t)));
    encode(X, 35 * t);
    const B = correlations(X, E);
    for (let k = 0; k < 35 * t; k++) {
      const g = hallucinatedCorrelations(crossEntropy, W, E);
      for (let j = 0; j < g.data.length; j++) g.data[j] -= B.data[j];
      step(W, sums.W, g, Number.POSITIVE_INFINITY);
    }
  }
  return { W, E, encode };
}

const farthest = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((most, value, k) => Math.max(most, Math.abs(value - b[k])), 0);

describe("algorithm 'paper'", () => {
  it("is the procedure of the author's program, from the first step to the codes of new rows", async () => {
    const { model, end } = await learned('paper');
    const { W, E, encode } = byHand();
    // float32 on one side, float64 on the other.
    expect(farthest(model.W, W.data)).toBeLessThan(2e-3);
    expect(farthest(end.arrays.E ?? [], E.data)).toBeLessThan(2e-3);
    const first = takeRows(
      others,
      Array.from({ length: n }, (_, i) => i),
    );
    const losses = await paperEncode(engine, model.W, first, {
      ...{ H, loss: crossEntropy, radius: 1, steps: 50, from: end },
    });
    const X = matrixOf(first);
    encode(X, 50);
    const expected = Array.from({ length: n }, (_, i) => {
      let loss = 0;
      for (let v = 0; v < rows.V; v++) {
        let m = 0;
        for (let h = 0; h < H; h++) m += W.data[v * H + h] * E.data[i * H + h];
        loss += (crossEntropy.psi(m) - X.data[i * rows.V + v] * m) / 2;
      }
      return loss;
    });
    expect(farthest(losses, expected)).toBeLessThan(0.05);
  });

  it('encodes new rows in batches that depend on those before, the last of fewer rows', async () => {
    const { model, end } = await learned('paper');
    const options = { H, loss: crossEntropy, radius: 1, steps: 20, from: end };
    const all = await paperEncode(engine, model.W, others, options);
    expect(all).toHaveLength(55);
    const alone = await paperEncode(
      engine,
      model.W,
      takeRows(
        others,
        Array.from({ length: 15 }, (_, i) => 40 + i),
      ),
      options,
    );
    expect(farthest(alone, all.subarray(40))).toBeGreaterThan(0);
  });
});

describe("algorithm 'paper-text'", () => {
  it('encodes every minibatch, and every batch of new rows, as if it were the first', async () => {
    const { model } = await learned('paper-text');
    expect(model.training.algorithm).toBe('paper-text');
    const options = { H, loss: crossEntropy, radius: 1, steps: 20 };
    const order = Array.from({ length: others.n }, (_, i) => others.n - 1 - i);
    const [there, back] = [
      await paperEncode(engine, model.W, others, options),
      await paperEncode(engine, model.W, takeRows(others, order), options),
    ];
    expect(there).toEqual(back.slice().reverse());
  });
});
