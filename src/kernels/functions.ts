/**
 * tanh(m / 2), exp(-|m|) and log(1 + z) on four lanes. Coefficients are relative minimax fits made for this
 * file; with float32 rounding the relative error stays below 1e-6 over the whole range.
 */
import { madd } from './simd';

/** Beyond this score, tanh(m / 2) rounds to 1 in float32. */
const SATURATED: f32 = 17.4;

/** The transfer function of cross-entropy, tanh(m / 2): m P(m^2) / Q(m^2), fitted on |m| <= 17.4 to 1.5e-8. */
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

/** exp(-|m|): 2^k times a polynomial on [-ln 2 / 2, ln 2 / 2]; 0 where the result would be below 2^-126. */
@inline
export function expMinusAbs(m: v128): v128 {
  const x = f32x4.neg(f32x4.abs(m));
  const clipped = f32x4.pmax(f32x4.splat(-87.33), x);
  const k = f32x4.nearest(f32x4.mul(clipped, f32x4.splat(1.4426950408889634)));
  // ln 2 in two parts: the product of k with the first is exact.
  let r = madd(k, f32x4.splat(-0.693359375), clipped);
  r = madd(k, f32x4.splat(2.1219444005469057e-4), r);
  let p = f32x4.splat(0.0013836837774986578);
  p = madd(p, r, f32x4.splat(0.008374822091306898));
  p = madd(p, r, f32x4.splat(0.04166822604907113));
  p = madd(p, r, f32x4.splat(0.16666420095331422));
  p = madd(p, r, f32x4.splat(0.499999920761818));
  p = madd(p, r, f32x4.splat(1.0000000363396069));
  p = madd(p, r, f32x4.splat(1));
  const power = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(k), i32x4.splat(127)), 23);
  return v128.and(f32x4.mul(p, power), f32x4.ge(x, f32x4.splat(-87.33)));
}

/** log(1 + z) for z in [0, 1]. */
@inline
export function log1pUnit(z: v128): v128 {
  let p = f32x4.splat(-0.0032440241171339517);
  p = madd(p, z, f32x4.splat(0.019851457581543074));
  p = madd(p, z, f32x4.splat(-0.05695952527118317));
  p = madd(p, z, f32x4.splat(0.10603653971900168));
  p = madd(p, z, f32x4.splat(-0.153055920313878));
  p = madd(p, z, f32x4.splat(0.19675939069595286));
  p = madd(p, z, f32x4.splat(-0.2495413361920485));
  p = madd(p, z, f32x4.splat(0.3332996241302444));
  p = madd(p, z, f32x4.splat(-0.4999990242264082));
  p = madd(p, z, f32x4.splat(0.9999999952872121));
  return f32x4.mul(p, z);
}
