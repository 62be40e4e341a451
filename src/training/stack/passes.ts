import type { Block } from '../../engine/engine.ts';
import type { Layer } from './stack.ts';
import { asBlock, decodeLayer, encodeTop, fitLayer, layerLosses, settleBetween } from './stack.ts';

/**
 * Passes through all layers of a stack, each a sequence of the convex problems of `stack.ts`: backward
 * settles the activations, forward the weights.
 */

/** Steps on activations and on weights in a pass; each pass starts from the one before. */
const BETWEEN_STEPS = 10;
const TOP_STEPS = 10;
const WEIGHT_STEPS = 6;

/** Computes activations from below: every layer's codes as if no layer were above. */
export async function climb(layers: readonly Layer[], block: Block): Promise<Float32Array[]> {
  const A: Float32Array[] = [];
  let below = block;
  for (const layer of layers) {
    const zero = new Float32Array(block.n * layer.shape.H);
    A.push(await encodeTop(layer, below, zero, 2 * TOP_STEPS));
    if (below !== block) below.free();
    below = asBlock(layer, A[A.length - 1]);
  }
  below.free();
  return A;
}

/** Activations given the weights, from the topmost layer down. */
export async function backward(
  layers: readonly Layer[],
  block: Block,
  A: readonly Float32Array[],
  coupling: number,
): Promise<Float32Array[]> {
  const out = [...A];
  for (let k = layers.length - 1; k >= 0; k--) {
    const below = k === 0 ? block : asBlock(layers[k - 1], out[k - 1]);
    if (k === layers.length - 1) out[k] = await encodeTop(layers[k], below, out[k], TOP_STEPS);
    else {
      const m = await decodeLayer(layers[k + 1], out[k + 1], 'scores');
      // Between two layers of the same coupling, only the lowest layer's loss counts for 1.
      const options = { coupling: k === 0 ? coupling : 1, steps: BETWEEN_STEPS };
      out[k] = await settleBetween(layers[k], below, out[k], m, options);
    }
    if (k > 0) below.free();
  }
  return out;
}

/**
 * Fits the weights to the activations. The lowest layer is fitted to the decoded activations, which is what
 * it will decode later.
 */
export async function forward(
  layers: readonly Layer[],
  block: Block,
  A: readonly Float32Array[],
  ridge: number,
): Promise<void> {
  let above = A[layers.length - 1];
  for (let k = layers.length - 1; k >= 0; k--) {
    const below = k === 0 ? block : asBlock(layers[k - 1], A[k - 1]);
    await fitLayer(layers[k], below, above, { steps: WEIGHT_STEPS, ridge });
    above = k > 0 ? await decodeLayer(layers[k], above, 'transfer') : above;
    if (k > 0) below.free();
  }
}

/** The loss of each row decoded from the topmost activations alone. */
export async function deepLosses(
  layers: readonly Layer[],
  block: Block,
  codes: Float32Array,
): Promise<Float32Array> {
  let A = codes;
  for (const layer of layers.slice(1).reverse()) A = await decodeLayer(layer, A, 'transfer');
  return layerLosses(layers[0], block, A);
}
