/**
 * The one matrix product everything is made of: four rows of A against eight lanes, 4 x 8 accumulators in
 * registers. A is packed so that both of its products read memory in order.
 */
import { loadAlone, madd, storeAlone, transpose4 } from './simd';

/**
 * Packs rows `first` to `last` of A (K x width, row after row) for A z, groups of four rows: [K / 4][width][4].
 * `first` is a multiple of four.
 */
export function packForward(A: usize, K: u32, width: u32, to: usize, first: u32, last: u32): void {
  const stride = <usize>width << 2;
  for (let k = first; k < last; k += 4) {
    const from = A + <usize>k * stride;
    let at = to + <usize>k * stride;
    if (k + 4 <= K) {
      let h: u32 = 0;
      for (; h + 4 <= width; h += 4, at += 64) transpose4(from + (<usize>h << 2), stride, at, 16);
      for (; h < width; h++, at += 16) {
        for (let j: u32 = 0; j < 4; j++) {
          store<f32>(at + (<usize>j << 2), load<f32>(from + <usize>j * stride + (<usize>h << 2)));
        }
      }
    } else {
      for (let h: u32 = 0; h < width; h++, at += 16) {
        for (let j: u32 = 0; j < 4; j++) {
          const inside = k + j < K;
          store<f32>(at + (<usize>j << 2), inside ? load<f32>(from + <usize>j * stride + (<usize>h << 2)) : 0);
        }
      }
    }
  }
}

/** Packs rows `first` to `last` of A (K x width) for A^T r, groups of four columns: [width / 4][K][4]. */
export function packBack(A: usize, K: u32, width: u32, to: usize, first: u32, last: u32): void {
  const stride = <usize>width << 2;
  const group = <usize>K << 4;
  for (let k = first; k < last; k++) {
    const from = A + <usize>k * stride;
    let at = to + (<usize>k << 4);
    let h: u32 = 0;
    for (; h + 4 <= width; h += 4, at += group) v128.store(at, v128.load(from + (<usize>h << 2)));
    if (h == width) continue;
    v128.store(at, f32x4.splat(0));
    for (let j: usize = 0; h < width; h++, j += 4) store<f32>(at + j, load<f32>(from + (<usize>h << 2)));
  }
}

/** Packs rows `first` to `last` of A (K x width) as columns, [width][K rounded up to four], padded with 0. */
export function packColumns(A: usize, K: u32, width: u32, to: usize, first: u32, last: u32): void {
  const stride = <usize>((K + 3) & ~3);
  for (let h: u32 = 0; h < width; h++) {
    const column = to + ((<usize>h * stride) << 2);
    for (let k = first; k < last; k++) {
      store<f32>(column + (<usize>k << 2), load<f32>(A + ((<usize>k * <usize>width + <usize>h) << 2)));
    }
    if (last == K) for (let k = K; k < <u32>stride; k++) store<f32>(column + (<usize>k << 2), 0);
  }
}

/** out (4 x 8) = or += the sum over `count` of a[i][4] (x) z[i][8]. */
export function tile(a: usize, z: usize, count: u32, out: usize, accumulate: bool): void {
  multiplyTile(a, z, count, out, accumulate);
}

@inline
function multiplyTile(a: usize, z: usize, count: u32, out: usize, accumulate: bool): void {
  let c00 = f32x4.splat(0);
  let c01 = c00;
  let c10 = c00;
  let c11 = c00;
  let c20 = c00;
  let c21 = c00;
  let c30 = c00;
  let c31 = c00;
  const end = a + (<usize>count << 4);
  while (a < end) {
    const z0 = v128.load(z);
    const z1 = v128.load(z, 16);
    const a0 = v128.load_splat<f32>(a);
    c00 = madd(a0, z0, c00);
    c01 = madd(a0, z1, c01);
    const a1 = v128.load_splat<f32>(a, 4);
    c10 = madd(a1, z0, c10);
    c11 = madd(a1, z1, c11);
    const a2 = v128.load_splat<f32>(a, 8);
    c20 = madd(a2, z0, c20);
    c21 = madd(a2, z1, c21);
    const a3 = v128.load_splat<f32>(a, 12);
    c30 = madd(a3, z0, c30);
    c31 = madd(a3, z1, c31);
    a += 16;
    z += 32;
  }
  if (accumulate) {
    c00 = f32x4.add(c00, v128.load(out));
    c01 = f32x4.add(c01, v128.load(out, 16));
    c10 = f32x4.add(c10, v128.load(out, 32));
    c11 = f32x4.add(c11, v128.load(out, 48));
    c20 = f32x4.add(c20, v128.load(out, 64));
    c21 = f32x4.add(c21, v128.load(out, 80));
    c30 = f32x4.add(c30, v128.load(out, 96));
    c31 = f32x4.add(c31, v128.load(out, 112));
  }
  v128.store(out, c00);
  v128.store(out, c01, 16);
  v128.store(out, c10, 32);
  v128.store(out, c11, 48);
  v128.store(out, c20, 64);
  v128.store(out, c21, 80);
  v128.store(out, c30, 96);
  v128.store(out, c31, 112);
}

/** M (K x 8, K rounded up to four) = A z over the first `count` of A's `width` columns, from the forward packing. */
export function scores(forward: usize, K: u32, width: u32, count: u32, Z: usize, M: usize): void {
  const stride = <usize>width << 4;
  const end = M + (<usize>((K + 3) >> 2) << 7);
  // Inlined: a tile of few columns is short, and a call would show.
  for (; M < end; M += 128, forward += stride) multiplyTile(forward, Z, count, M, false);
}

/**
 * The same for lane 0 alone: four rows of A side by side in the place of eight lanes, and four such groups at a time. Each
 * sum is taken in the order that `scores` takes it in, so that a row has the same score with and without neighbours.
 */
export function scoresAlone(forward: usize, K: u32, width: u32, count: u32, Z: usize, M: usize): void {
  const stride = <usize>width << 4;
  const bytes = <usize>count << 4;
  const end = M + (<usize>((K + 3) >> 2) << 7);
  for (; M + 512 <= end; M += 512, forward += 4 * stride) {
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
    storeAlone(M, c0);
    storeAlone(M + 128, c1);
    storeAlone(M + 256, c2);
    storeAlone(M + 384, c3);
  }
  for (; M < end; M += 128, forward += stride) {
    let c = f32x4.splat(0);
    let z = Z;
    for (let a: usize = 0; a < bytes; a += 16, z += 32) {
      c = madd(v128.load(forward + a), v128.load_splat<f32>(z), c);
    }
    storeAlone(M, c);
  }
}

/** Rows that one sweep of the product back takes: their residuals stay in the first-level cache. */
const SWEEP: u32 = 1024;

/** G (`count` x 8, rounded up to four) = A^T R over K rows, from the back packing. */
export function productBack(back: usize, K: u32, count: u32, R: usize, G: usize): void {
  const stride = <usize>K << 4;
  const end = G + (<usize>((count + 3) >> 2) << 7);
  for (let k: u32 = 0; k < K; k += SWEEP) {
    const rows = min(SWEEP, K - k);
    let a = back + (<usize>k << 4);
    const r = R + (<usize>k << 5);
    for (let g = G; g < end; g += 128, a += stride) tile(a, r, rows, g, k > 0);
  }
}

/** The same for lane 0 alone, four groups of columns at a time. */
export function productBackAlone(back: usize, K: u32, count: u32, R: usize, G: usize): void {
  const stride = <usize>K << 4;
  const end = G + (<usize>((count + 3) >> 2) << 7);
  for (let k: u32 = 0; k < K; k += SWEEP) {
    const bytes = <usize>min(SWEEP, K - k) << 4;
    const r = R + (<usize>k << 5);
    let a = back + (<usize>k << 4);
    let g = G;
    for (; g + 512 <= end; g += 512, a += 4 * stride) {
      let c0 = f32x4.splat(0);
      let c1 = c0;
      let c2 = c0;
      let c3 = c0;
      for (let at: usize = 0; at < bytes; at += 16) {
        const rs = v128.load_splat<f32>(r + (at << 1));
        c0 = madd(v128.load(a + at), rs, c0);
        c1 = madd(v128.load(a + stride + at), rs, c1);
        c2 = madd(v128.load(a + 2 * stride + at), rs, c2);
        c3 = madd(v128.load(a + 3 * stride + at), rs, c3);
      }
      addAlone(g, c0, k > 0);
      addAlone(g + 128, c1, k > 0);
      addAlone(g + 256, c2, k > 0);
      addAlone(g + 384, c3, k > 0);
    }
    for (; g < end; g += 128, a += stride) {
      let c = f32x4.splat(0);
      for (let at: usize = 0; at < bytes; at += 16) {
        c = madd(v128.load(a + at), v128.load_splat<f32>(r + (at << 1)), c);
      }
      addAlone(g, c, k > 0);
    }
  }
}

@inline
function addAlone(to: usize, four: v128, accumulate: bool): void {
  storeAlone(to, accumulate ? f32x4.add(four, loadAlone(to)) : four);
}
