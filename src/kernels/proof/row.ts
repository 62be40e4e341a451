/**
 * One row of a panel in float64: its entries, its code, and what the loss looks like there.
 */
import { worthPicking } from '../hessian';
import { CROSS_ENTROPY, Job } from '../job';
import { Panel, pitchOf } from '../panel';
import { openQuadratic, Quadratic, quadraticBytes } from './quadratic';
import { project64, stored } from '../sets';
import { fours, vectorBytes } from '../simd';
import { lookWells } from './wells';
import { expMinusAbs64, log64, madd64 } from '../wide';
import { get, set } from '../vector';

/**
 * Pieces of a thread's memory, float64 unless said. Vectors of V are padded to four with entries of weight 0.
 */
@unmanaged
export class Row {
  panel: Panel;
  lane: usize; // byte of the row's lane in the panel
  x: usize; // V: entries
  t: usize; // V: weights
  m: usize; // V: scores
  change: usize; // V: their change along a step
  shift: usize; // V: the change that moves the dual point
  trial: usize; // V: scores of a trial code
  u: usize; // V: Psi' at the scores
  bend: usize; // V: t Psi''; 0 where it is too small to be part of the Hessian
  residual: usize; // V: t (u - x)
  z: usize; // width
  next: usize; // width: the step to a trial code
  g: usize; // width
  dual: usize; // width: W^T t (u - x) at the corrected point
  mend: usize; // width: a step that mends it
  model: Quadratic; // the loss near the code
  picked: usize;
  precise: bool; // the Hessian is of all entries, in float64
  even: bool; // all weights are the same
  f: f64; // what steps lower: the loss, or a smoothed one
  floor: f64; // no loss is lower
  // Where Psi has kinks: the width that they are smoothed to, the loss itself, the lowest one met and its
  // code (width), and the slopes (V) of the hinges at the upper and at the lower end.
  smoothing: f64;
  loss: f64;
  best: f64;
  bestCode: usize;
  upper: usize;
  lower: usize;
}

const HEADER: u32 = 192;

/** Bits of an index in bytes that are all set once in 512 pairs of numbers. */
const FACTORS: usize = 0x1ff0;

export function rowBytes(job: Job): u32 {
  return HEADER + 11 * vectorBytes(job.V, 3) + 6 * vectorBytes(job.width, 3) + quadraticBytes(job.free);
}

export function openRow(job: Job, at: usize, panel: Panel, picked: usize): Row {
  const row = changetype<Row>(at);
  const t = <usize>vectorBytes(job.V, 3);
  const w = <usize>vectorBytes(job.width, 3);
  row.panel = panel;
  row.picked = picked;
  at += HEADER;
  row.x = at;
  row.t = at + t;
  row.m = at + 2 * t;
  row.change = at + 3 * t;
  row.trial = at + 4 * t;
  row.u = at + 5 * t;
  row.bend = at + 6 * t;
  row.residual = at + 7 * t;
  row.shift = at + 8 * t;
  row.upper = at + 9 * t;
  row.lower = at + 10 * t;
  at += 11 * t;
  row.z = at;
  row.next = at + w;
  row.g = at + 2 * w;
  row.dual = at + 3 * w;
  row.mend = at + 4 * w;
  row.bestCode = at + 5 * w;
  row.model = openQuadratic(at + 6 * w, job.free);
  return row;
}

/** Entries, weights and code of the lane as float64 vectors. */
export function takeRow(job: Job, row: Row, lane: u32): void {
  const panel = row.panel;
  row.lane = <usize>lane << 2;
  const half = <f64>job.half;
  row.even = true;
  row.precise = false;
  row.floor = 0;
  row.smoothing = 0;
  const pitch = pitchOf(panel);
  let at = row.lane;
  for (let v: u32 = 0; v < job.V; v++, at += pitch) {
    const t = panel.T ? <f64>load<f32>(panel.T + at) : half;
    if (t != half) row.even = false;
    set(row.x, v, <f64>load<f32>(panel.X + at));
    set(row.t, v, t);
    if (job.least != 0) row.floor += 2 * t * job.least;
  }
  for (let v = job.V; v < fours(job.V); v++) {
    set(row.x, v, 0);
    set(row.t, v, 0);
  }
  for (let h: u32 = 0; h < job.width; h++) set(row.z, h, <f64>load<f32>(panel.Z + (<usize>h << 5) + row.lane));
  if (job.set) project64(job, row.z, job.free);
  for (let h: u32 = 0; h < job.free; h++) set(row.z, h, stored(job, get(row.z, h)));
}

/** Whether Psi has kinks. */
export function hasKinks(job: Job): bool {
  return job.loss != CROSS_ENTROPY && (job.slopeFrom > -1 || job.slopeTo < 1);
}

/** What is minimised at the scores m; u, residuals and curvatures there. */
export function look(job: Job, row: Row, m: usize): f64 {
  return job.loss == CROSS_ENTROPY ? lookCrossEntropy(job, row, m) : lookWells(job, row, m);
}

/**
 * The loss at the scores m; u, residuals and curvatures there, all from q = exp(-|m|). The sum of log(1 + q)
 * is the logarithm of a product where all weights are the same: factors are at most 2, so hundreds fit before
 * it must be taken.
 */
function lookCrossEntropy(job: Job, row: Row, m: usize): f64 {
  const one = f64x2.splat(1);
  const two = f64x2.splat(2);
  const whole = f64x2.splat(2 * <f64>job.half);
  const end = <usize>fours(job.V) << 3;
  let sum = f64x2.splat(0);
  let product = one;
  for (let at: usize = 0; at < end; at += 16) {
    const score = v128.load(m + at);
    const x = v128.load(row.x + at);
    const t = v128.load(row.t + at);
    const q = expMinusAbs64(score);
    const p = f64x2.add(one, q);
    const inverse = f64x2.div(one, p);
    const size = f64x2.mul(f64x2.sub(one, q), inverse);
    const u = v128.or(size, v128.and(score, f64x2.splat(-0.0)));
    v128.store(row.u + at, u);
    v128.store(row.residual + at, f64x2.mul(t, f64x2.sub(u, x)));
    v128.store(row.bend + at, f64x2.mul(f64x2.mul(two, t), f64x2.mul(q, f64x2.mul(inverse, inverse))));
    sum = madd64(t, f64x2.sub(f64x2.abs(score), f64x2.mul(x, score)), sum);
    if (row.even) product = f64x2.mul(product, p);
    else sum = madd64(f64x2.mul(two, t), log64(p), sum);
    if ((at & FACTORS) == FACTORS) {
      sum = madd64(whole, log64(product), sum);
      product = one;
    }
  }
  sum = madd64(whole, log64(product), sum);
  // The padding is made of scores 0, each of which has put a factor of 2 into the product.
  const padding = row.even ? <f64>((4 - (job.V & 3)) & 3) : 0;
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1) - 2 * <f64>job.half * padding * Math.LN2;
}

/** Leaves only the curvatures that the Hessian will be made of, there and in the dual correction. */
export function prune(job: Job, row: Row): void {
  if (row.precise) return;
  const C = row.panel.C + row.lane;
  const pitch = pitchOf(row.panel);
  for (let v: u32 = 0; v < job.V; v++) store<f32>(C + <usize>v * pitch, <f32>get(row.bend, v));
  const least = worthPicking(C, pitch, job.V);
  for (let v: u32 = 0; v < job.V; v++) {
    if (!(load<f32>(C + <usize>v * pitch) > least)) set(row.bend, v, 0);
  }
}
