/**
 * Losses other than cross-entropy in float64, for proofs: Psi and Psi* by chords between nodes, which are
 * never below them (src/losses/chords.ts has the nodes and what they are off by). Beyond the ends `from` and
 * `to` Psi is straight; where it has a kink there, it is the sum of a smooth function and of hinges,
 *
 *     Psi(m) = S(m) + (1 - slopeTo) max(0, m - to) + (1 + slopeFrom) max(0, from - m),
 *
 * with S going on straight where it ends. Steps need something that bends: a hinge max(0, z) is smoothed to
 * (z + r) / 2 with r = sqrt(z^2 + 4 width^2), whose slope (1 + z / r) / 2 rises from 0 to 1 around the kink
 * (kinks.ts).
 */
import { HAMMING, Job } from '../job';
import { Panel } from '../panel';
import { Row } from './row';
import { get, set } from '../vector';

/** The cells of an octave are 2^10; what is left of the mantissa of 1 + |m| is the place within a cell. */
const CELL_BITS: u64 = 10;
const REST_BITS: u64 = 52 - CELL_BITS;
const REST: u64 = (1 << REST_BITS) - 1;
const FIRST: u64 = 1023 << CELL_BITS;
const PLACE: f64 = 1.0 / <f64>(1 << REST_BITS);

/** The loss at the scores m, with u, residuals and curvatures there, where Psi has no kink. */
export function lookWells(job: Job, row: Row, m: usize): f64 {
  let f: f64 = 0;
  for (let v: u32 = 0; v < job.V; v++) {
    const t = get(row.t, v);
    const score = get(m, v);
    const x = get(row.x, v);
    well(job, score);
    f += t * (psi - x * score);
    set(row.u, v, slope);
    set(row.residual, v, t * (slope - x));
    set(row.bend, v, t * bend);
  }
  return f;
}

/** The loss at the scores m. */
export function exactWells(job: Job, row: Row, m: usize): f64 {
  let f: f64 = 0;
  for (let v: u32 = 0; v < job.V; v++) {
    const score = get(m, v);
    well(job, score);
    f += get(row.t, v) * (psi - get(row.x, v) * score);
  }
  return f;
}

/** Slopes of the hinges at the scores, for the width that they are smoothed to. */
export function startSlopes(job: Job, row: Row): void {
  for (let v: u32 = 0; v < job.V; v++) {
    const m = get(row.m, v);
    set(row.upper, v, hingeSlope(m - job.to, row.smoothing));
    set(row.lower, v, hingeSlope(job.from - m, row.smoothing));
  }
}

/** (1 + z / r) / 2, without cancellation. */
function hingeSlope(z: f64, width: f64): f64 {
  const r = sqrt(z * z + 4 * width * width);
  const less = (2 * width * width) / (r * (r + abs(z)));
  return between(z > 0 ? 1 - less : less);
}

/** Slopes stay off 0 and 1 by what float64 can tell. */
const LEAST: f64 = 1e-14;
/** Slopes this close to 0 or 1 hold no step back: what they are off by then is nothing. */
const TINY: f64 = 1e-9;

@inline
function between(s: f64): f64 {
  return max<f64>(LEAST, min<f64>(1 - LEAST, s));
}

/**
 * The loss at the scores in `row.loss`, the dual point u of the slopes, with t (u - x) in `row.trial`, and
 * Newton's system: residuals and curvatures.
 */
export function lookSlopes(job: Job, row: Row): void {
  const up = 1 - job.slopeTo;
  const down = 1 + job.slopeFrom;
  let loss: f64 = 0;
  for (let v: u32 = 0; v < job.V; v++) {
    const t = get(row.t, v);
    const x = get(row.x, v);
    const m = get(row.m, v);
    well(job, m);
    loss += t * (psi - x * m);
    const upper = get(row.upper, v);
    const lower = get(row.lower, v);
    const u = max<f64>(-1, min<f64>(1, slope + up * upper - down * lower));
    set(row.u, v, u);
    set(row.trial, v, t * (u - x));
    aim(m - job.to, upper, row.smoothing);
    let move = up * lag;
    let bends = up * give;
    aim(job.from - m, lower, row.smoothing);
    move -= down * lag;
    bends += down * give;
    set(row.residual, v, t * (u + move - x));
    set(row.bend, v, t * (bend + bends));
  }
  row.loss = loss;
}

/** Moves the slopes along Newton's step; the share of it that keeps all of them inside (0, 1), 1 at most. */
export function followSlopes(job: Job, row: Row, inside: f64): f64 {
  let share: f64 = 1;
  for (let v: u32 = 0; v < job.V; v++) {
    const m = get(row.m, v);
    const change = get(row.change, v);
    aim(m - job.to, get(row.upper, v), row.smoothing);
    const up = lag + give * change;
    aim(job.from - m, get(row.lower, v), row.smoothing);
    const down = lag - give * change;
    set(row.shift, v, up);
    set(row.trial, v, down);
    share = min(share, inside * min(room(get(row.upper, v), up), room(get(row.lower, v), down)));
  }
  for (let v: u32 = 0; v < job.V; v++) {
    set(row.upper, v, between(get(row.upper, v) + share * get(row.shift, v)));
    set(row.lower, v, between(get(row.lower, v) + share * get(row.trial, v)));
  }
  return share;
}

@inline
function room(s: f64, change: f64): f64 {
  if (change > 0) return 1 - s > TINY ? (1 - s) / change : Infinity;
  return change < 0 && s > TINY ? -s / change : Infinity;
}

// What `aim` finds for a hinge at z whose slope is s: how the slope gives when z changes, and how far it lags
// behind z.
let give: f64 = 0;
let lag: f64 = 0;

@inline
function aim(z: f64, s: f64, width: f64): void {
  const product = s * (1 - s);
  const root = sqrt(product);
  give = (2 * product * root) / width;
  lag = give * (z - (width * (2 * s - 1)) / root);
}

/**
 * Loss and sum of t Psi*(u) of the item in a lane of the panel, to `out`, and t (u - x) to `residual`. u is
 * the slope of Psi at the scores m, moved, where the job has directions, by Psi'' times the `change` of
 * scores along them.
 */
export function slopesOfWells(
  job: Job,
  panel: Panel,
  lane: u32,
  m: usize,
  change: usize,
  residual: usize,
  out: usize,
): void {
  let losses: f64 = 0;
  let conjugates: f64 = 0;
  let at = <usize>lane << 2;
  for (let k: u32 = 0; k < job.K; k++, at += 32) {
    const x = <f64>load<f32>(panel.X + at);
    const t = <f64>(panel.T ? load<f32>(panel.T + at) : job.half);
    const score = get(m, k);
    well(job, score);
    let u = score >= job.to ? 1 : score <= job.from ? -1 : slope;
    if (job.directions) u = max<f64>(-1, min<f64>(1, u + bend * get(change, k)));
    losses += t * (psi - x * score);
    conjugates += t * conjugate(job, u);
    set(residual, k, t * (u - x));
  }
  store<f64>(out, losses);
  store<f64>(out, conjugates, 8);
}

/** The sum of t Psi*(u) at the dual point moved by `row.shift`, with t (u - x) there in `row.trial`. */
export function conjugateWells(job: Job, row: Row): f64 {
  let sum: f64 = 0;
  for (let v: u32 = 0; v < job.V; v++) {
    const t = get(row.t, v);
    const move = t > 0 ? (get(row.bend, v) * get(row.shift, v)) / t : 0;
    const u = max<f64>(-1, min<f64>(1, get(row.u, v) + move));
    sum += t * conjugate(job, u);
    set(row.trial, v, t * (u - get(row.x, v)));
  }
  return sum;
}

/** The same at the dual point as it is. */
export function conjugateHere(job: Job, row: Row): f64 {
  let sum: f64 = 0;
  for (let v: u32 = 0; v < job.V; v++) sum += get(row.t, v) * conjugate(job, get(row.u, v));
  return sum;
}

// What `well` finds: Psi, and the slope and curvature of S.
let psi: f64 = 0;
let slope: f64 = 0;
let bend: f64 = 0;

@inline
function well(job: Job, m: f64): void {
  if (m >= job.to) {
    psi = job.psiTo + (m - job.to);
    slope = job.slopeTo;
    bend = 0;
  } else if (!(m > job.from)) {
    psi = job.psiFrom + (job.from - m);
    slope = job.slopeFrom;
    bend = 0;
  } else if (job.loss == HAMMING) {
    psi = 1;
    slope = bend = 0;
  } else inside(job, m);
}

@inline
function inside(job: Job, m: f64): void {
  const away = (m - job.centre) / job.scale;
  const bits = reinterpret<u64>(1 + abs(away));
  const cell = <usize>((bits >> REST_BITS) - FIRST);
  const share = <f64>(bits & REST) * PLACE;
  const at = <usize>job.wells + ((cell + (away < 0 ? <usize>job.wellNodes : 0)) << 4);
  const psi0 = load<f64>(at);
  const slope0 = load<f64>(at, 8);
  psi = psi0 + share * (load<f64>(at, 16) - psi0);
  const rise = load<f64>(at, 24) - slope0;
  slope = slope0 + share * rise;
  // A cell is 2^(octave - 10) wide: 1 over it has the exponent with the other sign.
  const inverse = reinterpret<f64>((2046 + CELL_BITS - (bits >> 52)) << 52);
  bend = max<f64>(0, away < 0 ? -rise : rise) * (inverse / job.scale);
}

@inline
function conjugate(job: Job, u: f64): f64 {
  if (job.loss == HAMMING) return abs(u) - 1;
  const above = u >= job.middle;
  // The distance from the end as a share of that of the middle: nodes are where its fourth root is a multiple
  // of 1 / cells.
  const cells = <f64>job.dualCells;
  const place = (above ? (1 - u) / (1 - job.middle) : (1 + u) / (1 + job.middle)) * power4(cells);
  const k = min<u32>(<u32>sqrt(sqrt(place)), job.dualCells - 1);
  const low = power4(<f64>k);
  const at = <usize>job.conjugates + (<usize>(k + (above ? 0 : job.dualCells + 1)) << 3);
  const share = (place - low) / (power4(<f64>(k + 1)) - low);
  const value = load<f64>(at);
  return value + max<f64>(0, min<f64>(1, share)) * (load<f64>(at, 8) - value);
}

@inline
function power4(x: f64): f64 {
  return x * x * (x * x);
}
