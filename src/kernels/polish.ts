/**
 * Float64 projected Newton steps on the code of one row, with a proof of how far it is from the optimum, for
 * cross-entropy. Notation of Prop. 2; f is the loss in nats, t_v = weight_v / 2, the box is |e_h| <= r.
 *
 * Every u in [-1, 1]^V bounds the optimum from below, because Psi(m) >= u m - Psi*(u):
 *
 *     f* >= - sum_v t_v Psi*(u_v) - r | W^T (t (u - x)) |_1
 *
 * (a bias unit adds its own term of W^T t (u - x), with its sign). Two points are tried: u = Psi'(W e), which is
 * the Frank-Wolfe gap, and its Newton correction u + Psi''(m) W d, whose gap is of second order. Losses are never
 * negative, so 0 is a bound too. The best bound met holds for whatever code is left at the end.
 */
import { factor, solveFactored } from './cholesky';
import { Job } from './job';
import { loadPanel, openPanel, Panel, panelBytes, storePanel } from './panel';
import { tile } from './product';
import { aligned } from './simd';

/** Pieces of a thread's memory, float64 unless said. */
@unmanaged
class Row {
  panel: Panel;
  m: usize; // V: scores
  change: usize; // V: their change along a step
  residual: usize; // V: t (u - x)
  bend: usize; // V: t Psi''
  trial: usize; // V: scores of a trial code
  z: usize; // width
  next: usize; // width: the step to a trial code
  g: usize; // width
  d: usize; // width
  dual: usize; // width: W^T t (u - x) at the corrected point
  hessian: usize; // free x free: upper triangle as it is, lower triangle factored
  diagonal: usize; // width: the Hessian's diagonal
  scaled: usize; // float32, [width / 8][V][8]: t Psi'' W
  square: usize; // float32, a tile
  f: f64;
}

const HEADER: u32 = 128;

/** Coordinates this close to a bound, as a share of the radius, count as on it when they press against it. */
const CLOSE: f64 = 1e-3;

/** How often a step is halved at most. */
const NEWTON_TRIALS: u32 = 10;
const SAFE_TRIALS: u32 = 40;

export function polishBytes(job: Job): u32 {
  return panelBytes(job) + HEADER + rowBytes(job);
}

function rowBytes(job: Job): u32 {
  const tall = aligned(job.V << 3);
  const wide = aligned(job.width << 3);
  return 5 * tall + 6 * wide + aligned((job.free * job.free) << 3) + scaledBytes(job) + 128;
}

function scaledBytes(job: Job): u32 {
  return aligned((job.V * ((job.free + 7) & ~7)) << 2);
}

function openRow(job: Job, at: usize): Row {
  const row = changetype<Row>(at + panelBytes(job));
  row.panel = openPanel(job, at);
  const tall = <usize>aligned(job.V << 3);
  const wide = <usize>aligned(job.width << 3);
  at += panelBytes(job) + HEADER;
  row.m = at;
  row.change = at + tall;
  row.residual = at + 2 * tall;
  row.bend = at + 3 * tall;
  row.trial = at + 4 * tall;
  at += 5 * tall;
  row.z = at;
  row.next = at + wide;
  row.g = at + 2 * wide;
  row.d = at + 3 * wide;
  row.dual = at + 4 * wide;
  row.diagonal = at + 5 * wide;
  row.hessian = at + 6 * wide;
  row.scaled = row.hessian + <usize>aligned((job.free * job.free) << 3);
  row.square = row.scaled + <usize>scaledBytes(job);
  return row;
}

/** Works on the `index`-th row of the list (or of the range); its loss and gap go to `out`. */
export function polishRow(job: Job, index: u32, scratch: usize): void {
  const row = openRow(job, scratch);
  const panel = row.panel;
  const item = job.list ? load<u32>(<usize>job.list + (<usize>index << 2)) : job.start + index;
  loadPanel(job, panel, item, item + 1);
  for (let h: u32 = 0; h < job.width; h++) {
    const z = <f64>load<f32>(panel.Z + (<usize>h << 5));
    set(row.z, h, h < job.free ? <f64>(<f32>clip(z, job.radius64)) : z);
  }
  forward(job, row.z, row.m);
  row.f = lossOf(job, row, row.m);
  let bound: f64 = 0;
  for (let step: u32 = 0; ; step++) {
    residuals(job, row);
    back(job, row.residual, row.g);
    bound = max(bound, row.f - frankWolfe(job, row));
    if (row.f - bound <= job.tolerance64) break;
    if (!direction(job, row)) break;
    place(job, row, 1, false);
    bound = max(bound, correctedBound(job, row));
    if (row.f - bound <= job.tolerance64 || step >= job.steps) break;
    if (descend(job, row, NEWTON_TRIALS)) continue;
    majorise(job, row);
    if (!direction(job, row) || !descend(job, row, SAFE_TRIALS)) break;
  }
  for (let h: u32 = 0; h < job.free; h++) store<f32>(panel.Z + (<usize>h << 5), <f32>get(row.z, h));
  storePanel(job, panel);
  const out = <usize>job.out + (<usize>index << 4);
  store<f64>(out, row.f);
  store<f64>(out, max<f64>(0, row.f - bound), 8);
}

/** Residuals t (u - x) and curvatures t Psi'' at the scores. */
function residuals(job: Job, row: Row): void {
  for (let v: u32 = 0; v < job.V; v++) {
    const m = get(row.m, v);
    const q = Math.exp(-abs(m));
    const u = copysign((1 - q) / (1 + q), m);
    const t = weight(job, row.panel, v);
    set(row.residual, v, t * (u - entry(row.panel, v)));
    set(row.bend, v, (t * 2 * q) / ((1 + q) * (1 + q)));
  }
}

function lossOf(job: Job, row: Row, m: usize): f64 {
  let sum: f64 = 0;
  for (let v: u32 = 0; v < job.V; v++) {
    const score = get(m, v);
    const t = weight(job, row.panel, v);
    const size = abs(score);
    sum += t * (size - entry(row.panel, v) * score + 2 * Math.log1p(Math.exp(-size)));
  }
  return sum;
}

function frankWolfe(job: Job, row: Row): f64 {
  let gap: f64 = 0;
  for (let h: u32 = 0; h < job.free; h++) {
    const g = get(row.g, h);
    gap += g * get(row.z, h) + job.radius64 * abs(g);
  }
  return gap;
}

/**
 * d: Newton's direction on the coordinates that are free to move; those that press against a bound take a step of
 * their own diagonal, which only carries them on to it. A Hessian without full rank is helped by more and more of
 * its mean diagonal. False when nothing helps.
 */
function direction(job: Job, row: Row): bool {
  const free = job.free;
  hessian(job, row);
  let trace: f64 = 0;
  for (let h: u32 = 0; h < free; h++) trace += get(row.diagonal, h);
  const mean = trace / <f64>max<u32>(1, free);
  for (let share: f64 = 1e-8; share < 10; share *= 100) {
    for (let h: u32 = 0; h < free; h++) {
      const held = presses(job, row, h);
      for (let j: u32 = 0; j < h; j++) {
        const together = !held && !presses(job, row, j);
        set(row.hessian, h * free + j, together ? get(row.hessian, j * free + h) : 0);
      }
      set(row.hessian, h * free + h, get(row.diagonal, h) + share * mean + 1e-300);
      set(row.d, h, -get(row.g, h));
    }
    if (!factor(row.hessian, free)) continue;
    solveFactored(row.hessian, free, row.d);
    return true;
  }
  return false;
}

/** W^T diag(t Psi'') W over the free coordinates, in the upper triangle and `diagonal`; tiles in float32. */
function hessian(job: Job, row: Row): void {
  const free = job.free;
  const V = job.V;
  const eights = (free + 7) >> 3;
  for (let v: u32 = 0; v < V; v++) {
    const bend = f32x4.splat(<f32>get(row.bend, v));
    const w = <usize>job.wide + (<usize>v << 5);
    const to = row.scaled + (<usize>v << 5);
    for (let j: usize = 0; j < <usize>eights; j++) {
      const at = (j * <usize>V) << 5;
      v128.store(to + at, f32x4.mul(bend, v128.load(w + at)));
      v128.store(to + at, f32x4.mul(bend, v128.load(w + at, 16)), 16);
    }
  }
  for (let i: u32 = 0; i < free; i += 4) {
    for (let j: u32 = 0; j <= i + 3 && j < free; j += 8) {
      const a = <usize>job.back + ((<usize>(i >> 2) * <usize>V) << 4);
      const b = row.scaled + ((<usize>(j >> 3) * <usize>V) << 5);
      tile(a, b, V, row.square, false);
      for (let k: u32 = i; k < min(free, i + 4); k++) {
        for (let l: u32 = j; l < min(free, j + 8); l++) {
          const at = ((k - i) << 3) + (l - j);
          const value = <f64>load<f32>(row.square + (<usize>at << 2));
          if (l < k) set(row.hessian, l * free + k, value);
          else if (l == k) set(row.diagonal, k, value);
        }
      }
    }
  }
}

/** The step to the trial code clip(z + a d), rounded as it will be stored or not, and the change of scores it brings. */
function place(job: Job, row: Row, a: f64, rounded: bool): void {
  for (let h: u32 = 0; h < job.width; h++) {
    const z = get(row.z, h);
    const moved = h < job.free ? clip(z + a * get(row.d, h), job.radius64) : z;
    set(row.next, h, (rounded ? <f64>(<f32>moved) : moved) - z);
  }
  forward(job, row.next, row.change);
}

/** The bound at u + Psi'' (change of scores), for the change of a whole step. */
function correctedBound(job: Job, row: Row): f64 {
  let sum: f64 = 0;
  for (let v: u32 = 0; v < job.V; v++) {
    const t = weight(job, row.panel, v);
    let r: f64 = 0;
    if (t > 0) {
      const x = entry(row.panel, v);
      const moved = get(row.residual, v) / t + x + (get(row.bend, v) / t) * get(row.change, v);
      const u = clip(moved, 1);
      sum -= t * (xLogHalfX(1 + u) + xLogHalfX(1 - u));
      r = t * (u - x);
    }
    set(row.trial, v, r);
  }
  back(job, row.trial, row.dual);
  for (let h: u32 = 0; h < job.free; h++) sum -= job.radius64 * abs(get(row.dual, h));
  for (let h = job.free; h < job.width; h++) sum += get(row.dual, h) * get(row.z, h);
  return sum;
}

/**
 * Curvatures t tanh(m / 2) / m, those of the parabola that touches Psi at m and lies above it everywhere. Where
 * scores are saturated Psi'' is next to 0 and Newton's step points far outside the box; this one never does.
 */
function majorise(job: Job, row: Row): void {
  for (let v: u32 = 0; v < job.V; v++) {
    const size = abs(get(row.m, v));
    const q = Math.exp(-size);
    const ratio = size > 1e-4 ? (1 - q) / ((1 + q) * size) : 0.5;
    set(row.bend, v, weight(job, row.panel, v) * ratio);
  }
}

/** Halves the step until the loss falls. False when it does not. */
function descend(job: Job, row: Row, trials: u32): bool {
  let a: f64 = 1;
  for (let trial: u32 = 0; trial < trials; trial++, a *= 0.5) {
    place(job, row, a, true);
    for (let v: u32 = 0; v < job.V; v++) set(row.trial, v, get(row.m, v) + get(row.change, v));
    const f = lossOf(job, row, row.trial);
    if (!(f < row.f)) continue;
    row.f = f;
    for (let h: u32 = 0; h < job.width; h++) set(row.z, h, get(row.z, h) + get(row.next, h));
    const m = row.m;
    row.m = row.trial;
    row.trial = m;
    return true;
  }
  return false;
}

/** m = W z. */
function forward(job: Job, z: usize, m: usize): void {
  const width = job.width;
  let w = <usize>job.A;
  for (let v: u32 = 0; v < job.V; v++) {
    let low = f64x2.splat(0);
    let high = f64x2.splat(0);
    let h: u32 = 0;
    let at = z;
    for (; h + 4 <= width; h += 4, w += 16, at += 32) {
      const four = v128.load(w);
      const upper = v128.shuffle<f32>(four, four, 2, 3, 2, 3);
      low = f64x2.add(low, f64x2.mul(f64x2.promote_low_f32x4(four), v128.load(at)));
      high = f64x2.add(high, f64x2.mul(f64x2.promote_low_f32x4(upper), v128.load(at, 16)));
    }
    low = f64x2.add(low, high);
    let sum = f64x2.extract_lane(low, 0) + f64x2.extract_lane(low, 1);
    for (; h < width; h++, w += 4, at += 8) sum += <f64>load<f32>(w) * load<f64>(at);
    set(m, v, sum);
  }
}

/** g = W^T r. */
function back(job: Job, r: usize, g: usize): void {
  const width = job.width;
  memory.fill(g, 0, <usize>width << 3);
  let w = <usize>job.A;
  for (let v: u32 = 0; v < job.V; v++) {
    const factor = get(r, v);
    const both = f64x2.splat(factor);
    let h: u32 = 0;
    let at = g;
    for (; h + 4 <= width; h += 4, w += 16, at += 32) {
      const four = v128.load(w);
      const upper = v128.shuffle<f32>(four, four, 2, 3, 2, 3);
      v128.store(at, f64x2.add(v128.load(at), f64x2.mul(both, f64x2.promote_low_f32x4(four))));
      v128.store(at, f64x2.add(v128.load(at, 16), f64x2.mul(both, f64x2.promote_low_f32x4(upper))), 16);
    }
    for (; h < width; h++, w += 4, at += 8) store<f64>(at, load<f64>(at) + factor * <f64>load<f32>(w));
  }
}

/** Whether the coordinate is at (or close to) a bound that its gradient pushes it against. */
function presses(job: Job, row: Row, h: u32): bool {
  const z = get(row.z, h);
  const g = get(row.g, h);
  return abs(z) >= job.radius64 * (1 - CLOSE) && z * g < 0;
}

/** t ln(t / 2), with its limit 0 at t = 0. */
function xLogHalfX(t: f64): f64 {
  return t > 0 ? t * Math.log(t / 2) : 0;
}

function clip(x: f64, radius: f64): f64 {
  return max(-radius, min(radius, x));
}

/** Entry and weight of bit v of the one row in the panel. */
function entry(panel: Panel, v: u32): f64 {
  return <f64>load<f32>(panel.X + (<usize>v << 5));
}

function weight(job: Job, panel: Panel, v: u32): f64 {
  return <f64>(panel.T ? load<f32>(panel.T + (<usize>v << 5)) : job.half);
}

@inline
function get(vector: usize, index: u32): f64 {
  return load<f64>(vector + (<usize>index << 3));
}

@inline
function set(vector: usize, index: u32, value: f64): void {
  store<f64>(vector + (<usize>index << 3), value);
}
