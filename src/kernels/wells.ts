/**
 * Losses other than cross-entropy in float64, for proofs: Psi and Psi* by chords between nodes, which are never below them
 * (src/losses/chords.ts has the nodes and what they are off by). Beyond the ends `from` and `to` Psi is straight; where it
 * has a kink there, it is the sum of a smooth function and of hinges,
 *
 *     Psi(m) = S(m) + (1 - slopeTo) max(0, m - to) + (1 + slopeFrom) max(0, from - m),
 *
 * with S going on straight where it ends. Steps need something that bends: a hinge max(0, z) is smoothed to
 * (z + r) / 2 with r = sqrt(z^2 + 4 width^2), which bends everywhere, most at the kink. Its slopes are between 0 and 1, so
 * that slopes of the smoothed function are a dual point of the problem itself.
 */
import { HAMMING, Job } from './job';
import { get, Row, set } from './row';

/** The cells of an octave are 2^10; what is left of the mantissa of 1 + |m| is the place within a cell. */
const CELL_BITS: u64 = 10;
const REST_BITS: u64 = 52 - CELL_BITS;
const REST: u64 = (1 << REST_BITS) - 1;
const FIRST: u64 = 1023 << CELL_BITS;
const PLACE: f64 = 1.0 / <f64>(1 << REST_BITS);

/**
 * What is minimised at the scores m, with u, residuals and curvatures there; the loss itself goes to `row.loss`. Both are
 * the same where Psi has no kink.
 */
export function lookWells(job: Job, row: Row, m: usize): f64 {
  let f: f64 = 0;
  let loss: f64 = 0;
  for (let v: u32 = 0; v < job.V; v++) {
    const t = get(row.t, v);
    const score = get(m, v);
    const x = get(row.x, v);
    well(job, score, row.smoothing);
    f += t * (smooth - x * score);
    loss += t * (psi - x * score);
    set(row.u, v, slope);
    set(row.residual, v, t * (slope - x));
    set(row.bend, v, t * bend);
  }
  row.loss = loss;
  return f;
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

// What `well` finds: Psi itself, and the smoothed one with its slope and curvature.
let psi: f64 = 0;
let smooth: f64 = 0;
let slope: f64 = 0;
let bend: f64 = 0;

@inline
function well(job: Job, m: f64, width: f64): void {
  const above = m - job.to;
  const below = job.from - m;
  if (above >= 0) straight(above, job.psiTo, job.slopeTo, 1);
  else if (!(below < 0)) straight(below, job.psiFrom, job.slopeFrom, -1);
  else if (job.loss == HAMMING) {
    psi = smooth = 1;
    slope = bend = 0;
  } else inside(job, m);
  if (width == 0) return;
  hinge(above, 1 - job.slopeTo, 1, width);
  hinge(below, 1 + job.slopeFrom, -1, width);
}

/** `z` beyond an end on the side `sign`: Psi, and S with the slope that it ends with. */
@inline
function straight(z: f64, end: f64, inner: f64, sign: f64): void {
  psi = end + z;
  smooth = end + sign * inner * z;
  slope = inner;
  bend = 0;
}

/** Adds a smoothed hinge. */
@inline
function hinge(z: f64, jump: f64, sign: f64, width: f64): void {
  const square = z * z + 4 * width * width;
  const r = sqrt(square);
  smooth += 0.5 * jump * (z + r);
  slope += 0.5 * sign * jump * (1 + z / r);
  bend += (2 * width * width * jump) / (square * r);
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
  psi = smooth = psi0 + share * (load<f64>(at, 16) - psi0);
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
  // The distance from the end as a share of that of the middle: nodes are where its root is a multiple of 1 / cells.
  const cells = <f64>job.dualCells;
  const place = (above ? (1 - u) / (1 - job.middle) : (1 + u) / (1 + job.middle)) * cells * cells;
  const k = min<u32>(<u32>sqrt(place), job.dualCells - 1);
  const at = <usize>job.conjugates + (<usize>(k + (above ? 0 : job.dualCells + 1)) << 3);
  const share = (place - <f64>k * <f64>k) / <f64>(2 * k + 1);
  const value = load<f64>(at);
  return value + max<f64>(0, min<f64>(1, share)) * (load<f64>(at, 8) - value);
}
