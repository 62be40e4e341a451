import type { Floats } from '../engine/engine.ts';
import { inverse } from './linear.ts';

/** (W^T diag(curvature) W + ridge)^-1 on the H units, given the Gram matrix of all `width` columns. */
export function inverseHessian(gram: Float64Array, width: number, H: number, ridge: number): Float64Array {
  const S = new Float64Array(H * H);
  for (let i = 0; i < H; i++) {
    for (let j = 0; j < H; j++) S[i * H + j] = gram[i * width + j] + (i === j ? ridge : 0);
  }
  return inverse(S, H, 1e-6);
}

/** Codes at zero, the bias unit's at its constant 1. */
export function clearCodes(E: Floats, width: number, bias: boolean): void {
  E.fill(0);
  if (!bias) return;
  const rows = Math.min(4096, E.length / width);
  const chunk = new Float32Array(rows * width);
  for (let i = width - 1; i < chunk.length; i += width) chunk[i] = 1;
  for (let start = 0; start < E.length; start += chunk.length) {
    E.write(chunk.subarray(0, Math.min(chunk.length, E.length - start)), start);
  }
}

/** Codes n x H as an engine keeps them: with the constant 1 of the bias unit in the last of `width` columns. */
export function withBias(codes: Float32Array, H: number, width: number): Float32Array {
  if (width === H) return codes;
  const n = codes.length / H;
  const out = new Float32Array(n * width).fill(1);
  for (let i = 0; i < n; i++) out.set(codes.subarray(i * H, (i + 1) * H), i * width);
  return out;
}
