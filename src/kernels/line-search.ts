/**
 * How far each lane goes along its direction. Scores there are M + a (A d), so that a trial is elementwise.
 * The first one has Newton's step length, a = -slope / curvature, and secants correct it; the slope is
 * monotone because the problem is convex, so every correction stays inside the bracket.
 */
import { scoresAlone } from './alone';
import { CODES, CROSS_ENTROPY, Job, WIDE } from './job';
import {
  ACTIVE,
  CURVATURE,
  get,
  HIGH,
  HIGH_SLOPE,
  LARGEST,
  LENGTH,
  LOW,
  LOW_SLOPE,
  REACH,
  RIDGE_CURVATURE,
  RIDGE_SLOPE,
  SLOPE,
  set,
  TRIAL,
} from './lanes';
import { curvatures, search } from './loss';
import { dot, Panel } from './panel';
import { scores } from './product';

/** No trial step changes a score by more than this: beyond it, curvature at the start says nothing. */
const FARTHEST: f32 = 8;
/** Evaluations of a line search. */
const TRIALS: u32 = 8;
/**
 * For cross-entropy |Psi'''| <= Psi'', so curvature grows at most by e^|change of score|: up to this change a
 * Newton step cannot raise the objective, even if its slope is positive at the end.
 */
const SAFE_CHANGE: f32 = 1.7;
/*
 * By the same bound no objective rises up to `FARTHEST` if the slope at the end is at most a tenth of that at
 * the start. In wide tables that is enough; W, which is carried on along its step, has its first trial
 * corrected more closely.
 */

/** Steps grow while the slope is still this share of the first, as in the tails of Psi without curvature. */
const STEEP: f32 = 0.3;
const GROWTH: f32 = 4;

/** Md = A D, the slope and curvature at a = 0, and Newton's step length for each lane. */
export function startSearch(job: Job, panel: Panel): void {
  const state = panel.state;
  if (panel.alone) scoresAlone(job.forward, panel.K, job.width, job.free, panel.D, panel.Md);
  else scores(job.forward, panel.K, job.width, job.free, panel.D, panel.Md);
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

/**
 * Whether no lane's objective can rise by a step of Newton's length: a line search may change little then.
 */
export function allSafe(job: Job, panel: Panel): bool {
  const state = panel.state;
  if (job.loss != CROSS_ENTROPY) return false;
  for (let l: u32 = 0; l < 8; l++) {
    if (!(get(state + LENGTH, l) * get(state + LARGEST, l) <= SAFE_CHANGE)) return false;
  }
  return true;
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
export function lineSearch(job: Job, panel: Panel): void {
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
    const open = get(state + HIGH, l) == Infinity;
    const steep: f32 = open ? STEEP : 0.5;
    if (!(slope < -steep * start) || last) return a;
    if (open && a >= get(state + REACH, l)) return a;
    set(state + LOW, l, a);
    set(state + LOW_SLOPE, l, slope);
    if (open) return min(GROWTH * a, get(state + REACH, l));
  } else {
    const change = job.V < WIDE || (job.side != CODES && trial == 1) ? SAFE_CHANGE : FARTHEST;
    const safe = job.loss == CROSS_ENTROPY && a * get(state + LARGEST, l) <= change;
    if (slope <= (safe ? 0.1 : 0.001) * start) return a;
    set(state + HIGH, l, a);
    set(state + HIGH_SLOPE, l, slope);
  }
  const low = get(state + LOW, l);
  if (last) return low;
  // The secant's point, a little short of it, so that the slope there is more likely below 0; the middle when
  // the secant has failed once, as it does where the slope jumps.
  const lowSlope = get(state + LOW_SLOPE, l);
  const secant: f32 = (-0.95 * lowSlope) / (get(state + HIGH_SLOPE, l) - lowSlope);
  const share = trial == 1 ? secant : low > 0 ? max<f32>(secant, 0.1) : 0.5;
  return low + (get(state + HIGH, l) - low) * share;
}
