import { type Block, type Engine, type Floats, floatsOf, type Shape, widthOf } from '../../engine/engine.ts';
import { inverseHessian } from '../../engine/mean-hessian.ts';
import { crossEntropy } from '../../losses/cross-entropy.ts';
import { withBias, withoutBias } from '../../solvers/codes.ts';
import { TYPICAL_CURVATURE } from '../minibatch.ts';

/**
 * The convex problems of learning a stack (Sec. 4.1, last paragraph). With activations A_0 = X, A_1, ..., A_L
 * in [-1, 1] and weights W_k from layer k to layer k - 1, they minimise one objective in turns,
 *
 *     J = L(W_1, A_1; X) + coupling * sum_{k > 1} [ L(W_k, A_k; A_{k-1}) - (entropy of A_{k-1}) ]
 *
 * where L is the loss of Eq. (4). Its data term is linear in the data, so J is convex in each W_k and in each
 * A_k. The entropy is what no decoder could save, -Psi*(a) / 2 a number: without it activations would be
 * driven to -1 and 1 only to be certain. The bracket is then a divergence, 0 where A_{k-1} is what layer k
 * decodes to, and as `coupling` grows J becomes the loss of rows decoded from the topmost codes alone.
 */
export interface Layer {
  /** Where it is. */
  readonly engine: Engine;
  readonly shape: Shape;
  /** V x (H + 1), the bias in the last column. */
  readonly W: Floats;
}

/** A layer's activations as rows for the layer above: a block of real values. */
export function asBlock({ engine, shape: { H } }: Layer, A: Float32Array): Block {
  return engine.load({ kind: 'real', n: A.length / H, V: H, values: A });
}

/** Codes n x H as the engine keeps them, with the bias unit's constant. */
function asCodes({ engine, shape }: Layer, A: Float32Array): Floats {
  return floatsOf(engine, withBias(A, shape.H, widthOf(shape)));
}

/** The scores of the layer below, n x V, or their reconstructions. */
export async function decodeLayer(layer: Layer, A: Float32Array, what: 'scores' | 'transfer') {
  const { engine, shape, W } = layer;
  const E = asCodes(layer, A);
  const out = await engine.decode({ W, E, shape, loss: crossEntropy }, what);
  E.free();
  return out;
}

/** Topmost activations given those below: the encoding of Prop. 2 in the box, from the present ones. */
export async function encodeTop(layer: Layer, block: Block, A: Float32Array, steps: number) {
  const { engine, shape, W } = layer;
  const width = widthOf(shape);
  const weights = engine.floats(shape.V);
  weights.fill(TYPICAL_CURVATURE);
  const inverse = floatsOf(
    engine,
    inverseHessian(await engine.gram(W, shape.V, width, weights), width, shape.H, 1e-6),
  );
  const E = asCodes(layer, A);
  const at = { block, shape, W, E, loss: crossEntropy };
  await engine.solve('codes', at, { steps, tolerance: 1e-5, inverseHessian: inverse, ridge: 0, radius: 1 });
  const out = withoutBias(await E.read(), shape.H, width);
  for (const used of [weights, inverse, E]) used.free();
  return out;
}

/**
 * Activations between two layers: argmin over a of L(W, a; x) + (coupling / 2) sum_h [ Psi*(a_h) - a_h m_h ],
 * with `block` the layer below and m the scores that the layer above gives a. Uses accelerated proximal
 * gradients; a step that would raise a row's objective is taken back. The barrier Psi* keeps a inside (-1,
 * 1).
 */
export async function settleBetween(
  layer: Layer,
  block: Block,
  A: Float32Array,
  m: Float32Array,
  options: { readonly coupling: number; readonly steps: number },
): Promise<Float32Array> {
  const { engine, shape, W } = layer;
  const { H } = shape;
  const width = widthOf(shape);
  const { n } = block;
  const length = 1 / ((await largestCurvature(layer)) + 1e-12);
  const [codes, weights, losses] = [n * width, shape.V * width, n].map((size) => engine.floats(size));
  const pull = 0.5 * options.coupling;
  const look = async (at: Float32Array) => {
    const E = asCodes(layer, at);
    await engine.gradients({ block, shape, W, E, loss: crossEntropy }, { codes, weights, losses });
    E.free();
    const value = Float64Array.from(await losses.read());
    for (let k = 0; k < at.length; k++) {
      value[Math.floor(k / H)] += pull * (crossEntropy.conjugate(at[k]) - at[k] * m[k]);
    }
    return { value, slope: withoutBias(await codes.read(), H, width) };
  };
  let best = A.map((a) => Math.max(-EDGE, Math.min(EDGE, a)));
  let { value: bestValue, slope } = await look(best);
  let ahead = best;
  let momentum = 1;
  for (let step = 0; step < options.steps; step++) {
    const next = ahead.map((a, k) => proximal(a - length * slope[k], length * pull, m[k], a));
    const { value } = await look(next);
    const faster = (1 + Math.sqrt(1 + 4 * momentum * momentum)) / 2;
    const kept = best.slice();
    for (let i = 0; i < n; i++) {
      if (value[i] <= bestValue[i]) kept.set(next.subarray(i * H, (i + 1) * H), i * H);
    }
    ahead = kept.map((a, k) => {
      const moved = a + (momentum / faster) * (next[k] - a) + ((momentum - 1) / faster) * (a - best[k]);
      return Math.max(-EDGE, Math.min(EDGE, moved));
    });
    bestValue = bestValue.map((before, i) => Math.min(before, value[i]));
    best = kept;
    momentum = faster;
    if (step + 1 < options.steps) ({ slope } = await look(ahead));
  }
  for (const used of [codes, weights, losses]) used.free();
  return best;
}

/** The largest activation, which float32 can still distinguish from 1. */
const EDGE = 0.9999;

/**
 * argmin over a of (a - target)^2 / 2 + pull (Psi*(a) - a m). With a = tanh(s / 2) it solves
 *
 *     a + pull (s - m) = target.
 */
function proximal(target: number, pull: number, m: number, start: number): number {
  let a = Math.max(-EDGE, Math.min(EDGE, start));
  let s = Math.log((1 + a) / (1 - a));
  for (let round = 0; round < 20; round++) {
    a = Math.tanh(s / 2);
    const off = a + pull * (s - m) - target;
    const change = off / (0.5 * (1 - a * a) + pull);
    // A flat tanh would throw s far away; halving the way out is enough, since the function rises everywhere.
    s -= Math.max(-2, Math.min(2, change));
    if (Math.abs(change) < 1e-7) break;
  }
  return Math.max(-EDGE, Math.min(EDGE, Math.tanh(s / 2)));
}

/** Weights of a layer given both sides: a few steps on every bit's slack (Thm. 1). */
export async function fitLayer(
  layer: Layer,
  block: Block,
  A: Float32Array,
  options: { readonly steps: number; readonly ridge: number },
): Promise<void> {
  const { engine, shape, W } = layer;
  const width = widthOf(shape);
  const { n } = block;
  const E = asCodes(layer, A);
  const gram = (await engine.gram(E, n, width)).map((sum) => (TYPICAL_CURVATURE * sum) / n);
  const inverse = floatsOf(engine, inverseHessian(gram, width, width, options.ridge));
  const at = { block, shape, W, E, loss: crossEntropy };
  await engine.solve('weights', at, { ...options, tolerance: 1e-9, inverseHessian: inverse });
  E.free();
  inverse.free();
}

/** The losses of the rows below a layer at the present activations. */
export async function layerLosses(layer: Layer, block: Block, A: Float32Array): Promise<Float32Array> {
  const { engine, shape, W } = layer;
  const E = asCodes(layer, A);
  const losses = engine.floats(block.n);
  await engine.measure({ block, shape, W, E, loss: crossEntropy }, { losses });
  const out = await losses.read();
  E.free();
  losses.free();
  return out;
}

/** The largest eigenvalue of W^T W / 4 on the units that move: Psi''/2 is at most 1/4. */
async function largestCurvature({ engine, shape, W }: Layer): Promise<number> {
  const width = widthOf(shape);
  const gram = await engine.gram(W, shape.V, width);
  let v = new Float64Array(shape.H).fill(1);
  let norm = 0;
  for (let round = 0; round < 50; round++) {
    const next = new Float64Array(shape.H);
    for (let i = 0; i < shape.H; i++) {
      for (let j = 0; j < shape.H; j++) next[i] += gram[i * width + j] * v[j];
    }
    norm = Math.hypot(...next);
    if (!(norm > 0)) return 0;
    v = next.map((value) => value / norm);
  }
  return 0.26 * norm;
}
