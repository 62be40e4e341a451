/**
 * One float64 Newton step on the code of a row: where it goes, what it promises, and how much of it is taken.
 */
import { hessian } from '../hessian';
import { Job, NONNEGATIVE } from '../job';
import { pitchOf } from '../panel';
import { entry, guessSides, minimiseQuadratic, Quadratic, widen } from './quadratic';
import { minimiseQuadraticIn } from './quadratic-in';
import { look, Row } from './row';
import { get, set } from '../vector';
import { stored } from '../sets';
import { back64, forward64 } from '../wide';
import { fours } from '../simd';

/**
 * A unit's diagonal counts at least as this share of the mean one: a step is not endless where nothing bends.
 */
const LEAST_SHARE: f64 = 1e-4;

/**
 * What is added where no bit is uncertain and the Hessian vanishes: steps are long then, and still numbers.
 */
const LEAST_DAMPING: f64 = 1e-12;

/** Damping for models that cannot be minimised with less: at first, and no longer. */
const MORE: f64 = 1e-3;
const MOST_MORE: f64 = 1e6;

/** A step must gain this share of what the gradient promises. */
const ENOUGH: f64 = 1e-4;

/** How often a step is halved at most. */
const TRIALS: u32 = 40;

/**
 * Newton's step: to where the quadratic that touches the loss at the code is smallest in the set. `damping`
 * is the share of the Hessian's diagonal that is added to it, to each unit of its own: weights of one unit
 * may be ten times another's.
 */
export function direction(job: Job, row: Row, damping: f64, first: bool): void {
  if (row.precise) wholeHessian(job, row);
  else pickedHessian(job, row);
  minimiseModel(job, row, damping, first);
}

/**
 * To where the quadratic with the Hessian that the row's model holds is smallest. Where fewer bits are
 * uncertain than there are units, it may take hundreds of guesses to find that place: more damping then
 * leaves less to guess.
 */
export function minimiseModel(job: Job, row: Row, damping: f64, first: bool): void {
  const model = row.model;
  model.low = job.set == NONNEGATIVE ? 0 : -job.radius64;
  model.high = job.radius64;
  model.g = row.g;
  model.z = row.z;
  for (let more = damping; more < MOST_MORE; more = max<f64>(100 * more, MORE)) {
    damp(model, more);
    if (first || more != damping) guessSides(model);
    if (job.set > NONNEGATIVE ? minimiseQuadraticIn(job, model) : minimiseQuadratic(model)) return;
  }
}

/** Adds a share of the diagonal to it. */
function damp(model: Quadratic, share: f64): void {
  const n = model.n;
  let trace: f64 = 0;
  for (let h: u32 = 0; h < n; h++) trace += entry(model, h, h);
  const least = (LEAST_SHARE * trace) / <f64>n;
  for (let h: u32 = 0; h < n; h++) {
    const bend = entry(model, h, h);
    set(model.A, h * n + h, bend + max<f64>(share * max<f64>(bend, least), LEAST_DAMPING));
  }
}

/** The Hessian of the entries that matter, in float32, by way of where the factors will be. */
function pickedHessian(job: Job, row: Row): void {
  hessian(job, row.picked, row.panel.C + row.lane, pitchOf(row.panel), row.model.factor, 4);
  widen(row.model);
}

/** The Hessian of all entries, in float64: row h of it is W^T (bend w_h). */
function wholeHessian(job: Job, row: Row): void {
  const free = job.free;
  for (let h: u32 = 0; h < free; h++) {
    const column = <usize>job.back + ((<usize>(h >> 2) * <usize>job.V) << 4) + <usize>((h & 3) << 2);
    for (let v: u32 = 0; v < job.V; v++) {
      set(row.trial, v, get(row.bend, v) * <f64>load<f32>(column + (<usize>v << 4)));
    }
    back64(job.back, job.V, job.width, row.trial, row.mend);
    memory.copy(row.model.A + (<usize>(h * free) << 3), row.mend, <usize>(h + 1) << 3);
  }
}

/** The step to the trial code z + a s, rounded as it will be stored. */
export function place(job: Job, row: Row, a: f64): void {
  for (let h: u32 = 0; h < job.width; h++) {
    const z = get(row.z, h);
    set(row.next, h, h < job.free ? stored(job, z + a * get(row.model.s, h)) - z : 0);
  }
}

/** What the step would gain, by the gradient and Newton's model. */
export function promised(job: Job, row: Row): f64 {
  let slope: f64 = 0;
  for (let h: u32 = 0; h < job.free; h++) slope += get(row.g, h) * get(row.next, h);
  return -0.5 * slope;
}

/** Halves the step until the loss falls. False when rounding hides what could be gained. */
export function descend(job: Job, row: Row): bool {
  let a: f64 = 1;
  for (let trial: u32 = 0; trial < TRIALS; trial++, a *= 0.5) {
    if (trial > 0) place(job, row, a);
    if (accept(job, row)) return true;
  }
  return false;
}

/** Moves to the trial code if the loss there is lower by enough. */
function accept(job: Job, row: Row): bool {
  forward64(job.forward, job.V, job.width, row.next, row.change);
  const end = <usize>fours(job.V) << 3;
  for (let at: usize = 0; at < end; at += 16) {
    v128.store(row.trial + at, f64x2.add(v128.load(row.m + at), v128.load(row.change + at)));
  }
  const f = look(job, row, row.trial);
  const least = 2 * ENOUGH * promised(job, row);
  if (!(f < row.f) || row.f - f < least) return false;
  row.f = f;
  for (let h: u32 = 0; h < job.width; h++) set(row.z, h, get(row.z, h) + get(row.next, h));
  const m = row.m;
  row.m = row.trial;
  row.trial = m;
  return true;
}
