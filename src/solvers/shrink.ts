import { type Block, type Engine, type Floats, widthOf } from '../engine/engine.ts';
import type { ColumnGroup } from '../rows/about.ts';
import { eachKnown } from '../rows/entries.ts';
import { hideEntries } from '../rows/hide.ts';
import { type Rows, takeRows } from '../rows/rows.ts';
import { baseRateLoss } from './base-rates.ts';
import { withRows } from './codes.ts';
import { type Decoder, Encoder } from './encode.ts';

export interface ShrinkOptions {
  /** The share of known entries that are hidden and guessed. Default 0.1. */
  readonly hide?: number;
  /** The weight of each row. Default: all equal. */
  readonly rowWeights?: ArrayLike<number>;
}

/** Columns of one category are hidden together. */
interface GroupedShrinkOptions extends ShrinkOptions {
  readonly groups?: readonly ColumnGroup[];
  /** About how many entries are hidden, if there are as many. Default 20,000. */
  readonly entries?: number;
}

/** How far to pull codes towards 0 when they complete their rows, and the loss of an entry then. */
export interface Shrink {
  readonly shrink: number;
  /** Mean loss of a hidden known entry, at the code of the row's other entries; NaN if nothing is known. */
  readonly entryLoss: number;
  /** The same without shrinking. */
  readonly entryLossUnshrunk: number;
  /** The same for guesses from the frequencies of the columns in other rows, which a model has to beat. */
  readonly entryLossAtBaseRates: number;
}

/**
 * Chooses how far codes are pulled towards 0, by (shrink/2) |e|^2, when they predict unknown entries. The
 * best code of a row fits its known entries as closely as possible and is far too sure of the others; hiding
 * some known entries and guessing them shows the right strength.
 */
export async function chooseShrink(
  engine: Engine,
  decoder: Decoder,
  rows: Rows,
  options: GroupedShrinkOptions = {},
): Promise<Shrink> {
  const guesses = hiddenIn(rows, decoder, options);
  const { unshrunk, ...best } = await withRows(engine, guesses.shown, widthOf(decoder.shape), (block, E) =>
    search(stiffness(decoder), entryLosses(engine, decoder, guesses, block, E)),
  );
  const { hidden, rowWeights, weight } = guesses;
  const { loss, columnWeights } = decoder;
  const known = { rows, rowWeights: options.rowWeights };
  const guessed = { rows: hidden, rowWeights };
  const atBaseRates = baseRateLoss(known, guessed, loss, { columnWeights, among: true });
  return { ...best, entryLossUnshrunk: unshrunk, entryLossAtBaseRates: atBaseRates / weight };
}

/** Hidden entries, enough to compare strengths; but the copies of a row, and the rows, are limited. */
const ENTRIES = 20_000;
const COPIES = 20;
const MOST_ROWS = 50_000;
/**
 * Searches from weak to strong by powers of ten until losses have clearly risen, then half a power to each
 * side of the best.
 */
async function search(scale: number, entryLossAt: (shrink: number) => Promise<number>) {
  const unshrunk = await entryLossAt(0);
  let best = { shrink: 0, entryLoss: unshrunk };
  let lowest = Number.POSITIVE_INFINITY;
  const attempt = async (shrink: number) => {
    const entryLoss = await entryLossAt(shrink);
    if (entryLoss < best.entryLoss) best = { shrink, entryLoss };
    // Shrunken codes are compared only with shrunken ones. They are found less exactly than codes without a
    // pull, so that the first may cost more although stronger pulls help. No change is no reason to stop
    // either, because codes on the edge of their set do not move at first.
    lowest = Math.min(lowest, entryLoss);
    return entryLoss <= CLEARLY * lowest;
  };
  for (let power = WEAKEST; power <= STRONGEST; power++) if (!(await attempt(scale * 10 ** power))) break;
  const { shrink } = best;
  if (shrink > 0) for (const factor of [Math.sqrt(10), Math.sqrt(0.1)]) await attempt(factor * shrink);
  return { ...best, unshrunk };
}

/** Powers of ten, in units of the curvature of a row's loss along a unit. */
const WEAKEST = -3;
const STRONGEST = 4;
const CLEARLY = 1.02;
/** Tolerances of the codes, in nats: ten times the usual one without a pull, a hundred times with one. */
const TOLERANCE = { unshrunk: 0.1, shrunken: 1 };

/** Rows without the hidden entries, and with the hidden entries alone. */
interface Guesses {
  readonly shown: Rows;
  readonly hidden: Rows;
  readonly rowWeights: Float64Array;
  /** The total weight of the hidden entries. */
  readonly weight: number;
}

/** Hides entries of evenly spaced rows; copies of few or short rows hide different entries. */
function hiddenIn(rows: Rows, { columnWeights }: Decoder, options: GroupedShrinkOptions): Guesses {
  const { hide = 0.1, groups, entries = ENTRIES } = options;
  const { n, V } = rows;
  const count = Math.min(Math.ceil(entries / (hide * V)), COPIES * n, MOST_ROWS);
  const step = Math.max(1, n / count);
  const chosen = Uint32Array.from({ length: count }, (_, i) => Math.floor(i * step) % n);
  const rowWeights = Float64Array.from(chosen, (i) => options.rowWeights?.[i] ?? 1);
  const { shown, hidden } = hideEntries(takeRows(rows, chosen), hide, 1, groups);
  let weight = 0;
  eachKnown(hidden, (_, i, v) => {
    weight += rowWeights[i] * (columnWeights?.[v] ?? 1);
  });
  return { shown, hidden, rowWeights, weight };
}

/** The mean over units of sum_v Psi''(m_v)/2 w_vh^2 at the training codes. */
function stiffness({ W, shape, curvature }: Decoder): number {
  const { V, H } = shape;
  const width = widthOf(shape);
  let sum = 0;
  for (let v = 0; v < V; v++) for (let h = 0; h < H; h++) sum += curvature[v] * W[v * width + h] ** 2;
  return sum / H || 1;
}

/** The mean loss of the hidden entries, at codes that start from those of the strength before. */
function entryLosses(
  engine: Engine,
  decoder: Decoder,
  { hidden, rowWeights, weight }: Guesses,
  block: Block,
  E: Floats,
): (shrink: number) => Promise<number> {
  return async (shrink) => {
    const encoder = await Encoder.create(engine, decoder, shrink);
    await (shrink === 0
      ? encoder.encodeBlock({ block, E }, TOLERANCE.unshrunk)
      : encoder.shrunken({ block, E }, TOLERANCE.shrunken));
    const guessed = engine.load(hidden);
    const { losses } = await encoder.measure({ block: guessed, E });
    for (const used of [encoder, guessed]) used.free();
    return losses.reduce((total, loss, i) => total + rowWeights[i] * loss, 0) / weight;
  };
}
