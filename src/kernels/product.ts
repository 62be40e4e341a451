/**
 * The one matrix product everything is made of: four rows of A against eight lanes, 4 x 8 accumulators in
 * registers. A is packed so that both of its products read memory in order.
 */
import { fours, madd, transpose4 } from './simd';

/**
 * Packs rows `first` to `last` of A (K x width, row after row) for A z, groups of four rows:
 * [K / 4][width][4]. `first` is a multiple of four.
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
  const stride = <usize>fours(K);
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

/** M (K x 8, K rounded up to four) = A z over A's first `count` columns, from the forward packing. */
export function scores(forward: usize, K: u32, width: u32, count: u32, Z: usize, M: usize): void {
  const stride = <usize>width << 4;
  const end = M + (<usize>((K + 3) >> 2) << 7);
  // Inlined: a tile of few columns is short, and a call would show.
  for (; M < end; M += 128, forward += stride) multiplyTile(forward, Z, count, M, false);
}

/** Rows that one sweep of the product back takes: their residuals stay in the first-level cache. */
export const SWEEP: u32 = 1024;

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
