/** One float64 Newton step on the code of a row: where it goes, what it promises, and how much of it is taken. */
import { hessian } from './hessian';
import { Job, NONNEGATIVE } from './job';
import { guessSides, minimiseQuadratic } from './quadratic';
import { minimiseQuadraticIn } from './quadratic-in';
import { get, look, Row, set } from './row';
import { stored } from './sets';
import { forward64 } from './wide';

/** What is added where no bit is uncertain and the Hessian vanishes: steps are long then, and still numbers. */
const LEAST_DAMPING: f64 = 1e-12;

/** A step must gain this share of what the gradient promises. */
const ENOUGH: f64 = 1e-4;

/** How often a step is halved at most. */
const TRIALS: u32 = 40;

/**
 * Newton's step: to where the quadratic that touches the loss at the code is smallest in the set. `damping` is the share
 * of the Hessian's mean diagonal that is added to it.
 */
export function direction(job: Job, row: Row, damping: f64, first: bool): void {
  hessian(job, row.picked, row.panel.C + row.lane, row.model.A, 4);
  minimiseModel(job, row, damping, first);
}

/** To where the quadratic with the Hessian that the row's model holds is smallest. */
export function minimiseModel(job: Job, row: Row, damping: f64, first: bool): void {
  const free = job.free;
  const model = row.model;
  let trace: f64 = 0;
  for (let h: u32 = 0; h < free; h++) trace += <f64>load<f32>(model.A + (<usize>(h * free + h) << 2));
  model.more = max<f64>((damping * trace) / <f64>free, LEAST_DAMPING);
  model.low = job.set == NONNEGATIVE ? 0 : -job.radius64;
  model.high = job.radius64;
  model.g = row.g;
  model.z = row.z;
  if (job.set > NONNEGATIVE) return minimiseQuadraticIn(job, model);
  if (first) guessSides(model);
  minimiseQuadratic(model);
}

/** The step to the trial code z + a s, rounded as it will be stored, and the change of scores it brings. */
export function place(job: Job, row: Row, a: f64): void {
  for (let h: u32 = 0; h < job.width; h++) {
    const z = get(row.z, h);
    set(row.next, h, h < job.free ? stored(job, z + a * get(row.model.s, h)) - z : 0);
  }
  forward64(job.forward, job.V, job.width, row.next, row.change);
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
  const end = <usize>((job.V + 3) & ~3) << 3;
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
