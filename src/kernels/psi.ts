/**
 * Psi, its slope and its bend for four scores, one compiled path per loss.
 *
 * - cross-entropy: Psi' = tanh(m / 2), Psi'' = (1 - Psi'^2) / 2.
 * - Hamming: Psi' is -1, 0 or 1, and Psi'' is 0. Operations that need something that bends give a width
 *   `smoothing` over which the slope rises around the kinks (wells.ts has the smoothed function).
 * - any other loss: Psi, Psi' and Psi'' sampled on a grid, with Psi' and Psi'' interpolated linearly, Psi as
 *   the cubic through values and slopes, and Psi continued linearly beyond the ends; kinks at the ends as
 *   above.
 */
import { expMinusAbs, log1pUnit, tanhHalf } from './functions';
import { CROSS_ENTROPY, HAMMING, Job, TABLE } from './job';
import { madd } from './simd';
import { SECOND, SLOPE, softness, tableLookup, tablePsi, TRANSFER } from './table';

/** Psi'(m). */
@inline
export function slope(loss: u32, job: Job, m: v128): v128 {
  if (loss == CROSS_ENTROPY) return tanhHalf(m);
  if (loss == HAMMING) {
    const square = f32x4.splat(softness(job));
    const above = f32x4.sub(m, f32x4.splat(1));
    const below = f32x4.add(m, f32x4.splat(1));
    const far = f32x4.sqrt(madd(above, above, square));
    const near = f32x4.sqrt(madd(below, below, square));
    return f32x4.mul(f32x4.splat(0.5), f32x4.add(f32x4.div(above, far), f32x4.div(below, near)));
  }
  return tableLookup(job, m, SLOPE);
}

/** Psi''(m), given Psi'(m). */
@inline
export function second(loss: u32, job: Job, m: v128, t: v128): v128 {
  const one = f32x4.splat(1);
  if (loss == CROSS_ENTROPY) {
    const half = f32x4.splat(0.5);
    return f32x4.pmax(f32x4.splat(0), f32x4.sub(half, f32x4.mul(half, f32x4.mul(t, t))));
  }
  if (loss == HAMMING) {
    const square = f32x4.splat(softness(job));
    const above = f32x4.sub(m, one);
    const below = f32x4.add(m, one);
    const far = madd(above, above, square);
    const near = madd(below, below, square);
    const bends = f32x4.add(
      f32x4.div(one, f32x4.mul(far, f32x4.sqrt(far))),
      f32x4.div(one, f32x4.mul(near, f32x4.sqrt(near))),
    );
    return f32x4.mul(f32x4.splat(0.5 * 4 * job.smoothing * job.smoothing), bends);
  }
  return tableLookup(job, m, SECOND);
}

/** (1/2)(-x m + Psi(m)), halved early so that it is finite for every finite score. */
@inline
export function lossAt(loss: u32, job: Job, m: v128, x: v128): v128 {
  const half = f32x4.mul(f32x4.splat(0.5), m);
  const xm = f32x4.mul(x, half);
  if (loss == CROSS_ENTROPY) return f32x4.add(log1pUnit(expMinusAbs(m)), f32x4.sub(f32x4.abs(half), xm));
  if (loss == HAMMING) return f32x4.sub(f32x4.max(f32x4.abs(half), f32x4.splat(0.5)), xm);
  return f32x4.sub(f32x4.mul(f32x4.splat(0.5), tablePsi(job, m)), xm);
}

/** The decoder's transfer function of four scores. */
export function transfer(job: Job, m: v128): v128 {
  if (job.loss == TABLE) return tableLookup(job, m, TRANSFER);
  const t = job.loss == CROSS_ENTROPY ? tanhHalf(m) : m;
  return f32x4.pmax(f32x4.pmin(t, f32x4.splat(1)), f32x4.splat(-1));
}
