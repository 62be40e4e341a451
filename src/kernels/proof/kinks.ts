/**
 * Codes of a row for losses whose Psi has kinks, Hamming's for one, proven in float64: a primal-dual method
 * of interior points. Psi is a smooth function with a hinge at either end (wells.ts), and each hinge of each
 * bit has a slope s of its own, 0 < s < 1, beside the code. On the smoothed hinge of a width w, z beyond the
 * kink,
 *
 *     z = w (2 s - 1) / sqrt(s (1 - s))
 *
 * A Newton step on these equations together with W^T t (u - x) = 0, where u is made of the slopes, moves
 * codes and slopes; slopes go as far as they stay inside (0, 1), and w falls as fast as they can follow. Once
 * W^T t (u - x) = 0 holds it goes on to hold (what is smooth in Psi aside, whose slopes are those at the
 * code), so that every u is a good dual point of the problem itself.
 */
import { boundAt } from './bounds';
import { solveFactored } from '../cholesky';
import { Job } from '../job';
import { prune, Row } from './row';
import { get, set } from '../vector';
import { project64, stored } from '../sets';
import { direction } from './step';
import { back64, forward64 } from '../wide';
import { exactWells, followSlopes, lookSlopes, startSlopes } from './wells';

/**
 * Share of the Hessian's mean diagonal that is added to it, for what float32 has lost, or float64: next to a
 * narrow kink the first is more than all that bends along some direction.
 */
const DAMPING: f64 = 1e-7;
const PRECISE_DAMPING: f64 = 1e-11;
/** Share of the way to 0 or 1 that a slope may go. */
const INSIDE: f64 = 0.95;
/** What the width is multiplied by after a step that slopes could follow, far enough or nearly. */
const FAST: f64 = 0.3;
const SLOW: f64 = 0.5;
/** Slopes that follow less than this share so many times in a row are stuck, and begin anew so much wider. */
const SHORT: f64 = 0.1;
const PATIENCE: u32 = 3;
const WIDER: f64 = 8;
/** Steps after which they begin anew once in any case. */
const MANY: u32 = 30;
/** How often a step is refined. */
const REFINEMENTS: u32 = 1;
/** The share of the tolerance that is left to the rounding of codes. */
const ROUNDING: f64 = 0.02;

/** Leaves the best code met, as it will be stored, in `row.z` and its loss in `row.f`; the best bound. */
export function certifyKinked(job: Job, row: Row): f64 {
  const enough = (1 - ROUNDING) * job.tolerance64;
  let bound = row.floor;
  row.smoothing = <f64>job.smoothing;
  keepGiven(job, row);
  startSlopes(job, row);
  let short: u32 = 0;
  for (let step: u32 = 0; ; step++) {
    lookSlopes(job, row);
    keepBest(job, row);
    back64(job.back, job.V, job.width, row.trial, row.dual);
    bound = max(bound, boundAt(job, row, row.dual));
    if (row.best - bound <= enough || step >= 2 * job.steps) break;
    prune(job, row);
    back64(job.back, job.V, job.width, row.residual, row.g);
    direction(job, row, row.precise ? PRECISE_DAMPING : DAMPING, step == 0);
    for (let h: u32 = 0; h < job.width; h++) set(row.next, h, h < job.free ? get(row.model.s, h) : 0);
    forward64(job.forward, job.V, job.width, row.next, row.change);
    for (let round: u32 = 0; round < REFINEMENTS; round++) refine(job, row);
    const share = followSlopes(job, row, INSIDE);
    // Codes are bound by nothing but the box: they may go further than the slopes do, but not so far as to
    // lose them.
    const length = min<f64>(1, 2 * share);
    for (let h: u32 = 0; h < job.width; h++) set(row.z, h, get(row.z, h) + length * get(row.next, h));
    forward64(job.forward, job.V, job.width, row.z, row.m);
    row.smoothing *= share > 0.7 ? FAST : share > 0.3 ? SLOW : 1;
    short = share < SHORT ? short + 1 : 0;
    if (short < PATIENCE && (row.precise || step < MANY)) continue;
    beginAnew(job, row);
    short = 0;
  }
  for (let h: u32 = 0; h < job.width; h++) {
    const z = get(row.bestCode, h);
    set(row.z, h, h < job.free ? stored(job, z) : z);
  }
  forward64(job.forward, job.V, job.width, row.z, row.m);
  row.f = exactWells(job, row, row.m);
  return bound;
}

/**
 * Slopes that are stuck begin anew at the best code met, at a width that lets them move. The Hessian is of
 * all entries from here on, in float64: next to a kink that has become narrow, an entry that bends as Psi
 * itself does is too little for the share that counts otherwise, and without it nothing may be left that
 * bends along some direction.
 */
function beginAnew(job: Job, row: Row): void {
  row.precise = true;
  row.smoothing = min<f64>(<f64>job.smoothing, WIDER * row.smoothing);
  memory.copy(row.z, row.bestCode, <usize>job.width << 3);
  forward64(job.forward, job.V, job.width, row.z, row.m);
  startSlopes(job, row);
}

/**
 * Removes what float32 and damping have left of W^T (residual + bend change) where no bound holds the code.
 */
function refine(job: Job, row: Row): void {
  for (let v: u32 = 0; v < job.V; v++) set(row.trial, v, get(row.residual, v) + get(row.bend, v) * get(row.change, v));
  back64(job.back, job.V, job.width, row.trial, row.mend);
  for (let h: u32 = 0; h < job.width; h++) {
    set(row.mend, h, h < job.free && get(row.model.side, h) == 0 ? -get(row.mend, h) : 0);
  }
  solveFactored(row.model.factor, job.free, row.mend);
  for (let h: u32 = 0; h < job.free; h++) set(row.next, h, get(row.next, h) + get(row.mend, h));
  forward64(job.forward, job.V, job.width, row.next, row.change);
}

/** Float32 steps have lowered a smoothed loss: the code that they were given, still in E, may be better. */
function keepGiven(job: Job, row: Row): void {
  const given = job.Z + ((<usize>row.panel.first * <usize>job.width) << 2) + row.lane * <usize>job.width;
  for (let h: u32 = 0; h < job.width; h++) set(row.bestCode, h, <f64>load<f32>(given + (<usize>h << 2)));
  if (job.set) project64(job, row.bestCode, job.free);
  for (let h: u32 = 0; h < job.free; h++) set(row.bestCode, h, stored(job, get(row.bestCode, h)));
  forward64(job.forward, job.V, job.width, row.bestCode, row.trial);
  row.best = exactWells(job, row, row.trial);
}

function keepBest(job: Job, row: Row): void {
  if (!(row.loss < row.best)) return;
  row.best = row.loss;
  memory.copy(row.bestCode, row.z, <usize>job.width << 3);
}
