/**
 * Float64, two numbers at a time: exp(-|m|), log, and the products with a packed matrix. Relative errors are
 * a few units in the last place, which is what proofs in float64 are allowed to lose.
 */

/** exp(-|m|): 2^k times the exponential series on [-ln 2 / 2, ln 2 / 2], whose 13th term is below 2e-16. */
@inline
export function expMinusAbs64(m: v128): v128 {
  const x = f64x2.pmax(f64x2.splat(-708), f64x2.neg(f64x2.abs(m)));
  const k = f64x2.nearest(f64x2.mul(x, f64x2.splat(1.4426950408889634)));
  // ln 2 in two parts: the product of k with the first is exact.
  let r = f64x2.sub(x, f64x2.mul(k, f64x2.splat(0.693147180369123816490)));
  r = f64x2.sub(r, f64x2.mul(k, f64x2.splat(1.90821492927058770002e-10)));
  let p = f64x2.splat(1.0 / 479001600);
  p = madd64(p, r, f64x2.splat(1.0 / 39916800));
  p = madd64(p, r, f64x2.splat(1.0 / 3628800));
  p = madd64(p, r, f64x2.splat(1.0 / 362880));
  p = madd64(p, r, f64x2.splat(1.0 / 40320));
  p = madd64(p, r, f64x2.splat(1.0 / 5040));
  p = madd64(p, r, f64x2.splat(1.0 / 720));
  p = madd64(p, r, f64x2.splat(1.0 / 120));
  p = madd64(p, r, f64x2.splat(1.0 / 24));
  p = madd64(p, r, f64x2.splat(1.0 / 6));
  p = madd64(p, r, f64x2.splat(0.5));
  p = madd64(p, r, f64x2.splat(1));
  p = madd64(p, r, f64x2.splat(1));
  const exponent = i64x2.extend_low_i32x4_s(i32x4.trunc_sat_f64x2_s_zero(k));
  return f64x2.mul(p, i64x2.shl(i64x2.add(exponent, i64x2.splat(1023)), 52));
}

/** log y for y > 0 that is not subnormal; something finite for y = 0, so that y log y is 0 there. */
@inline
export function log64(y: v128): v128 {
  // y = 2^k c with c in [1/sqrt 2, sqrt 2): the bits of sqrt(1/2) are taken off before the exponent is read.
  const shifted = i64x2.sub(y, i64x2.splat(0x3fe6a09e667f3bcd));
  const k = i64x2.shr_s(shifted, 52);
  const c = i64x2.sub(y, i64x2.shl(k, 52));
  const s = f64x2.div(f64x2.sub(c, f64x2.splat(1)), f64x2.add(c, f64x2.splat(1)));
  // log c = 2 artanh s, |s| < 0.172.
  const q = f64x2.mul(s, s);
  let p = f64x2.splat(2.0 / 19);
  p = madd64(p, q, f64x2.splat(2.0 / 17));
  p = madd64(p, q, f64x2.splat(2.0 / 15));
  p = madd64(p, q, f64x2.splat(2.0 / 13));
  p = madd64(p, q, f64x2.splat(2.0 / 11));
  p = madd64(p, q, f64x2.splat(2.0 / 9));
  p = madd64(p, q, f64x2.splat(2.0 / 7));
  p = madd64(p, q, f64x2.splat(2.0 / 5));
  p = madd64(p, q, f64x2.splat(2.0 / 3));
  p = madd64(p, q, f64x2.splat(2));
  const exponent = f64x2.convert_low_i32x4_s(v128.shuffle<i32>(k, k, 0, 2, 0, 2));
  return madd64(exponent, f64x2.splat(0.6931471805599453), f64x2.mul(p, s));
}

/** a * b + c: one fused instruction in the relaxed build, two in the other. */
@inline
export function madd64(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f64x2.relaxed_madd(a, b, c);
  return f64x2.add(f64x2.mul(a, b), c);
}

/** m (K, rounded up to four) = A z, from the forward packing [K / 4][width][4]. */
export function forward64(forward: usize, K: u32, width: u32, z: usize, m: usize): void {
  groups64(forward, (K + 3) >> 2, width, z, m);
}

/** g (width, rounded up to four) = A^T r, from the back packing [width / 4][K][4]. */
export function back64(back: usize, K: u32, width: u32, r: usize, g: usize): void {
  groups64(back, (width + 3) >> 2, K, r, g);
}

/**
 * out [groups][4] = the sum over i of packed[group][i][4] x[i]: four groups at a time keep the adders busy.
 */
function groups64(packed: usize, groups: u32, count: u32, x: usize, out: usize): void {
  const stride = <usize>count << 4;
  const last = x + (<usize>count << 3);
  let group: u32 = 0;
  for (; group + 4 <= groups; group += 4, packed += 4 * stride, out += 128) {
    let a0 = f64x2.splat(0);
    let a1 = a0;
    let b0 = a0;
    let b1 = a0;
    let c0 = a0;
    let c1 = a0;
    let d0 = a0;
    let d1 = a0;
    for (let at = x, from = packed; at < last; at += 8, from += 16) {
      const factor = v128.load64_splat(at);
      a0 = madd64(f64x2.promote_low_f32x4(v128.load64_zero(from)), factor, a0);
      a1 = madd64(f64x2.promote_low_f32x4(v128.load64_zero(from, 8)), factor, a1);
      b0 = madd64(f64x2.promote_low_f32x4(v128.load64_zero(from + stride)), factor, b0);
      b1 = madd64(f64x2.promote_low_f32x4(v128.load64_zero(from + stride, 8)), factor, b1);
      c0 = madd64(f64x2.promote_low_f32x4(v128.load64_zero(from + 2 * stride)), factor, c0);
      c1 = madd64(f64x2.promote_low_f32x4(v128.load64_zero(from + 2 * stride, 8)), factor, c1);
      d0 = madd64(f64x2.promote_low_f32x4(v128.load64_zero(from + 3 * stride)), factor, d0);
      d1 = madd64(f64x2.promote_low_f32x4(v128.load64_zero(from + 3 * stride, 8)), factor, d1);
    }
    v128.store(out, a0);
    v128.store(out, a1, 16);
    v128.store(out, b0, 32);
    v128.store(out, b1, 48);
    v128.store(out, c0, 64);
    v128.store(out, c1, 80);
    v128.store(out, d0, 96);
    v128.store(out, d1, 112);
  }
  for (; group < groups; group++, packed += stride, out += 32) {
    let a0 = f64x2.splat(0);
    let a1 = a0;
    for (let at = x, from = packed; at < last; at += 8, from += 16) {
      const factor = v128.load64_splat(at);
      a0 = madd64(f64x2.promote_low_f32x4(v128.load64_zero(from)), factor, a0);
      a1 = madd64(f64x2.promote_low_f32x4(v128.load64_zero(from, 8)), factor, a1);
    }
    v128.store(out, a0);
    v128.store(out, a1, 16);
  }
}
