/**
 * The sets that codes may be confined to besides the symmetric box: the orthant (up to a radius), the
 * simplex, the ball. Each needs its nearest point and the least value of a linear function on it;
 * `job.radius` is its size.
 */
import { BALL, Job, NONNEGATIVE, SIMPLEX } from './job';
import { madd } from './simd';
import { get, set } from './vector';

/** Moves the eight vectors of `job.free` floats at `Z`, one a lane, to their nearest points. */
export function projectLanes(job: Job, Z: usize): void {
  for (let half: usize = 0; half < 32; half += 16) {
    if (job.set == NONNEGATIVE) cut(Z + half, job.free, f32x4.splat(0), job.radius);
    else if (job.set == SIMPLEX) {
      cut(Z + half, job.free, threshold(Z + half, job.free, job.radius), Infinity);
      settleOnZero(Z + half, job.free, job.radius);
    }
    else if (job.set == BALL) shorten(Z + half, job.free, job.radius);
  }
}

/** max(0, min(radius, z - less)) of four lanes. */
function cut(Z: usize, free: u32, less: v128, radius: f32): void {
  const end = Z + (<usize>free << 5);
  const zero = f32x4.splat(0);
  const most = f32x4.splat(radius);
  for (; Z < end; Z += 32) {
    v128.store(Z, f32x4.max(zero, f32x4.min(most, f32x4.sub(v128.load(Z), less))));
  }
}

/**
 * What rounding leaves just above 0 is 0. A share of 1e-8 would count as free, and the steps of its row would
 * be bent at the bound, again and again, without coming further.
 */
function settleOnZero(Z: usize, free: u32, radius: f32): void {
  const end = Z + (<usize>free << 5);
  const close = f32x4.splat(1e-6 * radius);
  for (; Z < end; Z += 32) v128.store(Z, v128.and(v128.load(Z), f32x4.gt(v128.load(Z), close)));
}

/**
 * The threshold t with sum_h max(0, z_h - t) = total, for four lanes: the mean excess of the coordinates
 * above it, taken again as long as some coordinate falls below (C. Michelot, Journal of Optimization Theory
 * 50, 1986).
 */
function threshold(Z: usize, free: u32, total: f32): v128 {
  const end = Z + (<usize>free << 5);
  const one = f32x4.splat(1);
  let least = f32x4.splat(-Infinity);
  for (let round: u32 = 0; round <= free; round++) {
    let sum = f32x4.splat(-total);
    let count = f32x4.splat(0);
    for (let at = Z; at < end; at += 32) {
      const z = v128.load(at);
      const above = f32x4.gt(z, least);
      sum = f32x4.add(sum, v128.and(above, z));
      count = f32x4.add(count, v128.and(above, one));
    }
    // Rounding may leave a lane without any coordinate above: its last threshold was right.
    const next = v128.bitselect(f32x4.div(sum, count), least, f32x4.gt(count, f32x4.splat(0)));
    if (!v128.any_true(f32x4.gt(next, least))) return least;
    least = f32x4.max(next, least);
  }
  return least;
}

function shorten(Z: usize, free: u32, radius: f32): void {
  const end = Z + (<usize>free << 5);
  let square = f32x4.splat(1e-30);
  for (let at = Z; at < end; at += 32) square = madd(v128.load(at), v128.load(at), square);
  const share = f32x4.min(f32x4.splat(1), f32x4.div(f32x4.splat(radius), f32x4.sqrt(square)));
  for (let at = Z; at < end; at += 32) v128.store(at, f32x4.mul(share, v128.load(at)));
}

/** The same for one vector of n float64 numbers. */
export function project64(job: Job, z: usize, n: u32): void {
  if (job.set == BALL) {
    let square: f64 = 0;
    for (let h: u32 = 0; h < n; h++) square += get(z, h) * get(z, h);
    const share = job.radius64 / sqrt(square);
    if (share < 1) for (let h: u32 = 0; h < n; h++) set(z, h, share * get(z, h));
    return;
  }
  let least: f64 = job.set == SIMPLEX ? -Infinity : 0;
  for (let round: u32 = 0; job.set == SIMPLEX && round <= n; round++) {
    let sum = -job.radius64;
    let count: f64 = 0;
    for (let h: u32 = 0; h < n; h++) {
      if (!(get(z, h) > least)) continue;
      sum += get(z, h);
      count++;
    }
    if (!(count > 0 && sum / count > least)) break;
    least = sum / count;
  }
  const most = job.set == NONNEGATIVE ? job.radius64 : Infinity;
  for (let h: u32 = 0; h < n; h++) set(z, h, max<f64>(0, min<f64>(most, get(z, h) - least)));
}

/** The least value of q . e over the set, box included; q is `job.free` float64 numbers. */
export function lowest(job: Job, q: usize): f64 {
  let sum: f64 = 0;
  let least: f64 = Infinity;
  for (let h: u32 = 0; h < job.free; h++) {
    const value = get(q, h);
    least = min(least, value);
    if (job.set == NONNEGATIVE) sum += min<f64>(0, value);
    else if (job.set == BALL) sum += value * value;
    else sum -= abs(value);
  }
  if (job.set == SIMPLEX) return job.radius64 * least;
  return job.radius64 * (job.set == BALL ? -sqrt(sum) : sum);
}

/** A coordinate rounded as it will be stored, and kept where every code of the set has it. */
export function stored(job: Job, z: f64): f64 {
  const rounded = <f64>(<f32>z);
  if (job.set == BALL) return rounded;
  if (job.set == SIMPLEX) return max<f64>(0, rounded);
  const least = job.set == NONNEGATIVE ? 0 : -job.radius64;
  return max<f64>(least, min<f64>(job.radius64, rounded));
}
