import type { Context } from '../protocol.ts';
import { fitted } from './axes.ts';
import type { Neighbours } from './neighbours.ts';

/**
 * UMAP (McInnes, Healy and Melville 2018) from a graph of exact neighbours: weights that fall with the distance beyond the
 * nearest neighbour, made symmetric, then attraction along edges and repulsion from points drawn at random. It starts from
 * the principal axes and takes its random numbers from one stream, so that the same codes give the same map.
 */
export async function umap(
  start: Float32Array,
  graph: Neighbours,
  { signal, tell }: Context<number>,
): Promise<Float32Array> {
  const points = start.map((x) => 10 * x);
  const edges = edgesOf(graph);
  const epochs = edges.from.length > 300_000 ? 120 : 250;
  const random = stream(1);
  for (let epoch = 0; epoch < epochs; epoch++) {
    signal.throwIfAborted();
    pass(points, edges, 1 - epoch / epochs, random);
    tell((epoch + 1) / epochs);
    await new Promise((resolve) => setTimeout(resolve));
  }
  return fitted(points);
}

/** The curve 1 / (1 + a d^(2b)) that fits a least distance of 0.1. */
const [A, B] = [1.577, 0.895];
const NEGATIVES = 5;

interface Edges {
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  /** Within (0, 1], the heaviest 1. */
  readonly weights: Float32Array;
}

function edgesOf({ k, indices, distances }: Neighbours): Edges {
  const n = indices.length / k;
  const directed = new Float32Array(indices.length);
  for (let i = 0; i < n; i++) {
    const near = distances.subarray(i * k, (i + 1) * k);
    const rho = near.find((d) => d > 0) ?? 0;
    const sigma = bandwidth(near, rho);
    for (let j = 0; j < k; j++) directed[i * k + j] = Math.exp(-Math.max(0, near[j] - rho) / sigma);
  }
  const weights = new Float32Array(indices.length);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < k; j++) {
      const at = i * k + j;
      const other = indices[at];
      const back = indices.subarray(other * k, (other + 1) * k).indexOf(i);
      const [a, b] = [directed[at], back < 0 ? 0 : directed[other * k + back]];
      weights[at] = a + b - a * b;
    }
  }
  return { from: Uint32Array.from(indices, (_, at) => Math.floor(at / k)), to: indices, weights };
}

/** The width at which the weights of the neighbours sum to log2 k. */
function bandwidth(near: Uint32Array, rho: number): number {
  const goal = Math.log2(near.length);
  let [low, high, sigma] = [0, Number.POSITIVE_INFINITY, 1];
  for (let step = 0; step < 32; step++) {
    let sum = 0;
    for (const d of near) sum += Math.exp(-Math.max(0, d - rho) / sigma);
    if (sum > goal) high = sigma;
    else low = sigma;
    sigma = high === Number.POSITIVE_INFINITY ? 2 * sigma : (low + high) / 2;
  }
  return Math.max(sigma, 1e-3);
}

function pass(points: Float32Array, edges: Edges, rate: number, random: () => number): void {
  const n = points.length / 2;
  const { from, to, weights } = edges;
  for (let e = 0; e < from.length; e++) {
    if (random() > weights[e]) continue;
    const [i, j] = [2 * from[e], 2 * to[e]];
    const dx = points[i] - points[j];
    const dy = points[i + 1] - points[j + 1];
    const d = dx * dx + dy * dy;
    if (d > 0) {
      const pull = (-2 * A * B * d ** (B - 1)) / (1 + A * d ** B);
      const [px, py] = [rate * clipped(pull * dx), rate * clipped(pull * dy)];
      points[i] += px;
      points[i + 1] += py;
      points[j] -= px;
      points[j + 1] -= py;
    }
    for (let m = 0; m < NEGATIVES; m++) {
      const other = 2 * Math.floor(random() * n);
      if (other === i) continue;
      const x = points[i] - points[other];
      const y = points[i + 1] - points[other + 1];
      const r = x * x + y * y;
      const push = (2 * B) / ((0.001 + r) * (1 + A * r ** B));
      points[i] += rate * (r > 0 ? clipped(push * x) : 4);
      points[i + 1] += rate * (r > 0 ? clipped(push * y) : 4);
    }
  }
}

function clipped(x: number): number {
  return Math.max(-4, Math.min(4, x));
}

/** Numbers in [0, 1) from a 32-bit state (Marsaglia's xorshift). */
function stream(seed: number): () => number {
  let x = (seed * 2654435769) >>> 0 || 1;
  return () => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return (x >>> 0) / 2 ** 32;
  };
}
