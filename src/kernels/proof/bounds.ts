/**
 * Lower bounds of the optimum of one row, in float64. Every u in [-1, 1]^V bounds it, because Psi(m)
 * >= u m - Psi*(u):
 *
 *     f* >= - sum_v t_v Psi*(u_v) + min over e in C of e . W^T (t (u - x))
 *
 * (for the box |e_h| <= r the minimum is -r | W^T (t (u - x)) |_1; a bias unit adds its own term). Two points
 * are tried: u = Psi'(W e), and its Newton correction u + Psi''(m) W d, whose gap is of second order. No loss
 * is below that of the best reconstructions, which is a bound too.
 */
import { solveFactored } from '../cholesky';
import { CROSS_ENTROPY, Job } from '../job';
import { conjugatesOfFew, Moved, moveFew, openMoved } from './moved';
import { Row } from './row';
import { get, set } from '../vector';
import { lowest } from '../sets';
import { promised } from './step';
import { back64, forward64, log64, madd64 } from '../wide';
import { conjugateHere, conjugateWells } from './wells';
import { fours } from '../simd';

/** How often a dual point is mended at most. */
const MENDS: u32 = 3;

/** The bound at u = Psi'(m), given the gradient there. */
export function boundHere(job: Job, row: Row): f64 {
  // For a slope of Psi at m itself, Psi*(u) = u m - Psi(m), and the bound is that of Frank and Wolfe.
  if (job.loss == CROSS_ENTROPY) return row.f - frankWolfe(job, row);
  return boundAt(job, row, row.g);
}

/** The bound at the u of the row, given `dual` = W^T t (u - x). */
export function boundAt(job: Job, row: Row, dual: usize): f64 {
  return -conjugateHere(job, row) + lowest(job, dual) + heldTerms(job, row, dual);
}

function frankWolfe(job: Job, row: Row): f64 {
  let gap: f64 = 0;
  for (let h: u32 = 0; h < job.free; h++) gap += get(row.g, h) * get(row.z, h);
  return gap - lowest(job, row.g);
}

/** What the coordinates that do not move add. */
function heldTerms(job: Job, row: Row, dual: usize): f64 {
  let sum: f64 = 0;
  for (let h = job.free; h < job.width; h++) sum += get(dual, h) * get(row.z, h);
  return sum;
}

/**
 * The bound at u + Psi'' (change of scores), for the change of a whole step. Where W^T t (u - x) should be 0
 * and, by rounding of the step or of the Hessian, is not yet, the same factor mends it.
 */
export function correctedBound(job: Job, row: Row): f64 {
  const moved = openMoved(job, row);
  const after = row.f - promised(job, row);
  let best: f64 = row.floor;
  for (let round: u32 = 0; round <= MENDS; round++) {
    if (round > 0) mend(job, row);
    move(job, row, moved, round == 0 ? row.next : row.mend, round > 0);
    let bound = moved.few ? -conjugatesOfFew(job, row, moved) : -conjugates(job, row);
    bound += lowest(job, row.dual);
    let loose: f64 = 0;
    for (let h: u32 = 0; h < job.free; h++) {
      if (get(row.model.side, h) == 0) loose += 2 * job.radius64 * abs(get(row.dual, h));
    }
    bound += heldTerms(job, row, row.dual);
    // A step too wild for numbers gives a bound that is none, and no comparison with it holds.
    if (bound > best) best = bound;
    const short = after - bound;
    if (short <= 0.5 * job.tolerance64 || short - loose > 0.5 * job.tolerance64) break;
  }
  return best;
}

/** Adds what the step `d` changes to the shift of scores, or begins with it: of the entries that move. */
function move(job: Job, row: Row, moved: Moved, d: usize, further: bool): void {
  if (moved.few) return moveFew(job, row, moved, d, further);
  forward64(job.forward, job.V, job.width, d, further ? row.trial : row.shift);
  if (!further) return;
  const end = <usize>fours(job.V) << 3;
  for (let at: usize = 0; at < end; at += 16) {
    v128.store(row.shift + at, f64x2.add(v128.load(row.shift + at), v128.load(row.trial + at)));
  }
}

/** The sum of t Psi*(u) at the moved u, with dual = W^T t (u - x) there. */
function conjugates(job: Job, row: Row): f64 {
  if (job.loss != CROSS_ENTROPY) {
    const sum = conjugateWells(job, row);
    back64(job.back, job.V, job.width, row.trial, row.dual);
    return sum;
  }
  const one = f64x2.splat(1);
  const half = f64x2.splat(0.5);
  const zero = f64x2.splat(0);
  const end = <usize>fours(job.V) << 3;
  let sums = zero;
  for (let at: usize = 0; at < end; at += 16) {
    const t = v128.load(row.t + at);
    const x = v128.load(row.x + at);
    const there = f64x2.gt(t, zero);
    const move = f64x2.div(f64x2.mul(v128.load(row.bend + at), v128.load(row.shift + at)), t);
    let u = f64x2.add(v128.load(row.u + at), v128.and(there, move));
    u = f64x2.max(f64x2.neg(one), f64x2.min(one, u));
    const high = f64x2.mul(half, f64x2.add(one, u));
    const low = f64x2.sub(one, high);
    const terms = f64x2.add(f64x2.mul(high, log64(high)), f64x2.mul(low, log64(low)));
    sums = madd64(t, terms, sums);
    v128.store(row.trial + at, f64x2.mul(t, f64x2.sub(u, x)));
  }
  back64(job.back, job.V, job.width, row.trial, row.dual);
  return 2 * (f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1));
}

/** The step that takes the rest of `dual` away, as far as no bound allows it. */
function mend(job: Job, row: Row): void {
  for (let h: u32 = 0; h < job.free; h++) {
    set(row.mend, h, get(row.model.side, h) == 0 ? -get(row.dual, h) : 0);
  }
  for (let h = job.free; h < job.width; h++) set(row.mend, h, 0);
  solveFactored(row.model.factor, job.free, row.mend);
}
