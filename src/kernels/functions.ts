/**
 * tanh(m / 2), exp(-|m|) and log(1 + z) on four lanes. Coefficients are relative minimax fits made for this
 * file; with float32 rounding the relative error stays below 1e-6 over the whole range.
 */
import { madd } from './simd';

/** Beyond this score, tanh(m / 2) rounds to 1 in float32. */
const SATURATED: f32 = 17.4;

/**
 * The transfer function of cross-entropy, tanh(m / 2): m P(m^2) / Q(m^2), fitted on |m| <= 17.4 to 1.5e-8.
 */
@inline
export function tanhHalf(m: v128): v128 {
  const x = f32x4.pmax(f32x4.pmin(f32x4.splat(SATURATED), m), f32x4.splat(-SATURATED));
  const s = f32x4.mul(x, x);
  let p = f32x4.splat(2.7143885347451975e-11);
  p = madd(p, s, f32x4.splat(1.640145217278982e-7));
  p = madd(p, s, f32x4.splat(1.0996079708025675e-4));
  p = madd(p, s, f32x4.splat(0.016750584843551016));
  p = madd(p, s, f32x4.splat(0.4999999925784968));
  let q = f32x4.splat(3.123649450210636e-9);
  q = madd(q, s, f32x4.splat(5.193203882359841e-6));
  q = madd(q, s, f32x4.splat(0.001622806214313904));
  q = madd(q, s, f32x4.splat(0.11683447026676841));
  q = madd(q, s, f32x4.splat(1));
  return f32x4.div(f32x4.mul(x, p), q);
}

/**
 * exp(-|m|) = 2^k exp(r): k is rounded by adding 1.5 * 2^23, which leaves it in the low bits of the sum, and
 * exp(r) is a polynomial on [-ln 2 / 2, ln 2 / 2]. The result is 0 where it would be below 2^-126.
 */
@inline
export function expMinusAbs(m: v128): v128 {
  const x = f32x4.neg(f32x4.abs(m));
  const clipped = f32x4.pmax(f32x4.splat(-87.33), x);
  const magic = f32x4.splat(12582912);
  const shifted = madd(clipped, f32x4.splat(1.4426950408889634), magic);
  const k = f32x4.sub(shifted, magic);
  // ln 2 in two parts: the product of k with the first is exact.
  let r = madd(k, f32x4.splat(-0.693359375), clipped);
  r = madd(k, f32x4.splat(2.1219444005469057e-4), r);
  // Estrin's scheme: the terms in pairs, because one long chain of products would wait on itself.
  const r2 = f32x4.mul(r, r);
  const a = madd(r, f32x4.splat(0.999999691850923), f32x4.splat(1.000000071686907));
  const b = madd(r, f32x4.splat(0.1666757500587168), f32x4.splat(0.4999889451769213));
  const c = madd(r, f32x4.splat(0.008297649587662553), f32x4.splat(0.0419154196641349));
  const p = madd(madd(c, r2, b), r2, a);
  const power = i32x4.shl(i32x4.add(shifted, i32x4.splat(127)), 23);
  return v128.and(f32x4.mul(p, power), f32x4.ge(x, f32x4.splat(-87.33)));
}

/** log(1 + z) for z in [0, 1]. */
@inline
export function log1pUnit(z: v128): v128 {
  const z2 = f32x4.mul(z, z);
  const z4 = f32x4.mul(z2, z2);
  const a = madd(z, f32x4.splat(-0.49999493139813134), f32x4.splat(0.9999999698795072));
  const b = madd(z, f32x4.splat(-0.24842982105857728), f32x4.splat(0.33319096793896025));
  const c = madd(z, f32x4.splat(-0.13663244903316124), f32x4.splat(0.19106006340535595));
  const d = madd(z, f32x4.splat(-0.029505232340594913), f32x4.splat(0.07822594138527898));
  const high = madd(f32x4.splat(0.0052326926591593804), z4, madd(d, z2, c));
  return f32x4.mul(z, madd(high, z4, madd(b, z2, a)));
}
