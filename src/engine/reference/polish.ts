import { choleskySolve } from '../../math/index.ts';
import type { PolishOptions } from '../engine.ts';
import { back, halfResiduals, type Item, lossAt, scores } from './item.ts';

export interface Polished {
  readonly z: Float64Array;
  readonly loss: number;
  readonly gap: number;
}

/**
 * Projected Newton steps on one row until its code, as it is stored in float32, is certified: coordinates that
 * press against the box rest, the others take a damped Newton step, and the best code met is kept.
 */
export function polishItem(item: Item, options: PolishOptions): Polished {
  let best = certify(item, item.z, options.radius);
  let z = best.z;
  for (let step = 0; step < options.steps && best.gap > options.tolerance; step++) {
    const next = newtonStep(item, z, options.radius);
    if (!next) break;
    z = next;
    const certified = certify(item, z, options.radius);
    if (certified.loss <= best.loss || certified.gap <= best.gap) best = certified;
  }
  return best;
}

/** The code rounded to float32 inside the box, its loss, and how much a better one could gain at most. */
function certify(item: Item, z: Float64Array, radius: number): Polished {
  const stored = Float64Array.from(z, (zh, h) =>
    h < item.free ? Math.fround(Math.max(-radius, Math.min(radius, zh))) : zh,
  );
  const m = scores(item, stored);
  const loss = lossAt(item, m);
  let frankWolfe = 0;
  back(item, halfResiduals(item, m)).forEach((g, h) => {
    frankWolfe += g * stored[h] + radius * Math.abs(g);
  });
  // The partial losses of the built-in losses are never negative, so neither is the optimum.
  return { z: stored, loss, gap: Math.max(0, Math.min(frankWolfe, loss)) };
}

function newtonStep(item: Item, z: Float64Array, radius: number): Float64Array | undefined {
  const m = scores(item, z);
  const f = lossAt(item, m);
  const g = back(item, halfResiduals(item, m));
  const moving = Array.from(g.keys()).filter((h) => !(Math.abs(z[h]) >= radius && g[h] * z[h] < 0));
  const curvatures = m.map((value, k) => 0.5 * item.weights[k] * item.loss.psiSecond(value));
  const size = moving.length;
  const hessian = new Float64Array(size * size);
  for (let k = 0; k < item.count; k++) {
    for (let i = 0; i < size; i++) {
      for (let j = 0; j < size; j++) {
        hessian[i * size + j] +=
          curvatures[k] * item.A[k * item.width + moving[i]] * item.A[k * item.width + moving[j]];
      }
    }
  }
  let trace = 0;
  for (let i = 0; i < size; i++) trace += hessian[i * size + i];
  for (let i = 0; i < size; i++) hessian[i * size + i] += 1e-9 * (trace / size) + 1e-12;
  const d = choleskySolve(
    hessian,
    Float64Array.from(moving, (h) => -g[h]),
  );
  if (!d) return undefined;
  for (let a = 1; a > 1e-9; a /= 2) {
    const next = z.slice();
    moving.forEach((h, i) => {
      next[h] = Math.max(-radius, Math.min(radius, z[h] + a * d[i]));
    });
    if (lossAt(item, scores(item, next)) < f) return next;
  }
  return undefined;
}
