import type { Probing } from '../true-bits.ts';
import { flipItem } from './flip.ts';
import { back, halfResiduals, type Item, lossAt, scores } from './item.ts';

/**
 * A better code of bits than `code` for one row, by tabu search on quadratic models of its loss: the first
 * around `centre`, the others around the code that the one before led to.
 */
export function probeItem(
  item: Item,
  centre: Float64Array,
  code: Float64Array,
  probing: Probing,
  sweeps: number,
): Float64Array {
  let found = code;
  let around = centre;
  for (let k = 0; k < probing.expansions; k++) {
    let best = found;
    let least = lossAt(item, scores(item, found));
    for (const proposed of proposals(item, around, found, probing)) {
      const f = lossAt(item, scores(item, proposed));
      if (f < least) [best, least] = [proposed, f];
    }
    found = flipItem({ ...item, z: best }, { sweeps, pairs: false });
    around = found;
  }
  return found;
}

/** Scores at which curvatures are taken are shrunk by this: about their mean over the codes around. */
const SHRINK = 0.7;

/** The best code of each stretch of a tabu search on the model around the centre. */
function proposals(item: Item, centre: Float64Array, code: Float64Array, probing: Probing): Float64Array[] {
  const { free: H } = item;
  const { g, Q } = expand(item, centre);
  const e = code.slice();
  const r = g.map((gh, h) => {
    let sum = gh;
    for (let k = 0; k < H; k++) sum += Q[h * H + k] * (e[k] - centre[k]);
    return sum;
  });
  let q = 0;
  for (let h = 0; h < H; h++) q += 0.5 * (g[h] + r[h]) * (e[h] - centre[h]);
  let least = q;
  const until = new Float64Array(H);
  let random = 1;
  let step = 0;
  const found: Float64Array[] = [];
  for (let stretch = 0; stretch < probing.stretches; stretch++) {
    let best = { q: Number.POSITIVE_INFINITY, e };
    for (const last = step + probing.steps; step < last; step++) {
      let chosen = -1;
      let change = Number.POSITIVE_INFINITY;
      for (let h = 0; h < H; h++) {
        const by = 2 * Q[h * H + h] - 2 * e[h] * r[h];
        if ((until[h] <= step || q + by < least - 1e-4) && by < change) [chosen, change] = [h, by];
      }
      if (chosen < 0) continue;
      for (let h = 0; h < H; h++) r[h] -= 2 * e[chosen] * Q[chosen * H + h];
      e[chosen] = -e[chosen];
      random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
      until[chosen] = step + 1 + Math.min((H >> 3) + (random >>> 30), H >> 1);
      q += change;
      if (q < best.q) best = { q, e: e.slice() };
      least = Math.min(least, q);
    }
    found.push(best.e.slice());
  }
  return found;
}

/** Gradient of the loss at the centre, and A^T diag(curvature) A (H x H) at its shrunk scores. */
function expand(item: Item, centre: Float64Array): { g: Float64Array; Q: Float64Array } {
  const { A, width, free: H, count, weights, loss } = item;
  const m = scores(item, centre);
  const Q = new Float64Array(H * H);
  for (let k = 0; k < count; k++) {
    const bend = 0.5 * SHRINK * weights[k] * loss.psiSecond(SHRINK * m[k]);
    if (bend === 0) continue;
    for (let h = 0; h < H; h++) {
      for (let i = 0; i < H; i++) Q[h * H + i] += bend * A[k * width + h] * A[k * width + i];
    }
  }
  return { g: back(item, halfResiduals(item, m)), Q };
}
