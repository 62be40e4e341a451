/**
 * A row that is worked on alone, in lane 0 of a panel: what a panel has for each entry (X, T, M, Md, R, C)
 * are K floats side by side here, four of which are taken at a time in the place of eight lanes. What it has
 * for each unit keeps its eight lanes. Every sum is taken in the order that a panel takes it in, so that a
 * row has the same code with and without neighbours.
 */
import { CROSS_ENTROPY, HAMMING, Job, TABLE } from './job';
import { Panel } from './panel';
import { SWEEP } from './product';
import { second, slope } from './psi';
import { loadAlone, madd, storeAlone } from './simd';

/**
 * M (K, rounded up to four) = A z over the first `count` of A's `width` columns, from the forward packing.
 */
export function scoresAlone(forward: usize, K: u32, width: u32, count: u32, Z: usize, M: usize): void {
  multiplyAlone(false, forward, K, width, count, Z, M);
}

/** P (`free` x 8) = A G for a square A, from the forward packing. */
export function squareAlone(forward: usize, free: u32, G: usize, P: usize): void {
  multiplyAlone(true, forward, free, free, free, G, P);
}

/** Four groups of four rows of A at a time; results in lane 0 of as many indices, or side by side. */
@inline
function multiplyAlone(lanes: bool, forward: usize, K: u32, width: u32, count: u32, Z: usize, M: usize): void {
  const stride = <usize>width << 4;
  const bytes = <usize>count << 4;
  const pitch: usize = lanes ? 128 : 16;
  const end = M + <usize>((K + 3) >> 2) * pitch;
  for (; M + 4 * pitch <= end; M += 4 * pitch, forward += 4 * stride) {
    let c0 = f32x4.splat(0);
    let c1 = c0;
    let c2 = c0;
    let c3 = c0;
    let z = Z;
    for (let a: usize = 0; a < bytes; a += 16, z += 32) {
      const zs = v128.load_splat<f32>(z);
      c0 = madd(v128.load(forward + a), zs, c0);
      c1 = madd(v128.load(forward + stride + a), zs, c1);
      c2 = madd(v128.load(forward + 2 * stride + a), zs, c2);
      c3 = madd(v128.load(forward + 3 * stride + a), zs, c3);
    }
    storeFour(lanes, M, c0);
    storeFour(lanes, M + pitch, c1);
    storeFour(lanes, M + 2 * pitch, c2);
    storeFour(lanes, M + 3 * pitch, c3);
  }
  for (; M < end; M += pitch, forward += stride) {
    let c = f32x4.splat(0);
    let z = Z;
    for (let a: usize = 0; a < bytes; a += 16, z += 32) {
      c = madd(v128.load(forward + a), v128.load_splat<f32>(z), c);
    }
    storeFour(lanes, M, c);
  }
}

@inline
function storeFour(lanes: bool, to: usize, four: v128): void {
  if (lanes) storeAlone(to, four);
  else v128.store(to, four);
}

/**
 * G (`count` x 8, rounded up to four) = A^T R over K rows, from the back packing, four column groups at a
 * time.
 */
export function productBackAlone(back: usize, K: u32, count: u32, R: usize, G: usize): void {
  const stride = <usize>K << 4;
  const end = G + (<usize>((count + 3) >> 2) << 7);
  for (let k: u32 = 0; k < K; k += SWEEP) {
    const last = R + (<usize>min(K, k + SWEEP) << 2);
    const first = R + (<usize>k << 2);
    let a = back + (<usize>k << 4);
    let g = G;
    for (; g + 512 <= end; g += 512, a += 4 * stride) {
      let c0 = f32x4.splat(0);
      let c1 = c0;
      let c2 = c0;
      let c3 = c0;
      for (let r = first, at = a; r < last; r += 4, at += 16) {
        const rs = v128.load_splat<f32>(r);
        c0 = madd(v128.load(at), rs, c0);
        c1 = madd(v128.load(at + stride), rs, c1);
        c2 = madd(v128.load(at + 2 * stride), rs, c2);
        c3 = madd(v128.load(at + 3 * stride), rs, c3);
      }
      addFour(g, c0, k > 0);
      addFour(g + 128, c1, k > 0);
      addFour(g + 256, c2, k > 0);
      addFour(g + 384, c3, k > 0);
    }
    for (; g < end; g += 128, a += stride) {
      let c = f32x4.splat(0);
      for (let r = first, at = a; r < last; r += 4, at += 16) {
        c = madd(v128.load(at), v128.load_splat<f32>(r), c);
      }
      addFour(g, c, k > 0);
    }
  }
}

@inline
function addFour(to: usize, four: v128, accumulate: bool): void {
  storeAlone(to, accumulate ? f32x4.add(four, loadAlone(to)) : four);
}

/** R and C at the scores M. */
export function residualsAlone(job: Job, panel: Panel): void {
  evaluate(job, panel, false, 0);
}

/** R and C at M + a Md, and the slope of the sum of losses in a; vectors of eight, all but the first 0. */
export function searchAlone(job: Job, panel: Panel, a: usize, slopes: usize): void {
  evaluate(job, panel, true, load<f32>(a));
  storeLane(slopes, sumInBlocks(panel.R, panel.Md, panel.K, false));
}

/** R and C at M, or `along` Md at M + a Md. */
function evaluate(job: Job, panel: Panel, along: bool, a: f32): void {
  if (job.loss == CROSS_ENTROPY) evaluateLoss(CROSS_ENTROPY, job, panel, along, a);
  else if (job.loss == HAMMING) evaluateLoss(HAMMING, job, panel, along, a);
  else evaluateLoss(TABLE, job, panel, along, a);
}

@inline
function evaluateLoss(loss: u32, job: Job, panel: Panel, along: bool, a: f32): void {
  const length = f32x4.splat(a);
  const half = f32x4.splat(job.half);
  const end = <usize>panel.K << 2;
  for (let at: usize = 0; at < end; at += 16) {
    let m = v128.load(panel.M + at);
    if (along) m = madd(length, v128.load(panel.Md + at), m);
    const t = slope(loss, job, m);
    const w = panel.T ? v128.load(panel.T + at) : half;
    v128.store(panel.R + at, f32x4.mul(w, f32x4.sub(t, v128.load(panel.X + at))));
    v128.store(panel.C + at, f32x4.mul(w, second(loss, job, m, t)));
  }
}

/** The curvature along Md, sum_k C Md^2, and the largest |Md|; vectors of eight, all but the first 0. */
export function curvaturesAlone(panel: Panel, out: usize, largest: usize): void {
  storeLane(out, sumInBlocks(panel.C, panel.Md, panel.K, true));
  let top = f32x4.splat(0);
  const end = panel.Md + (<usize>panel.K << 2);
  // What follows the last entry is 0, as the packing of A is.
  for (let at = panel.Md; at < end; at += 16) top = f32x4.pmax(top, f32x4.abs(v128.load(at)));
  const low = max(f32x4.extract_lane(top, 0), f32x4.extract_lane(top, 1));
  storeLane(largest, max(low, max(f32x4.extract_lane(top, 2), f32x4.extract_lane(top, 3))));
}

@inline
function storeLane(to: usize, value: f32): void {
  v128.store(to, f32x4.replace_lane(f32x4.splat(0), 0, value));
  v128.store(to, f32x4.splat(0), 16);
}

/** y += a x for `count` floats, rounded up to four. */
export function addScaledAlone(a: f32, x: usize, count: u32, y: usize): void {
  const four = f32x4.splat(a);
  const end = x + (<usize>count << 2);
  for (; x < end; x += 16, y += 16) v128.store(y, madd(four, v128.load(x), v128.load(y)));
}

/** Entries whose sum is taken by itself, and bytes from one such block to the next; see loss.ts. */
const BLOCK: u32 = 64;
const APART: usize = 4 * 64;

/**
 * The sum over K of a b, or of a b^2: entry by entry in each block, then block by block. Four blocks are in
 * lanes, because one sum alone would wait on itself.
 */
function sumInBlocks(a: usize, b: usize, K: u32, squared: bool): f32 {
  let total: f32 = 0;
  for (; K >= 4 * BLOCK; K -= 4 * BLOCK, a += 3 * APART, b += 3 * APART) {
    let sums = f32x4.splat(0);
    for (const end = a + APART; a < end; a += 16, b += 16) {
      const a01 = pairs(a, a + APART, false);
      const a23 = pairs(a + 2 * APART, a + 3 * APART, false);
      const b01 = pairs(b, b + APART, false);
      const b23 = pairs(b + 2 * APART, b + 3 * APART, false);
      sums = addProduct(v128.shuffle<f64>(a01, a23, 0, 2), v128.shuffle<f64>(b01, b23, 0, 2), sums, squared);
      sums = addProduct(v128.shuffle<f64>(a01, a23, 1, 3), v128.shuffle<f64>(b01, b23, 1, 3), sums, squared);
      const A01 = pairs(a, a + APART, true);
      const A23 = pairs(a + 2 * APART, a + 3 * APART, true);
      const B01 = pairs(b, b + APART, true);
      const B23 = pairs(b + 2 * APART, b + 3 * APART, true);
      sums = addProduct(v128.shuffle<f64>(A01, A23, 0, 2), v128.shuffle<f64>(B01, B23, 0, 2), sums, squared);
      sums = addProduct(v128.shuffle<f64>(A01, A23, 1, 3), v128.shuffle<f64>(B01, B23, 1, 3), sums, squared);
    }
    total += f32x4.extract_lane(sums, 0);
    total += f32x4.extract_lane(sums, 1);
    total += f32x4.extract_lane(sums, 2);
    total += f32x4.extract_lane(sums, 3);
  }
  while (K > 0) {
    const count = min(BLOCK, K);
    let sum = f32x4.splat(0);
    for (const end = a + (<usize>count << 2); a < end; a += 4, b += 4) {
      sum = addProduct(v128.load_splat<f32>(a), v128.load_splat<f32>(b), sum, squared);
    }
    total += f32x4.extract_lane(sum, 0);
    K -= count;
  }
  return total;
}

@inline
function addProduct(a: v128, b: v128, sum: v128, squared: bool): v128 {
  return madd(a, squared ? f32x4.mul(b, b) : b, sum);
}

/** The first two numbers of two vectors in turn, or the last two: half of a transposition. */
@inline
function pairs(one: usize, other: usize, last: bool): v128 {
  const a = v128.load(one);
  const b = v128.load(other);
  return last ? v128.shuffle<f32>(a, b, 2, 6, 3, 7) : v128.shuffle<f32>(a, b, 0, 4, 1, 5);
}
