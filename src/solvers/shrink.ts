import { type Block, type Engine, type Floats, widthOf } from '../engine/engine.ts';
import type { ColumnGroup } from '../rows/about.ts';
import { hideEntries } from '../rows/hide.ts';
import { entry, type Rows, takeRows } from '../rows/rows.ts';
import { baseRateLoss } from './base-rates.ts';
import { withRows } from './codes.ts';
import { type Decoder, Encoder } from './encode.ts';

export interface ShrinkOptions {
  /** The share of known entries that are hidden and guessed. Default 0.1. */
  readonly hide?: number;
  /** The weight of each row. Default: all alike. */
  readonly rowWeights?: ArrayLike<number>;
}

/** Columns of one category are hidden together. */
export interface GroupedShrinkOptions extends ShrinkOptions {
  readonly groups?: readonly ColumnGroup[];
  /** About so many entries are hidden, where there are as many. Default 20,000. */
  readonly entries?: number;
}

/** How far to pull codes towards 0 when they complete their rows, and what an entry then costs. */
export interface Shrink {
  readonly shrink: number;
  /** Mean loss of a hidden known entry, at the code of the row's other entries; NaN if nothing is known. */
  readonly entryLoss: number;
  /** The same without shrinking. */
  readonly entryLossUnshrunk: number;
  /** The same for guesses that know only how often a column is 1 in other rows: a model has to beat this. */
  readonly entryLossAtBaseRates: number;
}

/**
 * The best code of a row is fitted to its known entries as closely as codes go, and is far too sure of the
 * others. Hiding some known entries and guessing them tells how far codes have to be drawn towards 0, by
 * (shrink/2) |e|^2.
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
  const [known, guessed] = [
    { rows, rowWeights: options.rowWeights },
    { rows: hidden, rowWeights },
  ];
  const atBaseRates = baseRateLoss(known, guessed, loss, { columnWeights, among: true });
  return { ...best, entryLossUnshrunk: unshrunk, entryLossAtBaseRates: atBaseRates / weight };
}

/**
 * So many hidden entries tell one strength from the next; but a row comes so often at most, and there are so
 * many rows.
 */
const ENTRIES = 20_000;
const COPIES = 20;
const MOST_ROWS = 50_000;
/**
 * From weak strengths to strong ones, by powers of ten, until losses have clearly risen; then half a power to
 * each side.
 */
async function search(scale: number, entryLossAt: (shrink: number) => Promise<number>) {
  const unshrunk = await entryLossAt(0);
  let best = { shrink: 0, entryLoss: unshrunk };
  let lowest = Number.POSITIVE_INFINITY;
  const attempt = async (shrink: number) => {
    const entryLoss = await entryLossAt(shrink);
    if (entryLoss < best.entryLoss) best = { shrink, entryLoss };
    // Shrunken codes are compared with shrunken ones: the first are found less exactly than those without a
    // pull, and may cost more though stronger pulls help. Codes on the edge of their set do not move at
    // first: no change is no sign either.
    lowest = Math.min(lowest, entryLoss);
    return entryLoss <= CLEARLY * lowest;
  };
  for (let power = WEAKEST; power <= STRONGEST; power++) if (!(await attempt(scale * 10 ** power))) break;
  const { shrink } = best;
  if (shrink > 0) for (const factor of [Math.sqrt(10), Math.sqrt(0.1)]) await attempt(factor * shrink);
  return { ...best, unshrunk };
}

/** Powers of ten, in units of how much a row's loss bends along a unit. */
const WEAKEST = -3;
const STRONGEST = 4;
const CLEARLY = 1.02;
/** Nats, for the codes that choose: ten times what is usual where unshrunk, and a hundred times where shrunken. */
const TOLERANCE = { unshrunk: 0.1, shrunken: 1 };

/** Rows without the entries that are to be guessed, and with nothing but those. */
interface Guesses {
  readonly shown: Rows;
  readonly hidden: Rows;
  readonly rowWeights: Float64Array;
  /** What all hidden entries count together. */
  readonly weight: number;
}

/** Of rows spread over all; few or short ones come several times, each time with other entries hidden. */
function hiddenIn(rows: Rows, { columnWeights }: Decoder, options: GroupedShrinkOptions): Guesses {
  const { hide = 0.1, groups, entries = ENTRIES } = options;
  const { n, V } = rows;
  const count = Math.min(Math.ceil(entries / (hide * V)), COPIES * n, MOST_ROWS);
  const step = Math.max(1, n / count);
  const chosen = Uint32Array.from({ length: count }, (_, i) => Math.floor(i * step) % n);
  const rowWeights = Float64Array.from(chosen, (i) => options.rowWeights?.[i] ?? 1);
  const { shown, hidden } = hideEntries(takeRows(rows, chosen), hide, 1, groups);
  let weight = 0;
  for (let i = 0; i < count; i++) {
    for (let v = 0; v < V; v++) {
      if (!Number.isNaN(entry(hidden, i, v))) weight += rowWeights[i] * (columnWeights?.[v] ?? 1);
    }
  }
  return { shown, hidden, rowWeights, weight };
}

/** The mean over units of sum_v Psi''(m_v)/2 w_vh^2, as it was at the training codes. */
function stiffness({ W, shape, curvature }: Decoder): number {
  const { V, H } = shape;
  const width = widthOf(shape);
  let sum = 0;
  for (let v = 0; v < V; v++) for (let h = 0; h < H; h++) sum += curvature[v] * W[v * width + h] ** 2;
  return sum / H || 1;
}

/**
 * The mean loss of the hidden entries at the codes of what is shown, which start from those of the strength
 * before.
 */
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
      ? encoder.encodeBlock(block, E, TOLERANCE.unshrunk)
      : encoder.shrunken(block, E, TOLERANCE.shrunken));
    const guessed = engine.load(hidden);
    const { losses } = await encoder.measure(guessed, E);
    for (const used of [encoder, guessed]) used.free();
    return losses.reduce((total, loss, i) => total + rowWeights[i] * loss, 0) / weight;
  };
}
