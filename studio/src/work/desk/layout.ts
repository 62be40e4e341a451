import { permutation } from 'pc-ae/rows';
import type { Context } from '../protocol.ts';
import { fitted } from './axes.ts';
import { countable, type Neighbours, nearestAmong, neighboursOf, pick } from './neighbours.ts';
import { umap } from './umap.ts';

/** Rows that are laid out by UMAP itself; the search for neighbours grows with the square of them. */
const MOST_LAID_OUT = 20_000;
const NEIGHBOURS = 15;
/** Rows laid out among which each of the others is placed. */
const GUIDES = 5;

/**
 * A map by neighbourhood (n x 2), from codes and their principal axes, and how many rows UMAP itself laid
 * out.
 */
export async function layOut(
  codes: Float32Array,
  H: number,
  axes: Float32Array,
  { signal, tell }: Context<number>,
  most = MOST_LAID_OUT,
): Promise<{ points: Float32Array; laidOut: number }> {
  const n = codes.length / H;
  const part = (from: number, to: number) => ({
    signal,
    tell: (share: number) => tell(from + (to - from) * share),
  });
  const packed = countable(codes, H);
  if (n <= most) {
    const graph = await neighboursOf(packed, NEIGHBOURS, part(0, 0.4));
    return { points: fitted(await umap(axes, graph, part(0.4, 1))), laidOut: n };
  }
  const chosen = permutation(n, 1).slice(0, most).sort();
  const base = pick(packed, chosen);
  const graph = await neighboursOf(base, NEIGHBOURS, part(0, 0.2));
  const start = Float32Array.from({ length: 2 * most }, (_, k) => axes[2 * chosen[k >> 1] + (k & 1)]);
  const laid = await umap(start, graph, part(0.2, 0.5));
  const guides = await nearestAmong(base, packed, GUIDES, part(0.5, 1));
  const points = placed(laid, guides);
  for (let k = 0; k < most; k++) points.set(laid.subarray(2 * k, 2 * k + 2), 2 * chosen[k]);
  return { points: fitted(points), laidOut: most };
}

/** Each row among those that it is nearest to, the nearer the more. */
function placed(laid: Float32Array, { k, indices, distances }: Neighbours): Float32Array {
  const points = new Float32Array((2 * indices.length) / k);
  for (let i = 0; i < points.length / 2; i++) {
    let [x, y, sum] = [0, 0, 0];
    for (let at = i * k; at < (i + 1) * k; at++) {
      const weight = 1 / (1 + distances[at] - distances[i * k]);
      x += weight * laid[2 * indices[at]];
      y += weight * laid[2 * indices[at] + 1];
      sum += weight;
    }
    points[2 * i] = x / sum;
    points[2 * i + 1] = y / sum;
  }
  return points;
}
