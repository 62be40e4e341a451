import { rowStream, sampleUnit } from './binarize.ts';
import { atOnce, inPieces, inTurns, type Steps } from './breath.ts';
import { asRows, asSource, isSource, type RowsInMemory, type RowsInput } from './input.ts';
import { allKnown, entry, type Rows, rowBytes } from './rows.ts';
import type { RowSource } from './source.ts';

/**
 * Noise on rows, for learning to denoise or for measuring it (Sec. 5.2). Each entry is hit independently with
 * probability `rho`:
 *
 * - `mask`: it becomes -1, as when a 1 went unseen;
 * - `flip`: it becomes its opposite;
 * - `salt`: it becomes -1 or 1 with equal probability;
 * - `hide`: it becomes unknown.
 *
 * Each row has its own stream of random numbers, fixed by the seed and the row's number.
 */
export interface Corruption {
  readonly kind: CorruptionKind;
  /** The probability that an entry is hit, 0 to 1. */
  readonly rho: number;
  /** Default 1. */
  readonly seed?: number;
}

export type CorruptionKind = 'mask' | 'flip' | 'salt' | 'hide';

export const CORRUPTIONS: readonly CorruptionKind[] = ['mask', 'flip', 'salt', 'hide'];

/**
 * Adds noise to rows; a source becomes a noisy source. `firstRow` is the number of the first row, for rows
 * that come in pieces.
 */
export function corrupt(input: RowSource, corruption: Corruption): RowSource;
export function corrupt(input: RowsInMemory, corruption: Corruption, firstRow?: number): Rows;
export function corrupt(input: RowsInput, corruption: Corruption, firstRow = 0): Rows | RowSource {
  checkCorruption(corruption);
  return isSource(input)
    ? noisySource(input, corruption)
    : atOnce(noisyRows(asRows(input), corruption, firstRow));
}

/** The same for rows in memory, in turns with other work of the thread. */
export async function corruptInTurns(
  rows: Rows,
  corruption: Corruption,
  signal?: AbortSignal,
): Promise<Rows> {
  checkCorruption(corruption);
  return inTurns(noisyRows(rows, corruption, 0), signal);
}

function checkCorruption({ kind, rho }: Corruption): void {
  if (!CORRUPTIONS.includes(kind)) {
    throw new RangeError(`corrupt: kind must be one of ${CORRUPTIONS.join(', ')}, got '${kind}'`);
  }
  if (!(rho >= 0 && rho <= 1)) throw new RangeError(`corrupt: rho must be a share from 0 to 1, got ${rho}`);
}

function noisySource(input: RowSource, corruption: Corruption): RowSource {
  const source = asSource(input);
  return {
    ...source,
    async *chunks(size) {
      let read = 0;
      for await (const rows of source.chunks(size)) {
        yield await inTurns(noisyRows(rows, corruption, read));
        read += rows.n;
      }
    },
  };
}

function* noisyRows(rows: Rows, { kind, rho, seed = 1 }: Corruption, firstRow: number): Steps<Rows> {
  const { n, V } = rows;
  const out = copyOf(rows, kind === 'hide');
  yield* inPieces(n, 1, (i) => {
    const stream = rowStream(seed, firstRow + i);
    for (let v = 0; v < V; v++) {
      if (!sampleUnit(rho, stream)) continue;
      const salt = kind === 'salt' && sampleUnit(0.5, stream);
      const x = entry(rows, i, v);
      if (!Number.isNaN(x))
        put(out, i, v, kind === 'flip' ? -x : kind === 'hide' ? Number.NaN : salt ? 1 : -1);
    }
  });
  return out;
}

function copyOf(rows: Rows, hides: boolean): Rows {
  if (rows.kind === 'real') return { ...rows, values: rows.values.slice() };
  const known = rows.known?.slice() ?? (hides ? allKnown(rows.n, rows.V) : undefined);
  return known ? { ...rows, bits: rows.bits.slice(), known } : { ...rows, bits: rows.bits.slice() };
}

function put(rows: Rows, i: number, v: number, x: number): void {
  if (rows.kind === 'real') {
    rows.values[i * rows.V + v] = x;
    return;
  }
  const at = i * rowBytes(rows.V) + (v >> 3);
  const bit = 1 << (v & 7);
  if (Number.isNaN(x)) rows.known![at] &= ~bit;
  if (x > 0) rows.bits[at] |= bit;
  else rows.bits[at] &= ~bit;
}
