/**
 * Loss, gradient and a dual point of one item of a wide table, for cross-entropy, in float64 and in one go:
 * only the entries that bend most are moved, along the step d of their own Hessian A (see few.ts),
 *
 *     u' = u + Psi''(m) a . d  on those entries,     (A + ridge) d = -(g + ridge z),
 *
 * which leaves the gradient -ridge (z + d), as Newton's own step would.
 */
import { factor, solveFactored } from '../cholesky';
import { FEW, fewHessian, pickedBytes } from '../hessian';
import { Job } from '../job';
import { conjugate, weight } from './few';
import { entry, openQuadratic, Quadratic, quadraticBytes, widen } from './quadratic';
import { aligned } from '../simd';
import { get, set } from '../vector';
import { back64, expMinusAbs64, log64, madd64 } from '../wide';

/** What is added to the diagonal of a Hessian in float32, as a share of it. */
const DAMPING: f64 = 1e-6;

/**
 * Bits of an index in bytes that are all set once in 512 pairs of numbers: so many factors of 2 fit a
 * float64.
 */
const FACTORS: usize = 0x1ff0;

export function fewSlopesBytes(job: Job): u32 {
  return aligned(FEW << 2) + aligned(pickedBytes(job)) + quadraticBytes(job.free);
}

/**
 * At the scores m, with room for as many curvatures and residuals; x and t of the item are 32 bytes apart, t
 * is 0 where all weigh job.half. Leaves the gradient in g; loss and conjugate go to `out`.
 */
export function fewSlopes(
  job: Job,
  scratch: usize,
  x: usize,
  t: usize,
  z: usize,
  m: usize,
  bend: usize,
  residual: usize,
  g: usize,
  out: usize,
): void {
  const list = scratch;
  const picked = list + <usize>aligned(FEW << 2);
  const model = openQuadratic(picked + <usize>aligned(pickedBytes(job)), job.free);
  const loss = look(job, x, t, m, bend, residual);
  back64(job.back, job.K, job.width, residual, g);
  // At u = Psi'(m) itself, the sum of t Psi*(u) is g . z - f.
  let conjugates = -loss;
  for (let h: u32 = 0; h < job.width; h++) conjugates += get(g, h) * get(z, h);
  const count = fewHessian(job, picked, bend, model.factor, list);
  step(job, model, z, g);
  for (let i: u32 = 0; i < count; i++) {
    const k = load<u32>(list + (<usize>i << 2));
    const at = <usize>k << 5;
    const weighs = t ? <f64>load<f32>(t + at) : <f64>job.half;
    const u = get(residual, k) / weighs + <f64>load<f32>(x + at);
    let change: f64 = 0;
    for (let h: u32 = 0; h < job.free; h++) change += weight(job, k, h) * get(model.d, h);
    const moved = max<f64>(-1, min<f64>(1, u + (get(bend, k) * change) / weighs));
    for (let h: u32 = 0; h < job.width; h++) set(g, h, get(g, h) + weighs * (moved - u) * weight(job, k, h));
    conjugates += weighs * (conjugate(moved) - conjugate(u));
  }
  store<f64>(out, loss);
  store<f64>(out, conjugates, 8);
}

/** Newton's step for the Hessian that was left where the factors will be, to `model.d`. */
function step(job: Job, model: Quadratic, z: usize, g: usize): void {
  const n = job.free;
  const ridge = <f64>job.ridge;
  widen(model);
  for (let i: u32 = 0; i < n; i++) {
    const ridged = i < job.ridged ? ridge : 0;
    for (let j: u32 = 0; j < i; j++) set(model.factor, i * n + j, entry(model, i, j));
    set(model.factor, i * n + i, (1 + DAMPING) * (entry(model, i, i) + ridged));
    set(model.d, i, -(get(g, i) + ridged * get(z, i)));
  }
  factor(model.factor, n);
  solveFactored(model.factor, n, model.d);
}

/** The loss at the scores m, with t Psi'' and t (Psi' - x) there. */
function look(job: Job, x: usize, t: usize, m: usize, bend: usize, residual: usize): f64 {
  const one = f64x2.splat(1);
  const two = f64x2.splat(2);
  const even = f64x2.splat(<f64>job.half);
  const end = <usize>job.K << 3;
  let sum = f64x2.splat(0);
  let product = one;
  for (let at: usize = 0; at < end; at += 16) {
    let entries = pair(x + (at << 2));
    let weights = t ? pair(t + (at << 2)) : even;
    let score = v128.load(m + at);
    // Beyond the last entry there may be anything: it counts for nothing.
    if (at + 8 == end) {
      entries = f64x2.replace_lane(entries, 1, 0);
      weights = f64x2.replace_lane(weights, 1, 0);
      score = f64x2.replace_lane(score, 1, Infinity);
    }
    const q = expMinusAbs64(score);
    const p = f64x2.add(one, q);
    const inverse = f64x2.div(one, p);
    const u = v128.or(f64x2.mul(f64x2.sub(one, q), inverse), v128.and(score, f64x2.splat(-0.0)));
    v128.store(residual + at, f64x2.mul(weights, f64x2.sub(u, entries)));
    v128.store(bend + at, f64x2.mul(f64x2.mul(two, weights), f64x2.mul(q, f64x2.mul(inverse, inverse))));
    const finite = at + 8 == end ? f64x2.replace_lane(score, 1, 0) : score;
    sum = madd64(weights, f64x2.sub(f64x2.abs(finite), f64x2.mul(entries, finite)), sum);
    if (t) sum = madd64(f64x2.mul(two, weights), log64(p), sum);
    else product = f64x2.mul(product, p);
    if ((at & FACTORS) == FACTORS) {
      sum = madd64(f64x2.mul(two, even), log64(product), sum);
      product = one;
    }
  }
  sum = madd64(f64x2.mul(two, even), log64(product), sum);
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
}

/** The entries of one lane at two neighbouring indices. */
@inline
export function pair(at: usize): v128 {
  return f64x2.replace_lane(f64x2.splat(<f64>load<f32>(at)), 1, <f64>load<f32>(at, 32));
}
