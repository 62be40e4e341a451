/**
 * Float64 projected Newton steps on the code of one row, with a proof of how far it is from the optimum, for
 * cross-entropy. Notation of Prop. 2; f is the loss in nats, t_v = weight_v / 2, C the set that codes are confined to.
 *
 * Every u in [-1, 1]^V bounds the optimum from below, because Psi(m) >= u m - Psi*(u):
 *
 *     f* >= - sum_v t_v Psi*(u_v) + min over e in C of e . W^T (t (u - x))
 *
 * (for the box |e_h| <= r the minimum is -r | W^T (t (u - x)) |_1; a bias unit adds its own term). Two points are tried: u = Psi'(W e), which is
 * the Frank-Wolfe gap, and its Newton correction u + Psi''(m) W d, whose gap is of second order. Losses are never
 * negative, so 0 is a bound too. The best bound met holds for whatever code is left at the end.
 */
import { solveFactored } from './cholesky';
import { hessian } from './hessian';
import { Job, NONNEGATIVE } from './job';
import { guessSides, minimiseQuadratic } from './quadratic';
import { minimiseQuadraticIn } from './quadratic-in';
import { get, look, prune, Row, set, takeRow } from './row';
import { lowest, stored } from './sets';
import { back64, forward64, log64, madd64 } from './wide';

/**
 * Share of the Hessian's mean diagonal that is added to it, for what float32 has lost: at first, and at most, when
 * steps keep failing.
 */
const DAMPING: f64 = 1e-5;
const MOST_DAMPING: f64 = 1;
/** What is added where no bit is uncertain and the Hessian vanishes: steps are long then, and still numbers. */
const LEAST_DAMPING: f64 = 1e-12;

/** A step must gain this share of what the gradient promises. */
const ENOUGH: f64 = 1e-4;

/** How often a step is halved at most. */
const TRIALS: u32 = 40;

/** The corrected bound is worth its price when Newton's step expects to gain at most so many tolerances. */
const WORTHWHILE: f64 = 3;

/** How often a dual point is mended at most. */
const MENDS: u32 = 3;

/** Works on the row in a lane of the panel; its loss and gap go to `out`. */
export function certifyRow(job: Job, row: Row, lane: u32, out: usize): void {
  takeRow(job, row, lane);
  forward64(job.forward, job.V, job.width, row.z, row.m);
  row.f = look(job, row, row.m);
  let bound: f64 = 0;
  let damping = DAMPING;
  for (let step: u32 = 0; row.f - bound > job.tolerance64; step++) {
    prune(job, row);
    back64(job.back, job.V, job.width, row.residual, row.g);
    bound = max(bound, row.f - frankWolfe(job, row));
    if (row.f - bound <= job.tolerance64) break;
    direction(job, row, damping, step == 0);
    const last = step >= job.steps;
    place(job, row, 1);
    if (last || promised(job, row) <= WORTHWHILE * job.tolerance64) {
      bound = max(bound, correctedBound(job, row));
    }
    if (last || row.f - bound <= job.tolerance64) break;
    if (descend(job, row)) continue;
    damping *= 100;
    if (damping > MOST_DAMPING) break;
    look(job, row, row.m);
  }
  for (let h: u32 = 0; h < job.free; h++) {
    store<f32>(row.panel.Z + (<usize>h << 5) + row.lane, <f32>get(row.z, h));
  }
  store<f64>(out, row.f);
  store<f64>(out, max<f64>(0, row.f - bound), 8);
}

function frankWolfe(job: Job, row: Row): f64 {
  let gap: f64 = 0;
  for (let h: u32 = 0; h < job.free; h++) gap += get(row.g, h) * get(row.z, h);
  return gap - lowest(job, row.g);
}

/** Newton's step: to where the quadratic that touches the loss at the code is smallest in the set. */
function direction(job: Job, row: Row, damping: f64, first: bool): void {
  const free = job.free;
  const model = row.model;
  hessian(job, row.picked, row.panel.C + row.lane, model.A, 4);
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
function place(job: Job, row: Row, a: f64): void {
  for (let h: u32 = 0; h < job.width; h++) {
    const z = get(row.z, h);
    set(row.next, h, h < job.free ? stored(job, z + a * get(row.model.s, h)) - z : 0);
  }
  forward64(job.forward, job.V, job.width, row.next, row.change);
}

/** What the step would gain, by the gradient and Newton's model. */
function promised(job: Job, row: Row): f64 {
  let slope: f64 = 0;
  for (let h: u32 = 0; h < job.free; h++) slope += get(row.g, h) * get(row.next, h);
  return -0.5 * slope;
}

/**
 * The bound at u + Psi'' (change of scores), for the change of a whole step. Where W^T t (u - x) should be 0 and,
 * by rounding of the step or of the Hessian, is not yet, the same factor mends it.
 */
function correctedBound(job: Job, row: Row): f64 {
  const bytes = <usize>((job.V + 3) & ~3) << 3;
  memory.copy(row.shift, row.change, bytes);
  const after = row.f - promised(job, row);
  let best: f64 = 0;
  for (let round: u32 = 0; round <= MENDS; round++) {
    if (round > 0) mend(job, row);
    let bound = -conjugates(job, row);
    bound += lowest(job, row.dual);
    let loose: f64 = 0;
    for (let h: u32 = 0; h < job.free; h++) {
      if (get(row.model.side, h) == 0) loose += job.radius64 * abs(get(row.dual, h));
    }
    for (let h = job.free; h < job.width; h++) bound += get(row.dual, h) * get(row.z, h);
    // A step too wild for numbers gives a bound that is none, and no comparison with it holds.
    if (bound > best) best = bound;
    const short = after - bound;
    if (short <= 0.5 * job.tolerance64 || short - loose > 0.5 * job.tolerance64) break;
  }
  return best;
}

/** The sum of t Psi*(u) at the moved u, with dual = W^T t (u - x) there. */
function conjugates(job: Job, row: Row): f64 {
  const one = f64x2.splat(1);
  const half = f64x2.splat(0.5);
  const zero = f64x2.splat(0);
  const end = <usize>((job.V + 3) & ~3) << 3;
  let sums = zero;
  for (let at: usize = 0; at < end; at += 16) {
    const t = v128.load(row.t + at);
    const x = v128.load(row.x + at);
    const there = f64x2.gt(t, zero);
    const move = f64x2.div(f64x2.mul(v128.load(row.bend + at), v128.load(row.shift + at)), t);
    let u = f64x2.add(v128.load(row.u + at), v128.and(there, move));
    u = f64x2.max(f64x2.neg(one), f64x2.min(one, u));
    const high = f64x2.mul(half, f64x2.add(one, u));
    const low = f64x2.sub(one, high);
    const terms = f64x2.add(f64x2.mul(high, log64(high)), f64x2.mul(low, log64(low)));
    sums = madd64(t, terms, sums);
    v128.store(row.trial + at, f64x2.mul(t, f64x2.sub(u, x)));
  }
  back64(job.back, job.V, job.width, row.trial, row.dual);
  return 2 * (f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1));
}

/** Adds to the shift of scores what takes the rest of `dual` away, as far as no bound allows it. */
function mend(job: Job, row: Row): void {
  for (let h: u32 = 0; h < job.free; h++) {
    set(row.mend, h, get(row.model.side, h) == 0 ? -get(row.dual, h) : 0);
  }
  for (let h = job.free; h < job.width; h++) set(row.mend, h, 0);
  solveFactored(row.model.factor, job.free, row.mend);
  forward64(job.forward, job.V, job.width, row.mend, row.trial);
  const end = <usize>((job.V + 3) & ~3) << 3;
  for (let at: usize = 0; at < end; at += 16) {
    v128.store(row.shift + at, f64x2.add(v128.load(row.shift + at), v128.load(row.trial + at)));
  }
}

/** Halves the step until the loss falls. False when rounding hides what could be gained. */
function descend(job: Job, row: Row): bool {
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
