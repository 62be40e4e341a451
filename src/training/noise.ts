import { counted } from '../rows/counted.ts';
import type { RowsInput } from '../rows/input.ts';
import { entry, type Rows } from '../rows/rows.ts';

/**
 * What the rows to learn from have been through (Sec. 5.2):
 *
 * - `clean`: the rows before the noise are at hand, in the same order; any kind of noise;
 * - `mask`: a share rho of the entries, drawn at random, was set to -1, and nothing else is known.
 *
 * Noise that leaves every entry's mean as it is changes no correlation with codes that do not depend on it;
 * but codes that are fitted to the noisy rows do, and `clean` tells by how much.
 */
export type Noise = { readonly clean: RowsInput } | { readonly mask: number };

/** The same, with rows that are checked. */
export type KnownNoise = { readonly clean: Rows } | { readonly mask: number };

/**
 * delta_vh = (1/n) sum_i (noisy_v - clean_v) e_h: what the noise adds to the correlations of the rows with
 * their codes (n x H). V x H. From the clean rows it is computed; from the noisy ones alone, extrapolated: of
 * the entries left as +1, a share 1 - rho of those there were, each stands for 1 / (1 - rho) of its kind, so
 * that
 *
 *     delta_vh  ~  -(rho / (1 - rho)) (1/n) sum_i (1 + noisy_v) e_h.
 *
 * This is right in the mean for codes that do not depend on which entries were masked; the error falls as
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

/** What the noise did to an entry: measured, or expected given what is left. */
function changeOf(noisy: Rows, noise: KnownNoise): (i: number, v: number) => number {
  const rho = checkNoise(noisy, noise);
  if ('clean' in noise) {
    const { clean } = noise;
    return (i, v) => entry(noisy, i, v) - entry(clean, i, v);
  }
  return (i, v) => (-rho / (1 - rho)) * (1 + entry(noisy, i, v));
}

/** Checks the noise against the rows it is said to be in; the share of a mask, or 0. */
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
