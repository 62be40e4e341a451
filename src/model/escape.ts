import { type Decoding, escapes, withEscape } from '../promises/ceiling.ts';
import type { Rows } from '../rows/rows.ts';
import type { Encoded } from '../solvers/encode.ts';
import { rowOdds } from './row-odds.ts';

/** Replaces codes that are worse than even odds by NaN; the losses include the cost of the choice. */
export function withEscapes(encoded: Encoded, rows: Rows, decoding: Decoding): Encoded {
  const { n, H } = encoded;
  const codes = encoded.codes.slice();
  const losses = encoded.losses.slice();
  const odds = rowOdds(decoding, rows);
  for (let i = 0; i < n; i++) {
    if (escapes(losses[i], odds[i], decoding)) codes.fill(Number.NaN, i * H, (i + 1) * H);
    losses[i] = withEscape(losses[i], odds[i], decoding);
  }
  return { ...encoded, codes, losses };
}

/**
 * Splits codes into finite ones (NaN becomes `instead`) and the numbers of the rows that escape to even odds.
 */
export function escapedRows(
  codes: Float32Array,
  H: number,
  instead = 0,
): { codes: Float32Array; escaped: number[] } {
  const escaped: number[] = [];
  for (let i = 0; i < codes.length / H; i++) {
    // Almost no code begins with NaN, and making a view of each of a million codes takes longer than decoding
    // them.
    if (!Number.isNaN(codes[i * H])) continue;
    const code = codes.subarray(i * H, (i + 1) * H);
    if (code.every((e) => Number.isNaN(e))) escaped.push(i);
  }
  if (escaped.length === 0) return { codes, escaped };
  const numbers = codes.slice();
  for (const i of escaped) numbers.fill(instead, i * H, (i + 1) * H);
  return { codes: numbers, escaped };
}
