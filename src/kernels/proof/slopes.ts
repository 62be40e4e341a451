/**
 * Loss, gradient and a dual point of each item where it stands, in float64: what proofs are made of.
 *
 * The dual point is u = Psi'(m), or, given a direction d, Psi'(m) + Psi''(m) A d cut to [-1, 1]. In a wide
 * table few entries of it are moved, along a step that is found on the way (few-slopes.ts).
 */
import { fewSlopes, fewSlopesBytes, pair } from './few-slopes';
import { CROSS_ENTROPY, Job } from '../job';
import { loadPanel } from '../load-panel';
import { openPanel, Panel, panelBytes } from '../panel';
import { get, set } from '../vector';
import { aligned, vectorBytes } from '../simd';
import { slopesOfWells } from './wells';
import { back64, expMinusAbs64, forward64, log64, madd64 } from '../wide';

export function slopesBytes(job: Job): u32 {
  return aligned(panelBytes(job)) + 3 * vectorBytes(job.K, 3) + 2 * vectorBytes(job.width, 3) + (job.few ? fewSlopesBytes(job) : 0);
}

/** Float64 numbers in front of an item's gradient: its loss, and the sum of Psi*(u). */
const LEADING: u32 = 2;

/** Works on the items `first` to `end`. */
export function slopesPanel(job: Job, scratch: usize, first: u32, end: u32): void {
  const panel = openPanel(job, scratch);
  loadPanel(job, panel, first, end);
  const m = scratch + <usize>aligned(panelBytes(job));
  const change = m + <usize>vectorBytes(job.K, 3);
  const residual = change + <usize>vectorBytes(job.K, 3);
  const z = residual + <usize>vectorBytes(job.K, 3);
  const g = z + <usize>vectorBytes(job.width, 3);
  const K = job.K;
  const width = job.width;
  for (let lane: u32 = 0; lane < panel.lanes; lane++) {
    const item = first + lane;
    for (let h: u32 = 0; h < width; h++) {
      set(z, h, <f64>load<f32>(panel.Z + (<usize>h << 5) + (<usize>lane << 2)));
    }
    forward64(job.forward, K, width, z, m);
    const out = <usize>job.out + ((<usize>(item - job.start) * <usize>(width + LEADING)) << 3);
    if (job.few) {
      const T = panel.T ? panel.T + (<usize>lane << 2) : 0;
      const own = g + <usize>vectorBytes(job.width, 3);
      fewSlopes(job, own, panel.X + (<usize>lane << 2), T, z, m, change, residual, g, out);
      for (let h: u32 = 0; h < width; h++) set(out, LEADING + h, get(g, h));
      continue;
    }
    if (job.directions) {
      const d = <usize>job.directions + ((<usize>item * <usize>width) << 2);
      for (let h: u32 = 0; h < width; h++) set(z, h, <f64>load<f32>(d + (<usize>h << 2)));
      forward64(job.forward, K, width, z, change);
    }
    if (job.loss == CROSS_ENTROPY) look(job, panel, lane, m, change, residual, out);
    else slopesOfWells(job, panel, lane, m, change, residual, out);
    back64(job.back, K, width, residual, g);
    for (let h: u32 = 0; h < width; h++) set(out, LEADING + h, get(g, h));
  }
}

/** For cross-entropy: loss and conjugate to `out`, and t (u - x) to `residual`; entries two at a time. */
function look(
  job: Job,
  panel: Panel,
  lane: u32,
  m: usize,
  change: usize,
  residual: usize,
  out: usize,
): void {
  const one = f64x2.splat(1);
  const two = f64x2.splat(2);
  const half = f64x2.splat(0.5);
  const even = f64x2.splat(<f64>job.half);
  const moved = job.directions != 0;
  let losses = f64x2.splat(0);
  let conjugates = losses;
  for (let k: u32 = 0; k < job.K; k += 2) {
    const at = <usize>k << 3;
    const from = (<usize>k << 5) + (<usize>lane << 2);
    let x = pair(panel.X + from);
    let t = panel.T ? pair(panel.T + from) : even;
    // Beyond the last entry there may be anything: it counts for nothing.
    if (k + 1 == job.K) {
      x = f64x2.replace_lane(x, 1, 0);
      t = f64x2.replace_lane(t, 1, 0);
    }
    const score = v128.load(m + at);
    const q = expMinusAbs64(score);
    const p = f64x2.add(one, q);
    const inverse = f64x2.div(one, p);
    let u = f64x2.mul(f64x2.sub(one, q), inverse);
    u = v128.or(u, v128.and(score, f64x2.splat(-0.0)));
    const psi = madd64(two, log64(p), f64x2.abs(score));
    losses = madd64(t, f64x2.sub(psi, f64x2.mul(x, score)), losses);
    let conjugate: v128;
    if (moved) {
      const bend = f64x2.mul(two, f64x2.mul(q, f64x2.mul(inverse, inverse)));
      u = madd64(bend, v128.load(change + at), u);
      u = f64x2.max(f64x2.neg(one), f64x2.min(one, u));
      const high = f64x2.mul(half, f64x2.add(one, u));
      const low = f64x2.sub(one, high);
      conjugate = f64x2.mul(two, f64x2.add(f64x2.mul(high, log64(high)), f64x2.mul(low, log64(low))));
    } else conjugate = f64x2.sub(f64x2.mul(u, score), psi);
    conjugates = madd64(t, conjugate, conjugates);
    v128.store(residual + at, f64x2.mul(t, f64x2.sub(u, x)));
  }
  store<f64>(out, f64x2.extract_lane(losses, 0) + f64x2.extract_lane(losses, 1));
  store<f64>(out, f64x2.extract_lane(conjugates, 0) + f64x2.extract_lane(conjugates, 1), 8);
}
