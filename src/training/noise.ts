import { entry, type Rows } from '../rows/rows.ts';

/**
 * What the rows to learn from have been through (Sec. 5.2). Codes are found from the rows as they are; W is fitted to
 * the correlations that the clean rows have with those codes:
 *
 * - `clean`: the rows before the noise, in the same order; any kind of noise;
 * - `mask`: a share rho of the entries, drawn at random, was set to -1, and nothing else is known;
 * - `flip`: a share rho of the entries, below one half, was turned round.
 *
 * Noise that leaves every entry's mean as it is changes no correlation and needs none of this.
 */
export type Noise = { readonly clean: Rows } | { readonly mask: number } | { readonly flip: number };

/**
 * The rows that W is to bring back. Without the clean ones, they are the noisy ones extrapolated: a function of the
 * noisy entry alone whose mean over the noise is the clean entry, so that its correlations with codes that do not
 * depend on the noise are those of the clean rows, up to 1 / sqrt(n). For masks,
 *
 *     x = (1 + noisy) / (1 - rho) - 1:   -1 stays, and a kept 1 stands for the 1 / (1 - rho) that there were,
 *
 * and delta_vh = (1/n) sum_i (noisy - x) e_h = -(rho / (1 - rho)) (1/n) sum_i (1 + noisy_v) e_h, the paper's
 * extrapolation of the bits left as +1.
 */
export function targetOf(rows: Rows, noise: Noise): Rows {
  if ('clean' in noise) {
    const { clean } = noise;
    if (clean.n === rows.n && clean.V === rows.V) return clean;
    throw new RangeError(
      `fit: noise.clean has ${clean.n} rows of ${clean.V} columns, expected those of the noisy rows, ${rows.n} of ${rows.V}`,
    );
  }
  return extrapolated(rows, noise);
}

function extrapolated(rows: Rows, noise: { readonly mask: number } | { readonly flip: number }): Rows {
  const { n, V } = rows;
  const [scale, shift] = 'mask' in noise ? maskLine(noise.mask) : flipLine(noise.flip);
  const values = new Float32Array(n * V);
  for (let i = 0; i < n; i++) {
    for (let v = 0; v < V; v++) values[i * V + v] = scale * entry(rows, i, v) + shift;
  }
  return { kind: 'real', n, V, values };
}

/** The line through the two points (-1, -1) and (mean over the noise of a 1, 1). */
function maskLine(rho: number): [number, number] {
  if (!(rho >= 0 && rho < 1))
    throw new RangeError(`fit: noise.mask must be a share from 0 to below 1, got ${rho}`);
  return [1 / (1 - rho), rho / (1 - rho)];
}

/** A flipped entry has the mean (1 - 2 rho) x. */
function flipLine(rho: number): [number, number] {
  if (!(rho >= 0 && rho < 0.5))
    throw new RangeError(`fit: noise.flip must be a share from 0 to below 0.5, got ${rho}`);
  return [1 / (1 - 2 * rho), 0];
}
