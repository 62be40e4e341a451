/**
 * Preconditioned nonlinear conjugate gradients on a panel of eight convex problems, one a lane.
 *
 * A step costs two products, A d and A^T r: along the direction, scores are M + a (A d), so the line search is
 * elementwise. It starts from Newton's step length, a = -slope / curvature, and corrects it by secants; the
 * slope is monotone because the problem is convex, so every correction stays inside the bracket.
 */
import { scoresAndResiduals } from './forward';
import { CROSS_ENTROPY, Job } from './job';
import { curvatures, losses, search } from './loss';
import { addScaled, dot, loadPanel, Panel, storePanel } from './panel';
import { productBack, scores } from './product';
import { madd } from './simd';

// Vectors of eight floats in `panel.state`.
const SLOPE: usize = 0; // of the objective at a = 0
const TRIAL: usize = 32; // of the objective at a
const LENGTH: usize = 64; // a
const LOW: usize = 96; // the bracket: slope <= 0 at LOW, > 0 at HIGH
const HIGH: usize = 128;
const LOW_SLOPE: usize = 160;
const HIGH_SLOPE: usize = 192;
const CURVATURE: usize = 224;
const LARGEST: usize = 256; // max |Md|
const SQUARE: usize = 288; // G . P
const ACTIVE: usize = 320; // 1 while a lane is at work, 0 when it is done
const FRESH: usize = 352; // 1 when the direction is -P
const RIDGE_SLOPE: usize = 384; // ridge Z . D
const RIDGE_CURVATURE: usize = 416; // ridge D . D
const TEMPORARY: usize = 448;

/** No trial step changes a score by more than this: beyond it, curvature at the start says nothing. */
const FARTHEST: f32 = 8;
/** Evaluations of a line search. */
const TRIALS: u32 = 8;
/**
 * For cross-entropy |Psi'''| <= Psi'', so curvature grows at most by e^|change of score|: up to this change a
 * Newton step cannot raise the objective, even if its slope is positive at the end.
 */
const SAFE_CHANGE: f32 = 1.7;

/** Solves the panel of items `first` to `end`; leaves R, C and M at the solution. */
export function solvePanel(job: Job, panel: Panel, first: u32, end: u32): void {
  loadPanel(job, panel, first, end);
  minimise(job, panel);
  storePanel(job, panel);
  if (job.losses) {
    losses(job, panel, panel.state + TEMPORARY);
    for (let l: u32 = 0; l < panel.lanes; l++) {
      const loss = load<f32>(panel.state + TEMPORARY + (<usize>l << 2));
      store<f32>(<usize>job.losses + (<usize>(first + l) << 2), loss);
    }
  }
}

function minimise(job: Job, panel: Panel): void {
  const state = panel.state;
  const free = job.free;
  const boxed = job.radius < Infinity;
  for (let l: u32 = 0; l < 8; l++) {
    set(state + ACTIVE, l, l < panel.lanes ? 1 : 0);
    set(state + FRESH, l, 1);
  }
  if (boxed) clip(panel.Z, free, job.radius);
  scoresAndResiduals(job, panel, true);
  if (job.steps == 0) return;
  gradient(job, panel);
  precondition(job, panel);
  dot(panel.G, panel.P, free, state + SQUARE);
  memory.fill(panel.D, 0, <usize>job.width << 5);
  memory.fill(state + TEMPORARY, 0, 32);
  turn(job, panel, state + TEMPORARY);

  for (let step: u32 = 1; ; step++) {
    startSearch(job, panel);
    if (boxed && leavesBox(job, panel)) followBox(job, panel);
    lineSearch(job, panel);
    addScaled(state + LENGTH, panel.D, free, panel.Z);
    addScaled(state + LENGTH, panel.Md, panel.K, panel.M);
    if (boxed) clip(panel.Z, free, job.radius);
    if (!settle(job, panel) || step >= job.steps) return;
    memory.copy(panel.before, panel.G, <usize>free << 5);
    gradient(job, panel);
    precondition(job, panel);
    conjugate(job, panel);
  }
}

/** G = A^T R + ridge Z, without the coordinates that a bound holds in place. */
function gradient(job: Job, panel: Panel): void {
  productBack(job.back, panel.K, job.free, panel.R, panel.G);
  if (job.ridge > 0) {
    const ridge = f32x4.splat(job.ridge);
    const end = <usize>job.ridged << 5;
    for (let at: usize = 0; at < end; at += 16) {
      v128.store(panel.G + at, madd(ridge, v128.load(panel.Z + at), v128.load(panel.G + at)));
    }
  }
  if (job.radius < Infinity) holdBounds(job, panel, panel.G);
}

/** P = (inverse Hessian) G. */
function precondition(job: Job, panel: Panel): void {
  scores(job.precondition, job.free, job.free, job.free, panel.G, panel.P);
  if (job.radius < Infinity) holdBounds(job, panel, panel.P);
}

/** D = -P + beta D where a lane is active, 0 where it is done. */
function turn(job: Job, panel: Panel, beta: usize): void {
  const b0 = v128.load(beta);
  const b1 = v128.load(beta, 16);
  const active0 = f32x4.gt(v128.load(panel.state + ACTIVE), f32x4.splat(0));
  const active1 = f32x4.gt(v128.load(panel.state + ACTIVE, 16), f32x4.splat(0));
  const end = <usize>job.free << 5;
  for (let at: usize = 0; at < end; at += 32) {
    const d0 = f32x4.sub(f32x4.mul(b0, v128.load(panel.D + at)), v128.load(panel.P + at));
    const d1 = f32x4.sub(f32x4.mul(b1, v128.load(panel.D + at, 16)), v128.load(panel.P + at, 16));
    v128.store(panel.D + at, v128.and(active0, d0));
    v128.store(panel.D + at, v128.and(active1, d1), 16);
  }
  if (job.radius < Infinity) holdBounds(job, panel, panel.D);
}

/** The next direction: Polak-Ribiere in the metric of the preconditioner, never with a negative factor. */
function conjugate(job: Job, panel: Panel): void {
  const state = panel.state;
  dot(panel.G, panel.P, job.free, state + SLOPE);
  dot(panel.before, panel.P, job.free, state + TRIAL);
  for (let l: u32 = 0; l < 8; l++) {
    const square = get(state + SLOPE, l);
    const last = get(state + SQUARE, l);
    let beta = (square - get(state + TRIAL, l)) / last;
    if (!(beta > 0 && beta < 1e6) || get(state + FRESH, l) > 1) beta = 0;
    set(state + SQUARE, l, square);
    set(state + FRESH, l, beta == 0 ? 1 : 0);
    set(state + TEMPORARY, l, beta);
  }
  turn(job, panel, state + TEMPORARY);
  dot(panel.G, panel.D, job.free, state + SLOPE);
  let restart = false;
  for (let l: u32 = 0; l < 8; l++) {
    const lost = !(get(state + SLOPE, l) < 0) && get(state + FRESH, l) == 0 && get(state + ACTIVE, l) > 0;
    set(state + TEMPORARY, l, lost ? 1 : 0);
    if (lost) set(state + FRESH, l, 1);
    restart = restart || lost;
  }
  if (!restart) return;
  for (let h: u32 = 0; h < job.free; h++) {
    for (let l: u32 = 0; l < 8; l++) {
      if (get(state + TEMPORARY, l) > 0) set(panel.D + (<usize>h << 5), l, -get(panel.P + (<usize>h << 5), l));
    }
  }
}

/** Md = A D, the slope and curvature at a = 0, and Newton's step length for each lane. */
function startSearch(job: Job, panel: Panel): void {
  const state = panel.state;
  scores(job.forward, panel.K, job.width, job.free, panel.D, panel.Md);
  dot(panel.G, panel.D, job.free, state + SLOPE);
  curvatures(panel, state + CURVATURE, state + LARGEST);
  ridgeTerms(job, panel);
  for (let l: u32 = 0; l < 8; l++) {
    const slope = get(state + SLOPE, l);
    const curvature = get(state + CURVATURE, l) + get(state + RIDGE_CURVATURE, l);
    let a = min<f32>(-slope / curvature, FARTHEST / get(state + LARGEST, l));
    if (!(slope < 0 && a > 0 && a < f32.MAX_VALUE)) {
      a = 0;
      set(state + ACTIVE, l, 0);
    }
    set(state + LENGTH, l, a);
  }
}

function ridgeTerms(job: Job, panel: Panel): void {
  const state = panel.state;
  dot(panel.Z, panel.D, job.ridged, state + RIDGE_SLOPE);
  dot(panel.D, panel.D, job.ridged, state + RIDGE_CURVATURE);
  for (let l: u32 = 0; l < 8; l++) {
    set(state + RIDGE_SLOPE, l, job.ridge * get(state + RIDGE_SLOPE, l));
    set(state + RIDGE_CURVATURE, l, job.ridge * get(state + RIDGE_CURVATURE, l));
  }
}

/** Step lengths at which no lane's objective is above where it started; R and C are left at those points. */
function lineSearch(job: Job, panel: Panel): void {
  const state = panel.state;
  for (let l: u32 = 0; l < 8; l++) {
    set(state + LOW, l, 0);
    set(state + LOW_SLOPE, l, get(state + SLOPE, l));
    set(state + HIGH, l, Infinity);
  }
  for (let trial: u32 = 1; ; trial++) {
    search(job, panel, state + LENGTH, state + TRIAL);
    if (trial > TRIALS) return;
    let again = false;
    for (let l: u32 = 0; l < 8; l++) {
      const a = get(state + LENGTH, l);
      if (a == 0) continue;
      const slope =
        get(state + TRIAL, l) + get(state + RIDGE_SLOPE, l) + a * get(state + RIDGE_CURVATURE, l);
      const next = correct(job, state, l, a, slope, trial);
      if (next == a) continue;
      set(state + LENGTH, l, next);
      again = true;
    }
    if (!again) return;
  }
}

/** The same step length where it is good enough, a better one where the slope is too far above 0. */
function correct(job: Job, state: usize, l: u32, a: f32, slope: f32, trial: u32): f32 {
  const last = trial == TRIALS;
  const start = -get(state + SLOPE, l);
  if (slope <= 0) {
    // Past the first correction the bracket has two ends: stop unless the slope is still steep.
    if (!(slope < -0.5 * start) || get(state + HIGH, l) == Infinity || last) return a;
    set(state + LOW, l, a);
    set(state + LOW_SLOPE, l, slope);
  } else {
    const safe = job.loss == CROSS_ENTROPY && a * get(state + LARGEST, l) <= SAFE_CHANGE;
    if (slope <= (safe ? 0.1 : 0.001) * start) return a;
    set(state + HIGH, l, a);
    set(state + HIGH_SLOPE, l, slope);
  }
  const low = get(state + LOW, l);
  if (last) return low;
  // The secant's point, a little short of it, so that the slope there is more likely below 0; the middle when the
  // secant has failed once, as it does where the slope jumps.
  const lowSlope = get(state + LOW_SLOPE, l);
  const secant: f32 = (-0.95 * lowSlope) / (get(state + HIGH_SLOPE, l) - lowSlope);
  const share = trial == 1 ? secant : low > 0 ? max<f32>(secant, 0.1) : 0.5;
  return low + (get(state + HIGH, l) - low) * share;
}

/** Marks the lanes whose expected decrease is below the tolerance as done; whether any lane is left. */
function settle(job: Job, panel: Panel): bool {
  const state = panel.state;
  let left = false;
  for (let l: u32 = 0; l < 8; l++) {
    const a = get(state + LENGTH, l);
    const expected: f32 = -0.5 * get(state + SLOPE, l) * a;
    // A direction along which nothing could be gained is tried once more as plain -P.
    if (a == 0 && get(state + FRESH, l) == 0) set(state + FRESH, l, 2);
    else if (!(expected >= job.tolerance)) set(state + ACTIVE, l, 0);
    left = left || get(state + ACTIVE, l) > 0;
  }
  return left;
}

/** Zeroes what `vector` says about coordinates that are at a bound and whose gradient points outward. */
function holdBounds(job: Job, panel: Panel, vector: usize): void {
  const radius = job.radius;
  for (let h: u32 = 0; h < job.free; h++) {
    const row = <usize>h << 5;
    for (let l: u32 = 0; l < 8; l++) {
      const z = get(panel.Z + row, l);
      if (abs(z) < radius) continue;
      // A held coordinate has gradient 0 from here on, so that later calls see it as held too.
      const g = get(panel.G + row, l);
      if (z > 0 ? g <= 0 : g >= 0) set(vector + row, l, 0);
    }
  }
}

function leavesBox(job: Job, panel: Panel): bool {
  const a0 = v128.load(panel.state + LENGTH);
  const a1 = v128.load(panel.state + LENGTH, 16);
  const radius = f32x4.splat(job.radius);
  let outside = f32x4.splat(0);
  const end = <usize>job.free << 5;
  for (let at: usize = 0; at < end; at += 32) {
    const z0 = madd(a0, v128.load(panel.D + at), v128.load(panel.Z + at));
    const z1 = madd(a1, v128.load(panel.D + at, 16), v128.load(panel.Z + at, 16));
    outside = v128.or(outside, f32x4.gt(f32x4.abs(z0), radius));
    outside = v128.or(outside, f32x4.gt(f32x4.abs(z1), radius));
  }
  return v128.any_true(outside);
}

/**
 * Some lane would leave the box: all lanes follow their step projected on it, D' = clip(Z + a D) - Z, on [0, 1].
 * Where the projection is no descent, a projected gradient step is, in any metric that is a multiple of the
 * identity.
 */
function followBox(job: Job, panel: Panel): void {
  const state = panel.state;
  const radius = job.radius;
  for (let h: u32 = 0; h < job.free; h++) {
    const row = <usize>h << 5;
    for (let l: u32 = 0; l < 8; l++) {
      const z = get(panel.Z + row, l);
      const moved = z + get(state + LENGTH, l) * get(panel.D + row, l);
      if (abs(moved) > radius) set(state + FRESH, l, 2);
      set(panel.D + row, l, max(-radius, min(radius, moved)) - z);
    }
  }
  dot(panel.G, panel.D, job.free, state + SLOPE);
  for (let l: u32 = 0; l < 8; l++) {
    if (get(state + ACTIVE, l) == 0 || get(state + SLOPE, l) < 0) continue;
    set(state + FRESH, l, 2);
    for (let h: u32 = 0; h < job.free; h++) {
      const row = <usize>h << 5;
      const z = get(panel.Z + row, l);
      const moved = z - job.stepScale * get(panel.G + row, l);
      set(panel.D + row, l, max(-radius, min(radius, moved)) - z);
    }
  }
  startSearch(job, panel);
  for (let l: u32 = 0; l < 8; l++) set(state + LENGTH, l, min<f32>(1, get(state + LENGTH, l)));
}

function clip(Z: usize, free: u32, radius: f32): void {
  const high = f32x4.splat(radius);
  const low = f32x4.splat(-radius);
  // What rounding leaves just inside a bound is on it.
  const close = f32x4.splat(radius * 0.999999);
  const end = Z + (<usize>free << 5);
  for (; Z < end; Z += 16) {
    const z = v128.load(Z);
    const at = f32x4.ge(f32x4.abs(z), close);
    const bound = v128.bitselect(high, low, f32x4.gt(z, f32x4.splat(0)));
    v128.store(Z, v128.bitselect(bound, z, at));
  }
}

@inline
function get(vector: usize, lane: u32): f32 {
  return load<f32>(vector + (<usize>lane << 2));
}

@inline
function set(vector: usize, lane: u32, value: f32): void {
  store<f32>(vector + (<usize>lane << 2), value);
}
