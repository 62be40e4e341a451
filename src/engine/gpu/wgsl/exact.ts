import type { PanelSpec } from '../panel.ts';
import { each } from './lanes.ts';
import { range } from './text.ts';

/**
 * Scores that are wrong by little more than the rounding of each product, for proofs. The terms of a sum are
 * added up as whole numbers, in units of 2^-28 of the sum's size, so that additions round nothing.
 */
export function exactProducts(spec: Pick<PanelSpec, 'R' | 'unrolled'>): string {
  const lanes = range(spec.R);
  const RV = spec.R / 4;
  const codes = (of: string) =>
    range(RV)
      .map((q) => `let d${q} = ${of}D[h * RV + ${q}u]${of ? ')' : ''};`)
      .join('\n    ');
  const one = (l: number) => `vec4f(d${l >> 2}.${'xyzw'[l & 3]})`;
  return /* wgsl */ `
/** Sums of |a| |d|: what the rounding of scores is a share of. */
fn sizes(k4: u32) -> array<vec4f, R> {
  var out = array<vec4f, R>();
  for (var h = 0u; h < params.width; h++) {
    let a = abs(held[h * params.K4 + k4]);
    ${codes('abs(')}
    ${lanes.map((l) => `out[${l}] = fma(a, ${one(l)}, out[${l}]);`).join('\n    ')}
  }
  return out;
}

/** What rounding to 0 takes from scores: numbers below 2^-126, times whatever the other factor is. */
fn vanished(k4: u32) -> array<vec4f, R> {
  var entries = vec4f(0.0);
  var numbers = array<vec4f, RV>();
  for (var h = 0u; h < params.width; h++) {
    entries += abs(held[h * params.K4 + k4]);
    for (var q = 0u; q < RV; q++) { numbers[q] += abs(D[h * RV + q]); }
  }
  var out = array<vec4f, R>();
  ${each(spec, 'out[l] = 1.2e-38 * (entries + vec4f(numbers[l >> 2u][l & 3u]));')}
  return out;
}

/** A d at four entries, for all lanes. */
fn products(k4: u32) -> array<vec4f, R> {
  var out = sizes(k4);
  // Powers of two by their exponents, as float32 stores them: a size lies below twice its own.
  var units = array<vec4f, R>();
  ${each(spec, 'let exponent = max((bitcast<vec4u>(out[l]) >> vec4u(23u)) & vec4u(255u), vec4u(40u));\n  units[l] = bitcast<vec4f>((vec4u(282u) - exponent) << vec4u(23u));')}
  var whole = array<vec4i, R>();
  for (var h = 0u; h < params.width; h++) {
    let a = held[h * params.K4 + k4];
    ${codes('')}
    ${lanes.map((l) => `whole[${l}] += vec4i(a * ${one(l)} * units[${l}]);`).join('\n    ')}
  }
  ${each(spec, 'out[l] = vec4f(whole[l]) * bitcast<vec4f>(vec4u(254u << 23u) - bitcast<vec4u>(units[l]));')}
  return out;
}
`;
}

/**
 * What such a score may be wrong by, as a share of 2^-23 of its size: what is cut off from each term, the
 * rounding of products, and that of the sum when it becomes a float32 number.
 */
export const EXACT_SHARE = 'f32(params.width) / 32.0 + 2.1';
