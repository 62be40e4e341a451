import type { LossKind } from '../losses.ts';

/**
 * Psi and its derivatives at four scores. Cross-entropy is written with q = e^-|m|, so that no score
 * overflows, and residuals of true bits as -2 x / (1 + e^(x m)), which is exact to a few units in the last
 * place however small it is. ln(1 + q) is 2 artanh(q / (2 + q)), a series of odd powers of at most 1/3: WGSL
 * promises next to nothing of `log` near 1.
 */
export function lossFunctions(loss: LossKind, bits: boolean): string {
  return loss === 'hamming' ? hamming : crossEntropy(bits);
}

const crossEntropy = (bits: boolean) => /* wgsl */ `
/** Psi'(m) - x. */
fn slopeLess(m: vec4f, x: vec4f) -> vec4f {
  let q = exp(-abs(m));
  ${
    bits
      ? 'return -2.0 * x * select(vec4f(1.0), q, x * m >= vec4f(0.0)) / (1.0 + q);'
      : 'return sign(m) * (1.0 - q) / (1.0 + q) - x;'
  }
}
/** Psi''(m), which the length of the first trial step is made of. */
fn bend(m: vec4f) -> vec4f {
  let q = exp(-abs(m));
  let s = 1.0 / (1.0 + q);
  return 2.0 * q * s * s;
}
/** Psi(m) - x m. */
fn well(m: vec4f, x: vec4f) -> vec4f {
  let q = exp(-abs(m));
  return (abs(m) - x * m) + 2.0 * log1p(q);
}
/** ln(1 + q) for q in [0, 1]. */
fn log1p(q: vec4f) -> vec4f {
  let s = q / (2.0 + q);
  let t = s * s;
  var sum = 1.0 / 13.0 + t * (1.0 / 15.0 + t * (1.0 / 17.0));
  sum = 1.0 / 9.0 + t * (1.0 / 11.0 + t * sum);
  sum = 1.0 / 5.0 + t * (1.0 / 7.0 + t * sum);
  return 2.0 * s * (1.0 + t * (1.0 / 3.0 + t * sum));
}
fn transfer(m: vec4f) -> vec4f {
  let q = exp(-abs(m));
  return sign(m) * (1.0 - q) / (1.0 + q);
}
const SMOOTH = true;
`;

const hamming = /* wgsl */ `
fn slopeLess(m: vec4f, x: vec4f) -> vec4f {
  return select(vec4f(0.0), sign(m), abs(m) > vec4f(1.0)) - x;
}
/** No curvature, but a bump around the kinks: it only sets the length of the first trial step. */
fn bend(m: vec4f) -> vec4f {
  let away = abs(m) - 1.0;
  return 1.0 / (1.0 + 4.0 * away * away);
}
fn well(m: vec4f, x: vec4f) -> vec4f {
  return max(abs(m), vec4f(1.0)) - x * m;
}
fn transfer(m: vec4f) -> vec4f {
  return clamp(m, vec4f(-1.0), vec4f(1.0));
}
const SMOOTH = false;
`;
