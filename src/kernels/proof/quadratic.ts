/**
 * The smallest value of a quadratic in a box, in float64:
 *
 *     minimise over s   g . s + (1/2) s^T A s      with   low <= z_h + s_h <= high,
 *
 * by guessing which coordinates end on a bound. Given the guess the rest is one linear system; coordinates
 * that it sends out of the box, and those on a bound that would rather come back, show what is wrong with the
 * guess. All of them change sides at once while that leaves fewer and fewer wrong, and one at a time (the
 * last, which cannot cycle for a positive definite A) when it does not (J. J. Judice and F. M. Pires,
 * Computers and Operations Research 21, 1994).
 */
import { factor, solveFactored } from '../cholesky';
import { aligned } from '../simd';
import { get, set } from '../vector';

@unmanaged
export class Quadratic {
  n: u32;
  low: f64;
  high: f64;
  A: usize; // n x n: lower triangle
  g: usize; // n
  z: usize; // n
  s: usize; // n: the solution
  d: usize; // n: what the linear system gives
  side: usize; // n: 1 or -1 on that bound, 0 between them
  factor: usize; // n x n, and n more
}

const HEADER: u32 = 128;

/** How often all may change sides without fewer of them being wrong. */
const PATIENCE: u32 = 4;

/** Coordinates this close to a bound, as a share of its size, are on it. */
const CLOSE: f64 = 1e-6;

export function quadraticBytes(n: u32): u32 {
  return HEADER + 3 * aligned(n << 3) + aligned((n * n) << 3) + aligned((n * (n + 1)) << 3);
}

export function openQuadratic(at: usize, n: u32): Quadratic {
  const q = changetype<Quadratic>(at);
  q.n = n;
  q.s = at + HEADER;
  q.side = q.s + <usize>aligned(n << 3);
  q.d = q.side + <usize>aligned(n << 3);
  q.A = q.d + <usize>aligned(n << 3);
  q.factor = q.A + <usize>aligned((n * n) << 3);
  return q;
}

/** A float32 matrix where the factors will be becomes A. */
export function widen(q: Quadratic): void {
  for (let k: u32 = 0; k < q.n * q.n; k++) set(q.A, k, <f64>load<f32>(q.factor + (<usize>k << 2)));
}

/**
 * The guess to begin with is in `side`: that of a similar problem before, or what `guessSides` makes of it.
 * False when no guess was right in the end, and s need not lead downhill.
 */
export function minimiseQuadratic(q: Quadratic): bool {
  let fewest = q.n + 1;
  let patience = PATIENCE;
  for (let round: u32 = 0; round < 50 + 2 * q.n; round++) {
    solveBetween(q);
    const wrong = countWrong(q);
    if (wrong == 0) return true;
    if (wrong < fewest) {
      fewest = wrong;
      patience = PATIENCE;
    } else if (patience > 0) patience--;
    changeSides(q, patience == 0);
  }
  return false;
}

/** On a bound is what is there already and pushed against it. */
export function guessSides(q: Quadratic): void {
  for (let h: u32 = 0; h < q.n; h++) {
    const z = get(q.z, h);
    const g = get(q.g, h);
    const close = CLOSE * q.high;
    const above = z >= q.high - close && g <= 0;
    const below = z <= q.low + close && g >= 0;
    set(q.side, h, above ? 1 : below ? -1 : 0);
  }
}

/** s for the sides as they are. A coordinate on a bound is taken out of the system by a row of zeros. */
function solveBetween(q: Quadratic): void {
  const n = q.n;
  for (let i: u32 = 0; i < n; i++) {
    const side = get(q.side, i);
    set(q.s, i, side == 0 ? 0 : (side > 0 ? q.high : q.low) - get(q.z, i));
  }
  for (let i: u32 = 0; i < n; i++) {
    const between = get(q.side, i) == 0;
    for (let j: u32 = 0; j < i; j++) set(q.factor, i * n + j, between ? entry(q, i, j) : 0);
    set(q.factor, i * n + i, between ? entry(q, i, i) : 0);
    set(q.d, i, between ? -slope(q, i) : 0);
  }
  factor(q.factor, n);
  solveFactored(q.factor, n, q.d);
  for (let i: u32 = 0; i < n; i++) set(q.s, i, get(q.s, i) + get(q.d, i));
}

function countWrong(q: Quadratic): u32 {
  let count: u32 = 0;
  for (let h: u32 = 0; h < q.n; h++) if (rightSide(q, h) != get(q.side, h)) count++;
  return count;
}

/** Changes the sides of all that are wrong, or only of the last of them. */
function changeSides(q: Quadratic, onlyLast: bool): void {
  for (let h = q.n; h-- > 0; ) {
    const side = rightSide(q, h);
    if (side == get(q.side, h)) continue;
    set(q.side, h, side);
    if (onlyLast) return;
  }
}

/** The side that s says a coordinate belongs to. */
function rightSide(q: Quadratic, h: u32): f64 {
  const side = get(q.side, h);
  if (side != 0) return side * slope(q, h) > 0 ? 0 : side;
  const end = get(q.z, h) + get(q.s, h);
  return end > q.high ? 1 : end < q.low ? -1 : 0;
}

/** The derivative of the quadratic at s. */
export function slope(q: Quadratic, i: u32): f64 {
  let sum = get(q.g, i);
  for (let j: u32 = 0; j < q.n; j++) {
    const s = get(q.s, j);
    if (s != 0) sum += s * (j <= i ? entry(q, i, j) : entry(q, j, i));
  }
  return sum;
}

@inline
export function entry(q: Quadratic, i: u32, j: u32): f64 {
  return get(q.A, i * q.n + j);
}
