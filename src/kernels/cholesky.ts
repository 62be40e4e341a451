/**
 * Symmetric positive definite systems: L L^T x = b, L in the lower triangle of a square array, its diagonal
 * inverted. One system in float64, or eight in float32, one a lane. Columns are made from left to right, four
 * rows at a time.
 *
 * A pivot that is not positive takes its coordinate out of the system: x is 0 there. Coordinates can be held
 * in place that way, by a diagonal entry of 0.
 */
import { madd } from './simd';
import { madd64 } from './wide';

/** Factors the n x n matrix in place, in float64. */
export function factor(A: usize, n: u32): void {
  const stride = <usize>n << 3;
  for (let j: u32 = 0; j < n; j++) {
    const pivots = A + <usize>j * stride;
    const at = <usize>j << 3;
    const pivot = load<f64>(pivots + at) - dot64(pivots, pivots, j);
    const inverse = pivot > 0 ? 1 / sqrt(pivot) : 0;
    store<f64>(pivots + at, inverse);
    for (let i = j + 1; i < n; ) {
      const few = i + 4 > n;
      eliminate64(A + <usize>i * stride, few ? 0 : stride, pivots, j, inverse);
      i += few ? 1 : 4;
    }
  }
}

/** Column j of four rows (of one row, with a stride of 0). */
function eliminate64(row: usize, stride: usize, pivots: usize, j: u32, inverse: f64): void {
  const r1 = row + stride;
  const r2 = r1 + stride;
  const r3 = r2 + stride;
  let s0 = f64x2.splat(0);
  let s1 = s0;
  let s2 = s0;
  let s3 = s0;
  const at = <usize>j << 3;
  const even = at & ~15;
  for (let k: usize = 0; k < even; k += 16) {
    const p = v128.load(pivots + k);
    s0 = madd64(p, v128.load(row + k), s0);
    s1 = madd64(p, v128.load(r1 + k), s1);
    s2 = madd64(p, v128.load(r2 + k), s2);
    s3 = madd64(p, v128.load(r3 + k), s3);
  }
  const odd = even < at ? load<f64>(pivots + even) : 0;
  finish64(row, even, at, s0, odd, inverse);
  if (!stride) return;
  finish64(r1, even, at, s1, odd, inverse);
  finish64(r2, even, at, s2, odd, inverse);
  finish64(r3, even, at, s3, odd, inverse);
}

@inline
function finish64(row: usize, even: usize, at: usize, sums: v128, odd: f64, inverse: f64): void {
  const sum = f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1) + odd * load<f64>(row + even);
  store<f64>(row + at, inverse * (load<f64>(row + at) - sum));
}

/** Solves with the factor, b becoming x. */
export function solveFactored(A: usize, n: u32, b: usize): void {
  const stride = <usize>n << 3;
  for (let i: u32 = 0; i < n; i++) {
    const row = A + <usize>i * stride;
    const at = b + (<usize>i << 3);
    store<f64>(at, (load<f64>(at) - dot64(row, b, i)) * load<f64>(row + (<usize>i << 3)));
  }
  for (let i = n; i-- > 0; ) {
    const row = A + <usize>i * stride;
    const at = b + (<usize>i << 3);
    const x = load<f64>(at) * load<f64>(row + (<usize>i << 3));
    store<f64>(at, x);
    for (let j: usize = 0; j < <usize>i << 3; j += 8) store<f64>(b + j, load<f64>(b + j) - x * load<f64>(row + j));
  }
}

function dot64(a: usize, b: usize, count: u32): f64 {
  let sums = f64x2.splat(0);
  let more = f64x2.splat(0);
  let i: u32 = 0;
  for (; i + 4 <= count; i += 4, a += 32, b += 32) {
    sums = madd64(v128.load(a), v128.load(b), sums);
    more = madd64(v128.load(a, 16), v128.load(b, 16), more);
  }
  sums = f64x2.add(sums, more);
  let sum = f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1);
  for (; i < count; i++, a += 8, b += 8) sum += load<f64>(a) * load<f64>(b);
  return sum;
}

/** Pivots below this share of the diagonal entry are rounding. */
const NOTHING: f32 = 1e-6;

/** Factors eight n x n matrices in place, [n][n][8] in float32; only four lanes if a row is alone. */
export function factorLanes(A: usize, n: u32, alone: bool): void {
  const lanes: usize = alone ? 16 : 32;
  const stride = <usize>n << 5;
  for (let j: u32 = 0; j < n; j++) {
    const pivots = A + <usize>j * stride;
    const at = <usize>j << 5;
    invertPivots(pivots, j, lanes);
    let i = j + 1;
    for (; i + 4 <= n; i += 4) eliminateFour(A + <usize>i * stride, stride, pivots, at, lanes);
    for (; i < n; i++) eliminateFour(A + <usize>i * stride, 0, pivots, at, lanes);
  }
}

function invertPivots(row: usize, j: u32, lanes: usize): void {
  const end = row + (<usize>j << 5);
  const one = f32x4.splat(1);
  for (let half: usize = 0; half < lanes; half += 16) {
    const diagonal = v128.load(end + half);
    let sum = f32x4.splat(0);
    for (let at = row + half; at < end; at += 32) sum = madd(v128.load(at), v128.load(at), sum);
    const pivot = f32x4.sub(diagonal, sum);
    const solid = f32x4.gt(pivot, f32x4.mul(f32x4.splat(NOTHING), diagonal));
    v128.store(end + half, v128.and(solid, f32x4.div(one, f32x4.sqrt(pivot))));
  }
}

/** Column `at` of four rows (of one row, with a stride of 0). */
function eliminateFour(row: usize, stride: usize, pivots: usize, at: usize, lanes: usize): void {
  const r1 = row + stride;
  const r2 = r1 + stride;
  const r3 = r2 + stride;
  for (let half: usize = 0; half < lanes; half += 16) {
    let s0 = f32x4.splat(0);
    let s1 = s0;
    let s2 = s0;
    let s3 = s0;
    const end = at + half;
    for (let k = half; k < end; k += 32) {
      const p = v128.load(pivots + k);
      s0 = madd(p, v128.load(row + k), s0);
      s1 = madd(p, v128.load(r1 + k), s1);
      s2 = madd(p, v128.load(r2 + k), s2);
      s3 = madd(p, v128.load(r3 + k), s3);
    }
    const inverse = v128.load(pivots + end);
    const a0 = v128.load(row + end);
    const a1 = v128.load(r1 + end);
    const a2 = v128.load(r2 + end);
    const a3 = v128.load(r3 + end);
    v128.store(row + end, f32x4.mul(inverse, f32x4.sub(a0, s0)));
    if (!stride) continue;
    v128.store(r1 + end, f32x4.mul(inverse, f32x4.sub(a1, s1)));
    v128.store(r2 + end, f32x4.mul(inverse, f32x4.sub(a2, s2)));
    v128.store(r3 + end, f32x4.mul(inverse, f32x4.sub(a3, s3)));
  }
}

/** Solves with the factors, b ([n][8]) becoming x. */
export function solveLanes(A: usize, n: u32, b: usize, alone: bool): void {
  const lanes: usize = alone ? 16 : 32;
  const stride = <usize>n << 5;
  const length = <usize>n << 5;
  for (let half: usize = 0; half < lanes; half += 16) {
    for (let i = half, row = A; i < length; i += 32, row += stride) {
      let sum = v128.load(b + i);
      for (let k = half; k < i; k += 32) sum = f32x4.sub(sum, f32x4.mul(v128.load(row + k), v128.load(b + k)));
      v128.store(b + i, f32x4.mul(sum, v128.load(row + i)));
    }
    for (let i = length + half - 32, row = A + length * <usize>(n - 1); ; i -= 32, row -= stride) {
      const x = f32x4.mul(v128.load(b + i), v128.load(row + i));
      v128.store(b + i, x);
      for (let k = half; k < i; k += 32) {
        v128.store(b + k, f32x4.sub(v128.load(b + k), f32x4.mul(x, v128.load(row + k))));
      }
      if (i == half) break;
    }
  }
}
