import { corrupt } from './corrupt.ts';
import { type BitRows, entry, type Rows } from './rows.ts';
import { allKnown } from './values.ts';

/** Known entries that are hidden from a model, so that it can be judged by what it makes of them. */
export interface HiddenEntries {
  /** The rows without the hidden entries. */
  readonly shown: Rows;
  /** The same rows with nothing known but those. */
  readonly hidden: Rows;
}

/** Hides a share of the known entries, each on its own. */
export function hideEntries(rows: Rows, share: number, seed: number): HiddenEntries {
  const shown = corrupt(rows, { kind: 'hide', rho: share, seed });
  return {
    shown,
    hidden: rows.kind === 'bits' ? hiddenBits(rows, shown as BitRows) : hiddenValues(rows, shown),
  };
}

function hiddenBits(rows: BitRows, shown: BitRows): Rows {
  const before = rows.known ?? allKnown(rows.n, rows.V);
  return { ...rows, known: before.map((byte, k) => byte & ~shown.known![k]) };
}

function hiddenValues(rows: Rows, shown: Rows): Rows {
  const { n, V } = rows;
  const values = Float32Array.from({ length: n * V }, (_, k) => {
    const [i, v] = [Math.floor(k / V), k % V];
    return Number.isNaN(entry(shown, i, v)) ? entry(rows, i, v) : Number.NaN;
  });
  return { kind: 'real', n, V, values };
}
