/**
 * The elementwise part: residuals, curvatures and losses of eight items from their scores, one compiled path
 * per loss (psi.ts). Sums over k are taken in blocks, so that their rounding does not grow with K.
 *
 * Losses are those of Psi itself, smoothed or not.
 */
import { curvaturesAlone, searchAlone } from './alone';
import { CROSS_ENTROPY, HAMMING, Job, TABLE } from './job';
import { Panel } from './panel';
import { lossAt, second, slope } from './psi';
import { madd } from './simd';
import { log64 } from './wide';

const BLOCK: usize = 64 * 32;

/** R (K x 8) at the scores M, and C where `curved`, for the rows of the bytes `from` to `to` of the panel. */
export function residuals(job: Job, panel: Panel, from: usize, to: usize, curved: bool): void {
  if (job.loss == CROSS_ENTROPY) {
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
  if (panel.alone) return searchAlone(job, panel, a, slopes);
  const end = <usize>panel.K << 5;
  if (job.loss == CROSS_ENTROPY) {
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
 * Losses (8) of the lanes at the scores M whose residuals R were just taken. Cross-entropy without weights
 * needs no exponential then, and one logarithm for the product of a block:
 * ln(1 + e^-|m|) = -ln((1 + |tanh(m / 2)|) / 2).
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

/** Curvatures (8) along Md, sum_k C Md^2, and the largest |Md| (8). */
export function curvatures(panel: Panel, out: usize, largest: usize): void {
  if (panel.alone) return curvaturesAlone(panel, out, largest);
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
