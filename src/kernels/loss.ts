/**
 * The elementwise part: residuals, curvatures and losses from scores, one compiled path a loss. Sums over k are
 * taken in blocks, so that their rounding does not grow with K.
 *
 * - cross-entropy: Psi' = tanh(m / 2), Psi'' = (1 - Psi'^2) / 2.
 * - Hamming: Psi' is -1, 0 or 1, and Psi'' is 0. Operations that need something that bends give a width `smoothing` over
 *   which the slope rises around the kinks (wells.ts has the smoothed function).
 * - any other loss: Psi, Psi' and Psi'' sampled on a grid, with Psi' and Psi'' interpolated linearly, Psi as the
 *   cubic through values and slopes, and Psi continued linearly beyond the ends; kinks at the ends as above.
 *
 * Losses are those of Psi itself, smoothed or not.
 */
import { expMinusAbs, log1pUnit, tanhHalf } from './functions';
import { CROSS_ENTROPY, HAMMING, Job, TABLE } from './job';
import { Panel } from './panel';
import { loadAlone, madd, storeAlone } from './simd';
import { SECOND, SLOPE, softness, tableLookup, tablePsi, TRANSFER } from './table';
import { log64 } from './wide';

const BLOCK: usize = 64 * 32;

/** R (K x 8) at the scores M, and C where `curved`, for the rows of the bytes `from` to `to` of the panel. */
export function residuals(job: Job, panel: Panel, from: usize, to: usize, curved: bool): void {
  if (panel.alone && job.loss == CROSS_ENTROPY) {
    if (panel.T) passAlone(true, false, job, panel, 0, 0, from, to);
    else passAlone(false, false, job, panel, 0, 0, from, to);
  } else if (job.loss == CROSS_ENTROPY) {
    if (!panel.T && !curved) pass(CROSS_ENTROPY, false, false, false, job, panel, 0, 0, from, to);
    else if (!panel.T) pass(CROSS_ENTROPY, false, false, true, job, panel, 0, 0, from, to);
    else pass(CROSS_ENTROPY, true, false, true, job, panel, 0, 0, from, to);
  } else if (job.loss == HAMMING) {
    if (panel.T) pass(HAMMING, true, false, true, job, panel, 0, 0, from, to);
    else pass(HAMMING, false, false, true, job, panel, 0, 0, from, to);
  } else {
    if (panel.T) pass(TABLE, true, false, true, job, panel, 0, 0, from, to);
    else pass(TABLE, false, false, true, job, panel, 0, 0, from, to);
  }
}

/** R and C at M + a Md, each lane with its own a, and the slopes (8) of the sum of losses in a. */
export function search(job: Job, panel: Panel, a: usize, slopes: usize): void {
  const end = <usize>panel.K << 5;
  if (panel.alone && job.loss == CROSS_ENTROPY) {
    if (panel.T) passAlone(true, true, job, panel, a, slopes, 0, end);
    else passAlone(false, true, job, panel, a, slopes, 0, end);
  } else if (job.loss == CROSS_ENTROPY) {
    if (panel.T) pass(CROSS_ENTROPY, true, true, true, job, panel, a, slopes, 0, end);
    else pass(CROSS_ENTROPY, false, true, true, job, panel, a, slopes, 0, end);
  } else if (job.loss == HAMMING) {
    if (panel.T) pass(HAMMING, true, true, true, job, panel, a, slopes, 0, end);
    else pass(HAMMING, false, true, true, job, panel, a, slopes, 0, end);
  } else {
    if (panel.T) pass(TABLE, true, true, true, job, panel, a, slopes, 0, end);
    else pass(TABLE, false, true, true, job, panel, a, slopes, 0, end);
  }
}

/** Losses (8) of the lanes at the scores M. */
export function losses(job: Job, panel: Panel, out: usize): void {
  if (job.loss == CROSS_ENTROPY) {
    if (panel.T) sumLosses(CROSS_ENTROPY, true, job, panel, out);
    else sumLosses(CROSS_ENTROPY, false, job, panel, out);
  } else if (job.loss == HAMMING) {
    if (panel.T) sumLosses(HAMMING, true, job, panel, out);
    else sumLosses(HAMMING, false, job, panel, out);
  } else {
    if (panel.T) sumLosses(TABLE, true, job, panel, out);
    else sumLosses(TABLE, false, job, panel, out);
  }
}

/**
 * Losses (8) of the lanes at the scores M whose residuals R were just taken. Cross-entropy without weights needs no
 * exponential then, and one logarithm for the product of a block: ln(1 + e^-|m|) = -ln((1 + |tanh(m / 2)|) / 2).
 */
export function lossesAtResiduals(job: Job, panel: Panel, out: usize): void {
  if (job.loss != CROSS_ENTROPY || panel.T) return losses(job, panel, out);
  const half = f32x4.splat(0.5);
  const whole = f32x4.splat(1 / job.half);
  const end = <usize>panel.K << 5;
  for (let part: usize = 0; part < 32; part += 16) {
    let low = f64x2.splat(0);
    let high = low;
    let at = part;
    while (at < end) {
      const stop = min(end, at + BLOCK);
      let sum = f32x4.splat(0);
      let product = f32x4.splat(1);
      for (; at < stop; at += 32) {
        const m = f32x4.mul(half, v128.load(panel.M + at));
        const x = v128.load(panel.X + at);
        const t = f32x4.abs(madd(whole, v128.load(panel.R + at), x));
        sum = f32x4.add(sum, f32x4.sub(f32x4.abs(m), f32x4.mul(x, m)));
        product = f32x4.mul(product, madd(half, t, half));
      }
      low = f64x2.add(low, f64x2.sub(f64x2.promote_low_f32x4(sum), log64(f64x2.promote_low_f32x4(product))));
      sum = v128.shuffle<f64>(sum, sum, 1, 0);
      product = v128.shuffle<f64>(product, product, 1, 0);
      high = f64x2.add(high, f64x2.sub(f64x2.promote_low_f32x4(sum), log64(f64x2.promote_low_f32x4(product))));
    }
    const scale = f64x2.splat(2 * <f64>job.half);
    const first = f32x4.demote_f64x2_zero(f64x2.mul(scale, low));
    const last = f32x4.demote_f64x2_zero(f64x2.mul(scale, high));
    v128.store(out + part, v128.shuffle<f64>(first, last, 0, 2));
  }
}

/** Loss of one row at the scores m + factor column; vectors of `count` floats, a multiple of four, weights t. */
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
 * What is known for certain of how a row's loss bends: c = t Psi''(m), with which, for changes d of the scores, the
 * loss rises above its tangent by at least sum c (exp(-|d|) + |d| - 1). Cross-entropy has that (|Psi'''| <= Psi'');
 * of other losses convexity is all that is used, and c = 0.
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

/** The decoder's transfer function of four scores. */
export function transfer(job: Job, m: v128): v128 {
  if (job.loss == TABLE) return tableLookup(job, m, TRANSFER);
  const t = job.loss == CROSS_ENTROPY ? tanhHalf(m) : m;
  return f32x4.pmax(f32x4.pmin(t, f32x4.splat(1)), f32x4.splat(-1));
}

@inline
function pass(
  loss: u32,
  weighted: bool,
  along: bool,
  curved: bool,
  job: Job,
  panel: Panel,
  a: usize,
  slopes: usize,
  at: usize,
  end: usize,
): void {
  const a0 = along ? v128.load(a) : f32x4.splat(0);
  const a1 = along ? v128.load(a, 16) : f32x4.splat(0);
  const half = f32x4.splat(job.half);
  const M = panel.M;
  const Md = panel.Md;
  const X = panel.X;
  const T = panel.T;
  const R = panel.R;
  const C = panel.C;
  let total0 = f32x4.splat(0);
  let total1 = total0;
  while (at < end) {
    const stop = min(end, at + BLOCK);
    let s0 = f32x4.splat(0);
    let s1 = s0;
    for (; at < stop; at += 32) {
      let m0 = v128.load(M + at);
      let m1 = v128.load(M + at, 16);
      if (along) {
        m0 = madd(a0, v128.load(Md + at), m0);
        m1 = madd(a1, v128.load(Md + at, 16), m1);
      }
      const t0 = slope(loss, job, m0);
      const t1 = slope(loss, job, m1);
      const w0 = weighted ? v128.load(T + at) : half;
      const w1 = weighted ? v128.load(T + at, 16) : half;
      const r0 = f32x4.mul(w0, f32x4.sub(t0, v128.load(X + at)));
      const r1 = f32x4.mul(w1, f32x4.sub(t1, v128.load(X + at, 16)));
      v128.store(R + at, r0);
      v128.store(R + at, r1, 16);
      if (curved) {
        v128.store(C + at, f32x4.mul(w0, second(loss, job, m0, t0)));
        v128.store(C + at, f32x4.mul(w1, second(loss, job, m1, t1)), 16);
      }
      if (along) {
        s0 = madd(r0, v128.load(Md + at), s0);
        s1 = madd(r1, v128.load(Md + at, 16), s1);
      }
    }
    total0 = f32x4.add(total0, s0);
    total1 = f32x4.add(total1, s1);
  }
  if (along) {
    v128.store(slopes, total0);
    v128.store(slopes, total1, 16);
  }
}

/**
 * The same for lane 0 alone, cross-entropy's: four entries of the row side by side in the place of eight lanes. The sums
 * of a block are taken one entry after the other, as `pass` takes them.
 */
@inline
function passAlone(
  weighted: bool,
  along: bool,
  job: Job,
  panel: Panel,
  a: usize,
  slopes: usize,
  at: usize,
  end: usize,
): void {
  const a0 = along ? v128.load_splat<f32>(a) : f32x4.splat(0);
  const half = f32x4.splat(job.half);
  let total = f32x4.splat(0);
  while (at < end) {
    const stop = min(end, at + BLOCK);
    let s = f32x4.splat(0);
    for (; at < stop; at += 128) {
      const d = along ? loadAlone(panel.Md + at) : f32x4.splat(0);
      let m = loadAlone(panel.M + at);
      if (along) m = madd(a0, d, m);
      const t = slope(CROSS_ENTROPY, job, m);
      const w = weighted ? loadAlone(panel.T + at) : half;
      const r = f32x4.mul(w, f32x4.sub(t, loadAlone(panel.X + at)));
      storeAlone(panel.R + at, r);
      storeAlone(panel.C + at, f32x4.mul(w, second(CROSS_ENTROPY, job, m, t)));
      if (!along) continue;
      // Entries beyond the last one are padding, which may hold anything.
      const left = (min(stop, at + 128) - at) >> 5;
      s = madd(r, d, s);
      if (left > 1) s = madd(v128.shuffle<f32>(r, r, 1, 1, 1, 1), v128.shuffle<f32>(d, d, 1, 1, 1, 1), s);
      if (left > 2) s = madd(v128.shuffle<f32>(r, r, 2, 2, 2, 2), v128.shuffle<f32>(d, d, 2, 2, 2, 2), s);
      if (left > 3) s = madd(v128.shuffle<f32>(r, r, 3, 3, 3, 3), v128.shuffle<f32>(d, d, 3, 3, 3, 3), s);
    }
    total = f32x4.add(total, s);
  }
  if (!along) return;
  v128.store(slopes, v128.and(total, i32x4(-1, 0, 0, 0)));
  v128.store(slopes, f32x4.splat(0), 16);
}

/** Curvatures (8) along Md, sum_k C Md^2, and the largest |Md| (8). */
export function curvatures(panel: Panel, out: usize, largest: usize): void {
  const Md = panel.Md;
  const C = panel.C;
  const end = <usize>panel.K << 5;
  let total0 = f32x4.splat(0);
  let total1 = total0;
  let top0 = total0;
  let top1 = total0;
  let at: usize = 0;
  while (at < end) {
    const stop = min(end, at + BLOCK);
    let s0 = f32x4.splat(0);
    let s1 = s0;
    for (; at < stop; at += 32) {
      const d0 = v128.load(Md + at);
      const d1 = v128.load(Md + at, 16);
      s0 = madd(v128.load(C + at), f32x4.mul(d0, d0), s0);
      s1 = madd(v128.load(C + at, 16), f32x4.mul(d1, d1), s1);
      top0 = f32x4.pmax(top0, f32x4.abs(d0));
      top1 = f32x4.pmax(top1, f32x4.abs(d1));
    }
    total0 = f32x4.add(total0, s0);
    total1 = f32x4.add(total1, s1);
  }
  v128.store(out, total0);
  v128.store(out, total1, 16);
  v128.store(largest, top0);
  v128.store(largest, top1, 16);
}

@inline
function sumLosses(loss: u32, weighted: bool, job: Job, panel: Panel, out: usize): void {
  const M = panel.M;
  const X = panel.X;
  const T = panel.T;
  const end = <usize>panel.K << 5;
  const whole = f32x4.splat(weighted ? 2 : 2 * job.half);
  // Four lanes at a time: with eight, the constants of exp and log1p would not fit into registers.
  for (let half: usize = 0; half < 32; half += 16) {
    let total = f32x4.splat(0);
    let at = half;
    while (at < end) {
      const stop = min(end, at + BLOCK);
      let sum = f32x4.splat(0);
      for (; at < stop; at += 32) {
        const f = lossAt(loss, job, v128.load(M + at), v128.load(X + at));
        sum = f32x4.add(sum, weighted ? f32x4.mul(f, v128.load(T + at)) : f);
      }
      total = f32x4.add(total, sum);
    }
    v128.store(out + half, f32x4.mul(whole, total));
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

/** Psi'(m). */
@inline
function slope(loss: u32, job: Job, m: v128): v128 {
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
function second(loss: u32, job: Job, m: v128, t: v128): v128 {
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
function lossAt(loss: u32, job: Job, m: v128, x: v128): v128 {
  const half = f32x4.mul(f32x4.splat(0.5), m);
  const xm = f32x4.mul(x, half);
  if (loss == CROSS_ENTROPY) return f32x4.add(log1pUnit(expMinusAbs(m)), f32x4.sub(f32x4.abs(half), xm));
  if (loss == HAMMING) return f32x4.sub(f32x4.max(f32x4.abs(half), f32x4.splat(0.5)), xm);
  return f32x4.sub(f32x4.mul(f32x4.splat(0.5), tablePsi(job, m)), xm);
}
