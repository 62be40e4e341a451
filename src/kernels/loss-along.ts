/**
 * Losses, residuals and bends of one row, whose entries lie side by side; see loss.ts for eight rows in
 * lanes.
 */
import { tanhHalf } from './functions';
import { CROSS_ENTROPY, HAMMING, Job, TABLE } from './job';
import { lossAt } from './psi';
import { madd } from './simd';
import { SLOPE, tableLookup } from './table';

const BLOCK: usize = 64 * 32;

/**
 * Loss of one row at the scores m + factor column; vectors of `count` floats, a multiple of four, weights t.
 */
export function lossAlong(
  job: Job,
  m: usize,
  column: usize,
  factor: f32,
  x: usize,
  t: usize,
  count: u32,
): f64 {
  if (job.loss == CROSS_ENTROPY) return sumAlong(CROSS_ENTROPY, job, m, column, factor, x, t, count);
  if (job.loss == HAMMING) return sumAlong(HAMMING, job, m, column, factor, x, t, count);
  return sumAlong(TABLE, job, m, column, factor, x, t, count);
}

/** r = t (Psi'(m) - x) of one row. */
export function residualsAlong(job: Job, m: usize, x: usize, t: usize, r: usize, count: u32): void {
  const end = <usize>count << 2;
  for (let at: usize = 0; at < end; at += 16) {
    const four = v128.load(m + at);
    let u: v128;
    if (job.loss == CROSS_ENTROPY) u = tanhHalf(four);
    else if (job.loss == HAMMING) u = jumps(four);
    else u = tableLookup(job, four, SLOPE);
    v128.store(r + at, f32x4.mul(v128.load(t + at), f32x4.sub(u, v128.load(x + at))));
  }
}

/** Hamming's Psi', not smoothed. */
@inline
function jumps(m: v128): v128 {
  const one = f32x4.splat(1);
  return v128.and(f32x4.gt(f32x4.abs(m), one), v128.bitselect(m, one, f32x4.splat(-0.0)));
}

/**
 * What is known for certain of how a row's loss bends: c = t Psi''(m), with which, for changes d of the
 * scores, the loss rises above its tangent by at least sum c (exp(-|d|) + |d| - 1). Cross-entropy has that
 * (|Psi'''| <= Psi''); of other losses convexity is all that is used, and c = 0.
 */
export function bendsAlong(job: Job, m: usize, t: usize, c: usize, count: u32): void {
  const end = <usize>count << 2;
  if (job.loss != CROSS_ENTROPY) {
    memory.fill(c, 0, end);
    return;
  }
  const half = f32x4.splat(0.5);
  for (let at: usize = 0; at < end; at += 16) {
    const u = tanhHalf(v128.load(m + at));
    const bend = f32x4.sub(half, f32x4.mul(half, f32x4.mul(u, u)));
    v128.store(c + at, f32x4.mul(v128.load(t + at), bend));
  }
}

@inline
function sumAlong(
  loss: u32,
  job: Job,
  m: usize,
  column: usize,
  factor: f32,
  x: usize,
  t: usize,
  count: u32,
): f64 {
  const four = f32x4.splat(factor);
  const end = <usize>count << 2;
  let total: f64 = 0;
  let at: usize = 0;
  while (at < end) {
    const stop = min(end, at + BLOCK);
    let s = f32x4.splat(0);
    for (; at < stop; at += 16) {
      const score = madd(four, v128.load(column + at), v128.load(m + at));
      s = madd(v128.load(t + at), lossAt(loss, job, score, v128.load(x + at)), s);
    }
    total += 2 * (<f64>f32x4.extract_lane(s, 0) + <f64>f32x4.extract_lane(s, 1));
    total += 2 * (<f64>f32x4.extract_lane(s, 2) + <f64>f32x4.extract_lane(s, 3));
  }
  return total;
}
