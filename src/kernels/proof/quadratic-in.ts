/**
 * The smallest value of a quadratic on the simplex or in the ball, in float64:
 *
 *     minimise over s   g . s + (1/2) s^T A s      with   z + s in the set.
 *
 * On the simplex by guessing which shares are 0, as in `quadratic`: given the guess, the rest is a linear
 * system with one multiplier for the sum. In the ball by the multiplier of its radius: (A + more) e = A z - g
 * where e is inside, and |e| falls as `more` grows where it is not.
 */
import { factor, solveFactored } from '../cholesky';
import { Job, SIMPLEX } from '../job';
import { entry, Quadratic, slope } from './quadratic';
import { project64 } from '../sets';
import { get, set } from '../vector';

/**
 * Leaves the solution in `s`, and every `side` at 1: no coordinate of the dual has to vanish by itself. False
 * when no guess was right in the end.
 */
export function minimiseQuadraticIn(job: Job, q: Quadratic): bool {
  const found = job.set == SIMPLEX ? onSimplex(q, job.radius64) : inBall(q, job.radius64);
  // What rounding, or a guess that was never right, has left outside.
  for (let h: u32 = 0; h < q.n; h++) set(q.d, h, get(q.z, h) + get(q.s, h));
  project64(job, q.d, q.n);
  for (let h: u32 = 0; h < q.n; h++) {
    set(q.s, h, get(q.d, h) - get(q.z, h));
    set(q.side, h, 1);
  }
  return found;
}

/**
 * How often all may change sides without fewer of them being wrong, and how often sides may change at all.
 */
const PATIENCE: u32 = 4;
const ROUNDS: u32 = 60;

/** Shares of 0 have side -1, the others 0. */
function onSimplex(q: Quadratic, total: f64): bool {
  const n = q.n;
  for (let h: u32 = 0; h < n; h++) set(q.side, h, get(q.z, h) > 0 ? 0 : -1);
  let fewest = n + 1;
  let patience = PATIENCE;
  for (let round: u32 = 0; round < ROUNDS + 2 * n; round++) {
    const multiplier = solveShares(q, total);
    let wrong: u32 = 0;
    for (let h: u32 = 0; h < n; h++) if (isWrong(q, h, multiplier)) wrong++;
    if (wrong == 0) return true;
    if (wrong < fewest) {
      fewest = wrong;
      patience = PATIENCE;
    } else if (patience > 0) patience--;
    for (let h = n; h-- > 0; ) {
      if (!isWrong(q, h, multiplier)) continue;
      // The answers to `isWrong` are about the solution in s, which does not change here.
      set(q.side, h, -1 - get(q.side, h));
      if (patience == 0) break;
    }
  }
  return false;
}

/** s for the present sides, with the multiplier of the sum: the quadratic's derivative in free shares. */
function solveShares(q: Quadratic, total: f64): f64 {
  const n = q.n;
  let rest = total;
  for (let i: u32 = 0; i < n; i++) {
    const zero = get(q.side, i) != 0;
    set(q.s, i, zero ? -get(q.z, i) : 0);
    rest -= zero ? 0 : get(q.z, i);
  }
  const ones = q.factor + (<usize>(n * n) << 3);
  for (let i: u32 = 0; i < n; i++) {
    const free = get(q.side, i) == 0;
    for (let j: u32 = 0; j < i; j++) set(q.factor, i * n + j, free ? entry(q, i, j) : 0);
    set(q.factor, i * n + i, free ? entry(q, i, i) : 0);
    set(q.d, i, free ? -slope(q, i) : 0);
    set(ones, i, free ? 1 : 0);
  }
  factor(q.factor, n);
  solveFactored(q.factor, n, q.d);
  solveFactored(q.factor, n, ones);
  let have: f64 = 0;
  let more: f64 = 0;
  for (let i: u32 = 0; i < n; i++) {
    have += get(q.d, i);
    more += get(ones, i);
  }
  const multiplier = more > 0 ? (rest - have) / more : 0;
  for (let i: u32 = 0; i < n; i++) set(q.s, i, get(q.s, i) + get(q.d, i) + multiplier * get(ones, i));
  return multiplier;
}

function isWrong(q: Quadratic, h: u32, multiplier: f64): bool {
  return get(q.side, h) == 0 ? get(q.z, h) + get(q.s, h) < 0 : slope(q, h) < multiplier;
}

function inBall(q: Quadratic, radius: f64): bool {
  let more: f64 = 0;
  for (let round: u32 = 0; round < ROUNDS; round++) {
    // e = (A + more)^-1 (A z - g), by its step s from z.
    const length = solveShifted(q, more);
    if (length <= radius * (1 + 1e-9)) return true;
    // 1 / |e| is nearly linear in `more` (as in trust-region methods): Newton's step on it, by a second
    // solve.
    for (let h: u32 = 0; h < q.n; h++) set(q.d, h, get(q.z, h) + get(q.s, h));
    solveFactored(q.factor, q.n, q.d);
    let turn: f64 = 0;
    for (let h: u32 = 0; h < q.n; h++) turn += (get(q.z, h) + get(q.s, h)) * get(q.d, h);
    more += ((length - radius) / radius) * ((length * length) / turn);
  }
  return false;
}

/** s = -(A + more)^-1 (g + more z), and the length of z + s. */
function solveShifted(q: Quadratic, more: f64): f64 {
  const n = q.n;
  for (let i: u32 = 0; i < n; i++) {
    for (let j: u32 = 0; j < i; j++) set(q.factor, i * n + j, entry(q, i, j));
    set(q.factor, i * n + i, entry(q, i, i) + more);
    set(q.s, i, -get(q.g, i) - more * get(q.z, i));
  }
  factor(q.factor, n);
  solveFactored(q.factor, n, q.s);
  let square: f64 = 0;
  for (let i: u32 = 0; i < n; i++) {
    const e = get(q.z, i) + get(q.s, i);
    square += e * e;
  }
  return sqrt(square);
}
