/**
 * Bit flips on codes of true bits. A flip of bit h changes the scores by d = -2 e_h w_h, one column of W, and
 * gains at most 2 e_h g_h less what the loss must bend by on the way: sum_v c_v (exp(-|d_v|) + |d_v| - 1),
 * see `bendsAlong`. Only bits of which something is left are candidates; they are tried in the order of that
 * bound, and it is taken afresh after each flip that helps. Vectors run along the V bits of one row.
 */
import { scoresAndResiduals } from '../forward';
import { Job } from '../job';
import { losses } from '../loss';
import { bendsAlong, lossAlong, residualsAlong } from '../loss-along';
import { loadPanel } from '../load-panel';
import { Panel, panelBytes, storePanel } from '../panel';
import { aligned, fours, madd, vectorBytes } from '../simd';

/** One row's vectors. All float32; V is rounded up to four, the rest has weight 0. */
@unmanaged
export class Row {
  count: u32;
  x: usize;
  t: usize;
  m: usize;
  r: usize;
  /** Bends of the loss, or scores after the first flip of a pair. */
  half: usize;
  /** The code, and for each bit the most that its flip could gain. */
  e: usize;
  gain: usize;
  f: f64;
}

const HEADER: u32 = 64;

export function flipBytes(job: Job): u32 {
  return panelBytes(job) + rowBytes(job);
}

export function rowBytes(job: Job): u32 {
  return HEADER + 5 * vectorBytes(job.V, 2) + 2 * aligned(job.width << 2);
}

/** Flips the codes of a panel of rows; leaves R, C and M at the codes found. */
export function flipPanel(job: Job, panel: Panel, scratch: usize, first: u32, end: u32): void {
  loadPanel(job, panel, first, end);
  flipLanes(job, panel, scratch);
  storePanel(job, panel);
  scoresAndResiduals(job, panel, true);
  if (!job.losses) return;
  losses(job, panel, panel.state);
  for (let l: u32 = 0; l < panel.lanes; l++) {
    store<f32>(<usize>job.losses + (<usize>(first + l) << 2), get(panel.state, l));
  }
}

/** Flips the codes in Z of a panel whose entries are loaded, row by row. */
export function flipLanes(job: Job, panel: Panel, scratch: usize): void {
  const row = openRow(job, scratch + panelBytes(job));
  for (let l: u32 = 0; l < panel.lanes; l++) {
    loadRow(job, panel, row, l, panel.Z);
    flipRow(job, row);
    for (let h: u32 = 0; h < job.free; h++) {
      store<f32>(panel.Z + (<usize>h << 5) + (<usize>l << 2), get(row.e, h));
    }
  }
}

export function flipRow(job: Job, row: Row): void {
  const most = job.sweeps * job.free;
  row.f = lossAlong(job, row.m, row.m, 0, row.x, row.t, row.count);
  for (let flips: u32 = 0; flips < most; flips++) {
    singleGains(job, row);
    if (!flipOne(job, row) && !(job.pairs && flipTwo(job, row))) return;
  }
}

/** What a flip must gain to count: less than this may be rounding, and would let the search go in circles. */
function least(row: Row): f64 {
  return 1e-6 * (1 + abs(row.f));
}

/** The most that each flip can gain: for t = |d|, exp(-t) + t - 1 is at least t^2/2 - t^3/6 and t - 1. */
function singleGains(job: Job, row: Row): void {
  residualsAlong(job, row.m, row.x, row.t, row.r, row.count);
  bendsAlong(job, row.m, row.t, row.half, row.count);
  const end = <usize>row.count << 2;
  const two = f32x4.splat(2);
  for (let h: u32 = 0; h < job.free; h++) {
    const column = columnAt(job, row, h);
    let slope = f32x4.splat(0);
    let bend = slope;
    for (let at: usize = 0; at < end; at += 16) {
      const w = v128.load(column + at);
      const size = f32x4.abs(w);
      slope = madd(w, v128.load(row.r + at), slope);
      const small = f32x4.mul(f32x4.mul(w, w), madd(size, f32x4.splat(-4 / 3.0), two));
      const large = madd(two, size, f32x4.splat(-1));
      bend = madd(v128.load(row.half + at), f32x4.pmax(small, large), bend);
    }
    set(row.gain, h, 2 * get(row.e, h) * sumOfFour(slope) - sumOfFour(bend));
  }
}

/** 2 e_h g_h of each bit: what single flips, and by convexity sums of two for pairs, could gain at most. */
function slopes(job: Job, row: Row): void {
  residualsAlong(job, row.m, row.x, row.t, row.r, row.count);
  const end = <usize>row.count << 2;
  for (let h: u32 = 0; h < job.free; h++) {
    const column = columnAt(job, row, h);
    let sum = f32x4.splat(0);
    for (let at: usize = 0; at < end; at += 16) sum = madd(v128.load(column + at), v128.load(row.r + at), sum);
    set(row.gain, h, 2 * get(row.e, h) * sumOfFour(sum));
  }
}

@inline
function sumOfFour(v: v128): f32 {
  return f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + (f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3));
}

/** Makes the first single flip that helps, the most promising one tried first. */
function flipOne(job: Job, row: Row): bool {
  const enough = least(row);
  for (let tried: u32 = 0; tried < job.free; tried++) {
    let best: u32 = 0;
    for (let h: u32 = 1; h < job.free; h++) if (get(row.gain, h) > get(row.gain, best)) best = h;
    if (!(<f64>get(row.gain, best) > enough)) return false;
    const f = lossAlong(job, row.m, columnAt(job, row, best), -2 * get(row.e, best), row.x, row.t, row.count);
    if (f < row.f - enough) {
      flip(job, row, best, row.m);
      set(row.e, best, -get(row.e, best));
      row.f = f;
      return true;
    }
    set(row.gain, best, -Infinity);
  }
  return false;
}

/** Makes the first flip of two bits that helps. */
function flipTwo(job: Job, row: Row): bool {
  const enough = least(row);
  slopes(job, row);
  for (let h: u32 = 1; h < job.free; h++) {
    let placed = false;
    for (let k: u32 = 0; k < h; k++) {
      if (!(<f64>(get(row.gain, h) + get(row.gain, k)) > enough)) continue;
      if (!placed) flip(job, row, h, row.half);
      placed = true;
      const f = lossAlong(job, row.half, columnAt(job, row, k), -2 * get(row.e, k), row.x, row.t, row.count);
      if (!(f < row.f - enough)) continue;
      memory.copy(row.m, row.half, <usize>row.count << 2);
      flip(job, row, k, row.m);
      set(row.e, h, -get(row.e, h));
      set(row.e, k, -get(row.e, k));
      row.f = f;
      return true;
    }
  }
  return false;
}

/** Changes the scores m of the row's code to those of another, given by twice its bits. */
export function placeCode(job: Job, row: Row, twice: usize, m: usize): void {
  const end = <usize>row.count << 2;
  for (let h: u32 = 0; h < job.free; h++) {
    const change = get(twice, h) - 2 * get(row.e, h);
    if (change == 0) continue;
    const factor = f32x4.splat(0.5 * change);
    const column = columnAt(job, row, h);
    for (let at: usize = 0; at < end; at += 16) {
      v128.store(m + at, madd(factor, v128.load(column + at), v128.load(m + at)));
    }
  }
}

/** to = m with bit h flipped. */
function flip(job: Job, row: Row, h: u32, to: usize): void {
  const column = columnAt(job, row, h);
  const factor = f32x4.splat(-2 * get(row.e, h));
  const end = <usize>row.count << 2;
  for (let at: usize = 0; at < end; at += 16) {
    v128.store(to + at, madd(factor, v128.load(column + at), v128.load(row.m + at)));
  }
}

export function openRow(job: Job, at: usize): Row {
  const row = changetype<Row>(at);
  const t = <usize>vectorBytes(job.V, 2);
  row.count = fours(job.V);
  row.x = at + HEADER;
  row.t = row.x + t;
  row.m = row.t + t;
  row.r = row.m + t;
  row.half = row.r + t;
  row.e = row.half + t;
  row.gain = row.e + <usize>aligned(job.width << 2);
  return row;
}

/** Entries and weights of one lane of the panel, its code among `codes`, and the scores. */
export function loadRow(job: Job, panel: Panel, row: Row, lane: u32, codes: usize): void {
  for (let v: u32 = 0; v < row.count; v++) {
    const inside = v < job.V;
    const at = (<usize>v << 5) + (<usize>lane << 2);
    set(row.x, v, inside ? load<f32>(panel.X + at) : 0);
    set(row.t, v, inside ? (panel.T ? load<f32>(panel.T + at) : job.half) : 0);
    set(row.m, v, 0);
  }
  const end = <usize>row.count << 2;
  for (let h: u32 = 0; h < job.width; h++) {
    const e = load<f32>(codes + (<usize>h << 5) + (<usize>lane << 2));
    set(row.e, h, e);
    const column = columnAt(job, row, h);
    const four = f32x4.splat(e);
    for (let at: usize = 0; at < end; at += 16) {
      v128.store(row.m + at, madd(four, v128.load(column + at), v128.load(row.m + at)));
    }
  }
}

@inline
function columnAt(job: Job, row: Row, h: u32): usize {
  return <usize>job.columns + ((<usize>h * <usize>row.count) << 2);
}

@inline
function get(vector: usize, index: u32): f32 {
  return load<f32>(vector + (<usize>index << 2));
}

@inline
function set(vector: usize, index: u32, value: f32): void {
  store<f32>(vector + (<usize>index << 2), value);
}
