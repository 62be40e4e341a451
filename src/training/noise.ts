import { counted } from '../rows/counted.ts';
import type { RowsInput } from '../rows/input.ts';
import { entry, type Rows } from '../rows/rows.ts';

/**
 * The noise in the training rows (Sec. 5.2):
 *
 * - `clean`: the rows before the noise are given, in the same order; the noise may be of any kind;
 * - `mask`: a share rho of the entries, drawn at random, was set to -1, and nothing else is known.
 *
 * Noise that keeps every entry's mean does not change correlations with codes that are independent of it.
 * Codes fitted to the noisy rows depend on it, and `clean` shows by how much.
 */
export type Noise = { readonly clean: RowsInput } | { readonly mask: number };

/** The same after the rows were read and checked. */
export type KnownNoise = { readonly clean: Rows } | { readonly mask: number };

/**
 * delta_vh = (1/n) sum_i (noisy_v - clean_v) e_h: what the noise adds to the correlations of the rows with
 * their codes (n x H). V x H. With clean rows it is computed. From noisy rows alone it is extrapolated: a
 * share 1 - rho of the ones was kept, so each of them stands for 1 / (1 - rho) ones, and
 *
 *     delta_vh  ~  -(rho / (1 - rho)) (1/n) sum_i (1 + noisy_v) e_h.
 *
 * This is correct on average for codes that do not depend on which entries were masked; the error falls as
 * 1 / sqrt(n).
 */
export function noiseInCorrelations(noisy: Rows, codes: Float32Array, noise: KnownNoise): Float64Array {
  const { n, V } = noisy;
  const H = codes.length / n;
  const change = changeOf(noisy, noise);
  const delta = new Float64Array(V * H);
  for (let i = 0; i < n; i++) {
    for (let v = 0; v < V; v++) {
      const difference = change(i, v);
      if (difference === 0 || Number.isNaN(difference)) continue;
      for (let h = 0; h < H; h++) delta[v * H + h] += (difference * codes[i * H + h]) / n;
    }
  }
  return delta;
}

/** By how much the noise changed an entry: measured, or expected given the noisy entry. */
function changeOf(noisy: Rows, noise: KnownNoise): (i: number, v: number) => number {
  const rho = checkNoise(noisy, noise);
  if ('clean' in noise) {
    const { clean } = noise;
    return (i, v) => entry(noisy, i, v) - entry(clean, i, v);
  }
  return (i, v) => (-rho / (1 - rho)) * (1 + entry(noisy, i, v));
}

/** Checks the noise against the noisy rows. Returns the share of a mask, or 0. */
export function checkNoise(noisy: Pick<Rows, 'n' | 'V'>, noise: KnownNoise): number {
  if (typeof noise !== 'object' || !('mask' in noise || 'clean' in noise)) {
    throw new RangeError('noise must be { clean: rows } or { mask: share }');
  }
  if ('mask' in noise) {
    const { mask } = noise;
    if (mask >= 0 && mask < 1) return mask;
    throw new RangeError(`noise.mask must be a share from 0 to below 1, got ${mask}`);
  }
  const { clean } = noise;
  if (clean?.n === noisy.n && clean.V === noisy.V) return 0;
  throw new RangeError(
    `noise.clean has ${counted(clean?.n, 'row')} of ${counted(clean?.V, 'column')}, expected those of the noisy rows, ${noisy.n} of ${noisy.V}`,
  );
}
