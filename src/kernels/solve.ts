/**
 * Preconditioned nonlinear conjugate gradients on a panel of eight convex problems, one a lane.
 *
 * A step costs two products, A d and A^T r; the line search between them is elementwise. The preconditioner
 * is one for all lanes, or each lane's own Hessian, taken anew every few steps.
 */
import { addScaledAlone, productBackAlone, squareAlone } from './alone';
import { BENT, clip, followBox, holdBounds, leavesBox, stayInside, stopAtBox } from './box';
import { followSet, holdFace, holdGradient } from './faces';
import { scoresAndResiduals } from './forward';
import { Job } from './job';
import { ACTIVE, FRESH, get, LENGTH, REACH, SLOPE, SQUARE, set, TEMPORARY, TRIAL } from './lanes';
import { beginLinear } from './linear';
import { lineSearch, startSearch } from './line-search';
import { losses, lossesAtResiduals } from './loss';
import { Own, preconditionOwn, takeHessians } from './newton';
import { loadPanel } from './load-panel';
import { addScaled, dot, Panel, storePanel, writeLanes } from './panel';
import { productBack, scores } from './product';
import { projectLanes } from './sets';
import { madd } from './simd';

/** A Hessian of a lane's own serves for so many steps: taking one costs as much as two or three of them. */
const HESSIAN_STEPS: u32 = 3;

/** Solves the panel of items `first` to `end`; leaves R, C and M at the solution. */
export function solvePanel(job: Job, panel: Panel, first: u32, end: u32): void {
  loadPanel(job, panel, first, end);
  if (job.linear) beginLinear(job, panel);
  minimise(job, panel, null, job.steps);
  storePanel(job, panel);
  if (job.losses) writeLosses(job, panel);
}

/** Losses of the lanes at the scores M; `fresh`: with less work, for R was taken there. */
export function writeLosses(job: Job, panel: Panel, fresh: bool = false): void {
  if (fresh) lossesAtResiduals(job, panel, panel.state + TEMPORARY);
  else losses(job, panel, panel.state + TEMPORARY);
  writeLanes(panel, panel.state + TEMPORARY, job.losses);
}

/**
 * Minimises all lanes, with the job's preconditioner or with their own Hessians. The first is for the way,
 * where many bounds may be met at once; the second for the end, where steps stop at the next bound and may
 * grow.
 */
export function minimise(job: Job, panel: Panel, own: Own | null, steps: u32): void {
  const free = job.free;
  const boxed = isBoxed(job);
  enter(job, panel, own);
  if (steps == 0) return;
  aim(job, panel, own);
  for (let step: u32 = 1; ; step++) {
    if (own && boxed) stayInside(job, panel);
    startSearch(job, panel);
    if (own && boxed) stopAtBox(job, panel);
    else if (boxed && leavesBox(job, panel)) followBox(job, panel);
    if (job.set) followSet(job, panel);
    advance(job, panel);
    if (boxed) clip(panel.Z, free, job.radius);
    if (job.set) projectLanes(job, panel.Z);
    if (!settle(job, panel) || step >= steps) return;
    memory.copy(panel.before, panel.G, <usize>free << 5);
    gradient(job, panel);
    precondition(job, panel, own, step);
    conjugate(job, panel);
  }
}

function isBoxed(job: Job): bool {
  return job.radius < Infinity && !job.set;
}

/** Every lane with an item is at work, inside its bounds, its scores, residuals and curvatures taken. */
export function enter(job: Job, panel: Panel, own: Own | null): void {
  const state = panel.state;
  for (let l: u32 = 0; l < 8; l++) {
    set(state + ACTIVE, l, l < panel.lanes ? 1 : 0);
    set(state + FRESH, l, 1);
    set(state + REACH, l, own ? Infinity : 0);
  }
  if (isBoxed(job)) clip(panel.Z, job.free, job.radius);
  if (job.set) projectLanes(job, panel.Z);
  scoresAndResiduals(job, panel, true);
}

/** The first direction D = -P, with SQUARE = G . P. */
export function aim(job: Job, panel: Panel, own: Own | null): void {
  const state = panel.state;
  gradient(job, panel);
  precondition(job, panel, own, 0);
  dot(panel.G, panel.P, job.free, state + SQUARE);
  memory.fill(panel.D, 0, <usize>job.width << 5);
  memory.fill(state + TEMPORARY, 0, 32);
  turn(job, panel, state + TEMPORARY);
}

/** Goes along D as far as the line search says. */
export function advance(job: Job, panel: Panel): void {
  lineSearch(job, panel);
  follow(job, panel);
}

/** Goes along D by the lengths as they are: codes and scores only. */
export function follow(job: Job, panel: Panel): void {
  const length = panel.state + LENGTH;
  addScaled(length, panel.D, job.free, panel.Z);
  if (panel.alone) addScaledAlone(load<f32>(length), panel.Md, panel.K, panel.M);
  else addScaled(length, panel.Md, panel.K, panel.M);
}

/** G = A^T R + ridge Z, without what presses against the bounds of the box or the set. */
function gradient(job: Job, panel: Panel): void {
  if (panel.alone) productBackAlone(job.back, panel.K, job.free, panel.R, panel.G);
  else productBack(job.back, panel.K, job.free, panel.R, panel.G);
  if (job.ridge > 0) {
    const ridge = f32x4.splat(job.ridge);
    const end = <usize>job.ridged << 5;
    for (let at: usize = 0; at < end; at += 16) {
      v128.store(panel.G + at, madd(ridge, v128.load(panel.Z + at), v128.load(panel.G + at)));
    }
  }
  if (job.set) holdGradient(job, panel);
  else if (job.radius < Infinity) holdBounds(job, panel, panel.G);
}

/** P = (inverse Hessian) G. */
function precondition(job: Job, panel: Panel, own: Own | null, step: u32): void {
  if (!own) {
    if (panel.alone) squareAlone(job.precondition, job.free, panel.G, panel.P);
    else scores(job.precondition, job.free, job.free, job.free, panel.G, panel.P);
  } else {
    if (step % HESSIAN_STEPS == 0) {
      takeHessians(job, panel, own, panel.state + ACTIVE);
      for (let l: u32 = 0; l < 8; l++) set(panel.state + FRESH, l, 2);
    }
    preconditionOwn(job, panel, own);
  }
  if (job.set) holdFace(job, panel, panel.P);
  else if (job.radius < Infinity) holdBounds(job, panel, panel.P);
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
  if (job.set) holdFace(job, panel, panel.D);
  else if (job.radius < Infinity) holdBounds(job, panel, panel.D);
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

/** Marks the lanes whose expected decrease is below the tolerance as done; whether any lane is left. */
function settle(job: Job, panel: Panel): bool {
  const state = panel.state;
  let left = false;
  for (let l: u32 = 0; l < 8; l++) {
    const a = get(state + LENGTH, l);
    const expected: f32 = -0.5 * get(state + SLOPE, l) * a;
    // A direction along which nothing could be gained is tried once more as plain -P, and so is one that the
    // bounds have bent: what is left of it says little about the item.
    const enough = expected >= job.tolerance;
    if (get(state + FRESH, l) == 0 ? a == 0 : !enough && get(state + FRESH, l) == BENT) set(state + FRESH, l, 2);
    else if (!enough) set(state + ACTIVE, l, 0);
    left = left || get(state + ACTIVE, l) > 0;
  }
  return left;
}
