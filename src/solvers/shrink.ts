import { type Engine, widthOf } from '../engine/engine.ts';
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
 * The best code of a row is fitted to its known entries as closely as codes go, and is far too sure of the others.
 * Hiding some known entries and guessing them tells how far codes have to be drawn towards 0, by (shrink/2) |e|^2.
 */
export async function chooseShrink(
  engine: Engine,
  decoder: Decoder,
  rows: Rows,
  options: GroupedShrinkOptions = {},
): Promise<Shrink> {
  const guesses = hiddenIn(rows, decoder, options);
  const unshrunk = await lossOf(engine, decoder, guesses, 0);
  let best = { shrink: 0, entryLoss: unshrunk };
  const scale = stiffness(decoder);
  for (let power = WEAKEST, worse = 0; power <= STRONGEST && worse < PATIENCE; power++) {
    const shrink = scale * Math.sqrt(10) ** power;
    const entryLoss = await lossOf(engine, decoder, guesses, shrink);
    if (entryLoss < best.entryLoss) best = { shrink, entryLoss };
    // Codes on the edge of their set do not move at first: no change is no sign that the best is behind.
    worse = entryLoss > CLEARLY * best.entryLoss ? worse + 1 : 0;
  }
  const { hidden, rowWeights, weight } = guesses;
  const { loss, columnWeights } = decoder;
  const [known, guessed] = [
    { rows, rowWeights: options.rowWeights },
    { rows: hidden, rowWeights },
  ];
  const atBaseRates = baseRateLoss(known, guessed, loss, { columnWeights, among: true });
  return { ...best, entryLossUnshrunk: unshrunk, entryLossAtBaseRates: atBaseRates / weight };
}

/** So many hidden entries tell one strength from the next; but a row comes so often at most, and there are so many rows. */
const ENTRIES = 20_000;
const COPIES = 20;
const MOST_ROWS = 50_000;
/** Half powers of ten, in units of how much a row's loss bends along a unit. */
const WEAKEST = -7;
const STRONGEST = 8;
/** Stronger ones that are tried when losses have clearly risen above the lowest. */
const PATIENCE = 2;
const CLEARLY = 1.02;
/** Nats within which an unshrunk code has to be proven optimal here. */
const TOLERANCE = 0.1;

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

/** The mean loss of the hidden entries at the codes of what is shown. */
async function lossOf(
  engine: Engine,
  decoder: Decoder,
  { shown, hidden, rowWeights, weight }: Guesses,
  shrink: number,
): Promise<number> {
  const { shape } = decoder;
  const encoder = await Encoder.create(engine, decoder, shrink);
  return withRows(engine, shown, widthOf(shape), async (block, E) => {
    await encoder.encodeBlock(block, E, TOLERANCE);
    const guessed = engine.load(hidden);
    const { losses } = await encoder.measure(guessed, E);
    for (const used of [encoder, guessed]) used.free();
    const sum = losses.reduce((total, loss, i) => total + rowWeights[i] * loss, 0);
    return sum / weight;
  });
}
