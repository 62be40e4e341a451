/** Small pieces that every kernel uses: multiply-add, eight lanes as two vectors, 4 x 4 transposition. */

/** a * b + c: one fused instruction in the relaxed build, two in the other. */
@inline
export function madd(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_madd(a, b, c);
  return f32x4.add(f32x4.mul(a, b), c);
}

/** `value` in each of `count` floats. */
export function fill(at: usize, value: f32, count: u32): void {
  const end = at + (<usize>count << 2);
  const four = f32x4.splat(value);
  for (; at + 16 <= end; at += 16) v128.store(at, four);
  for (; at < end; at += 4) store<f32>(at, value);
}

/** `bytes` rounded up so that what follows is aligned to a cache line. */
@inline
export function aligned(bytes: u32): u32 {
  return (bytes + 63) & ~63;
}

/** A number rounded up to a multiple of four: entries are taken four at a time. */
@inline
export function fours(count: u32): u32 {
  return (count + 3) & ~3;
}

/** Bytes of a vector of entries of 2^shift bytes, in whole fours and whole cache lines. */
@inline
export function vectorBytes(count: u32, shift: u32): u32 {
  return aligned(fours(count) << shift);
}

/** Four rows of four floats, `from` apart, are written as columns, `to` apart. */
@inline
export function transpose4(from: usize, fromStride: usize, to: usize, toStride: usize): void {
  const a = v128.load(from);
  const b = v128.load(from + fromStride);
  const c = v128.load(from + 2 * fromStride);
  const d = v128.load(from + 3 * fromStride);
  const ab = v128.shuffle<f32>(a, b, 0, 4, 1, 5);
  const cd = v128.shuffle<f32>(c, d, 0, 4, 1, 5);
  const AB = v128.shuffle<f32>(a, b, 2, 6, 3, 7);
  const CD = v128.shuffle<f32>(c, d, 2, 6, 3, 7);
  v128.store(to, v128.shuffle<f64>(ab, cd, 0, 2));
  v128.store(to + toStride, v128.shuffle<f64>(ab, cd, 1, 3));
  v128.store(to + 2 * toStride, v128.shuffle<f64>(AB, CD, 0, 2));
  v128.store(to + 3 * toStride, v128.shuffle<f64>(AB, CD, 1, 3));
}

/** Four numbers to lane 0 of four indices of a panel. */
@inline
export function storeAlone(to: usize, four: v128): void {
  v128.store_lane<f32>(to, four, 0);
  v128.store_lane<f32>(to, four, 1, 32);
  v128.store_lane<f32>(to, four, 2, 64);
  v128.store_lane<f32>(to, four, 3, 96);
}

/** Lane 0 of four indices of a panel. */
@inline
export function loadAlone(from: usize): v128 {
  let four = v128.load_zero<f32>(from);
  four = v128.load_lane<f32>(from, four, 1, 32);
  four = v128.load_lane<f32>(from, four, 2, 64);
  return v128.load_lane<f32>(from, four, 3, 96);
}
