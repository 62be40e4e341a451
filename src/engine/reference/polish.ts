import { type SizedSet, sized } from '../../encodings/sized.ts';
import { dot } from '../../math/matrix.ts';
import { sum } from '../../rows/sum.ts';
import type { PolishOptions } from '../proofs.ts';
import { hessianAt, type Item, lossAt, scores } from './item.ts';
import { minimiseQuadratic } from './quadratic.ts';
import { fastLoss, type Wells, wellsOf } from './wells.ts';

interface Polished {
  readonly z: Float64Array;
  readonly loss: number;
  readonly gap: number;
}

/**
 * Newton steps on one row, for any loss and any convex set of codes, until its code, as it is stored in
 * float32, is certified. A step goes to the smallest value in the set of the quadratic that touches the
 * objective, as far as that lowers it. Where Psi has kinks the objective is an envelope of it that comes
 * closer whenever the steps have nothing left to gain.
 *
 * What is proven does not depend on how the code was found: every u in [-1, 1] gives the lower bound
 *
 *     - sum_k t_k Psi*(u_k) + min over e in the set of e . A^T (t (u - x)),        t_k = weight_k / 2
 *
 * (see certificates in docs/mathematics.md), and u is taken from the slopes at the code before it is rounded.
 */
export function polishItem(given: Item, options: PolishOptions): Polished {
  const item = { ...given, loss: fastLoss(given.loss) };
  const set = sized(options.set, options.radius);
  const rough = !Number.isFinite(item.loss.curvature);
  let width = rough ? WIDEST : 0;
  let wells = wellsOf(item.loss, width);
  let at = look(item, wells, inside(item, set, item.z));
  const best = { z: item.z, loss: Number.POSITIVE_INFINITY, bound: leastLoss(item) };
  const certified = () => {
    const z = inside(item, set, at.z);
    const stored = z.map((value, h) => (h < item.free ? Math.fround(value) : value));
    const loss = lossAt(item, scores(item, stored));
    if (loss < best.loss) Object.assign(best, { z: stored, loss });
    best.bound = Math.max(best.bound, lowerBound(item, set, at));
    return best.loss - best.bound <= options.tolerance;
  };
  if (!certified()) {
    let damping = DAMPING;
    const steps = rough ? ROUGH * options.steps : options.steps;
    for (let step = 0; step < steps; step++) {
      const d = newtonStep(item, set, at, damping, options.tolerance);
      const promised = -0.5 * dot(at.g, d);
      if (promised <= WORTHWHILE * options.tolerance && certified()) break;
      const narrower = rough && width > NARROWEST;
      const least = narrower ? LITTLE * options.tolerance : ROUNDING * (1 + Math.abs(at.f));
      const next = promised > least ? descend(item, wells, at, d) : undefined;
      if (next) {
        at = next;
        damping = Math.max(DAMPING, damping / 100);
      } else if (narrower) {
        width /= NARROWING;
        wells = wellsOf(item.loss, width);
        at = look(item, wells, at.z);
      } else if (damping < 1) {
        damping *= 1000;
      } else break;
    }
    certified();
  }
  return { z: best.z, loss: best.loss, gap: Math.max(0, best.loss - best.bound) };
}

/** Each envelope takes steps of its own: so many times as many are allowed where there are kinks. */
const ROUGH = 2;
/** Widths of envelopes: the first, the last, and the factor between them. */
const WIDEST = 0.25;
const NARROWEST = 1e-6;
const NARROWING = 4;
/** Share of the Hessian's mean diagonal that is added to it, at least. */
const DAMPING = 1e-9;
/** The certificate is worth its price when Newton's step promises at most so many tolerances. */
const WORTHWHILE = 3;
/** Tolerances that are nothing left to gain on an envelope; what float64 cannot tell from nothing. */
const LITTLE = 1e-4;
const ROUNDING = 1e-14;

/** A code, and what the objective looks like there. */
interface Place {
  readonly z: Float64Array;
  readonly m: Float64Array;
  readonly u: Float64Array;
  readonly bends: Float64Array;
  /** On the free coordinates, and on those that do not move. */
  readonly g: Float64Array;
  readonly held: Float64Array;
  readonly f: number;
}

function look(item: Item, wells: Wells, z: Float64Array): Place {
  const { count, width, free, A, x, weights } = item;
  const m = scores(item, z);
  const u = new Float64Array(count);
  const bends = new Float64Array(count);
  const slope = new Float64Array(width);
  let f = 0;
  for (let k = 0; k < count; k++) {
    const t = 0.5 * weights[k];
    if (t === 0) continue;
    const base = wells.base(m[k]);
    u[k] = Math.max(-1, Math.min(1, wells.slope(m[k], base)));
    bends[k] = t * wells.bend(m[k], base);
    f += t * (wells.value(m[k], base) - x[k] * m[k]);
    const r = t * (u[k] - x[k]);
    for (let h = 0; h < width; h++) slope[h] += A[k * width + h] * r;
  }
  return { z, m, u, bends, g: slope.slice(0, free), held: slope.slice(free), f };
}

/** Codes between float32 numbers may leave the set by their rounding. */
function inside(item: Item, set: SizedSet, z: Float64Array): Float64Array {
  const free = z.slice(0, item.free);
  set.project(free);
  const out = z.slice();
  out.set(free);
  return out;
}

/**
 * What the best reconstruction costs: 0 with the built-in losses, less than that with some of a user's own.
 */
function leastLoss({ loss, weights }: Item): number {
  const least = Math.min(loss.plus(1), loss.minus(-1));
  return least * sum(weights);
}

function lowerBound(item: Item, set: SizedSet, at: Place): number {
  let bound = 0;
  for (let k = 0; k < item.count; k++) {
    if (item.weights[k] !== 0) bound -= 0.5 * item.weights[k] * item.loss.conjugate(at.u[k]);
  }
  for (let h = item.free; h < item.width; h++) bound += at.held[h - item.free] * at.z[h];
  const e = at.z.slice(0, item.free);
  return bound + dot(at.g, e) - set.gap(at.g, e);
}

function newtonStep(item: Item, set: SizedSet, at: Place, damping: number, tolerance: number): Float64Array {
  const { free } = item;
  const S = hessianAt(item, at.bends);
  let trace = 0;
  for (let i = 0; i < free; i++) trace += S[i * free + i];
  const more = damping * (trace / free) + 1e-12;
  for (let i = 0; i < free; i++) S[i * free + i] += more;
  return minimiseQuadratic(S, at.g, at.z.slice(0, free), set, 1e-3 * tolerance);
}

/** The longest of the steps 1, 1/2, 1/4 ... along d that lowers the objective as its slope promises. */
function descend(item: Item, wells: Wells, at: Place, d: Float64Array): Place | undefined {
  const slope = dot(at.g, d);
  const padded = new Float64Array(item.width);
  padded.set(d);
  const change = scores(item, padded);
  for (let a = 1; a > 1e-9; a /= 2) {
    let f = 0;
    for (let k = 0; k < item.count; k++) {
      const m = at.m[k] + a * change[k];
      if (item.weights[k] === 0) continue;
      f += 0.5 * item.weights[k] * (wells.value(m, wells.base(m)) - item.x[k] * m);
    }
    if (f < at.f && f <= at.f + 1e-4 * a * slope) {
      return look(
        item,
        wells,
        at.z.map((value, h) => value + a * padded[h]),
      );
    }
  }
  return undefined;
}
