/**
 * The lower bound of bounds.ts for wide tables, where it costs much to move the whole dual point. Only the
 * entries with most of the curvature are moved: along the step d of their own Hessian A, which takes the
 * gradient away as well,
 *
 *     u' = u + Psi''(m) W d  on those entries,     W^T t (u' - x) = g + A d = 0,
 *
 * and costs (1/2) g . A^-1 g instead of what the whole Hessian would. Codes come here next to their optimum,
 * where both are nearly nothing.
 */
import { canSample, fewHessian } from '../hessian';
import { CROSS_ENTROPY, Job } from '../job';
import { widen } from './quadratic';
import { Row } from './row';
import { get, set } from '../vector';
import { lowest } from '../sets';
import { minimiseModel } from './step';
import { log64 } from '../wide';

/** Whether the bound is worth trying. */
export function suitsFew(job: Job): bool {
  return canSample(job) && job.loss == CROSS_ENTROPY && !job.set;
}

/** The bound, given the gradient in `row.g`; `row.trial` and `row.change` are used up. */
export function boundOfFew(job: Job, row: Row, damping: f64): f64 {
  const list = row.trial;
  const count = fewHessian(job, row.picked, row.bend, row.model.factor, list);
  widen(row.model);
  minimiseModel(job, row, damping, true);
  for (let h: u32 = 0; h < job.width; h++) set(row.dual, h, get(row.g, h));
  // At u = Psi'(m) itself, the sum of t Psi*(u) is g . z - f.
  let conjugates = -row.f;
  for (let h: u32 = 0; h < job.width; h++) conjugates += get(row.g, h) * get(row.z, h);
  for (let i: u32 = 0; i < count; i++) conjugates += move(job, row, load<u32>(list + (<usize>i << 2)));
  let bound = lowest(job, row.dual) - conjugates;
  for (let h = job.free; h < job.width; h++) bound += get(row.dual, h) * get(row.z, h);
  return bound > row.floor ? bound : row.floor;
}

/** Moves u of one entry and `dual` with it; how much t Psi*(u) grows. */
function move(job: Job, row: Row, k: u32): f64 {
  const t = get(row.t, k);
  const u = get(row.u, k);
  let change: f64 = 0;
  for (let h: u32 = 0; h < job.free; h++) change += weight(job, k, h) * get(row.model.s, h);
  const moved = max<f64>(-1, min<f64>(1, u + (get(row.bend, k) * change) / t));
  for (let h: u32 = 0; h < job.width; h++) {
    set(row.dual, h, get(row.dual, h) + t * (moved - u) * weight(job, k, h));
  }
  return t * (conjugate(moved) - conjugate(u));
}

/** W_kh, from the back packing [width / 4][K][4]. */
@inline
export function weight(job: Job, k: u32, h: u32): f64 {
  const at = (<usize>(h >> 2) * <usize>job.K + <usize>k) << 4;
  return <f64>load<f32>(<usize>job.back + at + (<usize>(h & 3) << 2));
}

/** Psi*(u) of cross-entropy. */
@inline
export function conjugate(u: f64): f64 {
  const high = 0.5 * (1 + u);
  const low = 1 - high;
  const both = f64x2.replace_lane(f64x2.splat(high), 1, low);
  const terms = f64x2.mul(both, log64(both));
  return 2 * (f64x2.extract_lane(terms, 0) + f64x2.extract_lane(terms, 1));
}
