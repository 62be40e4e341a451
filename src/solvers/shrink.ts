import type { Engine } from '../engine/engine.ts';
import { widthOf } from '../engine/engine.ts';
import { hideEntries } from '../rows/hide.ts';
import { type Rows, takeRows } from '../rows/rows.ts';
import { withRows } from './codes.ts';
import { type Decoder, Encoder } from './encode.ts';

/** How much to shrink codes that are to complete their rows, and what an entry costs then. */
export interface Shrink {
  readonly shrink: number;
  /** Mean loss of a known entry that was hidden, at the code of the row's other entries. */
  readonly entryLoss: number;
  /** The same without shrinking. */
  readonly entryLossUnshrunk: number;
}

/**
 * The best code of a row explains what is known of it as well as any code can, and is far too sure of what is not. How
 * far codes have to be drawn towards 0, (shrink/2) |e|^2, is found by hiding some of the known entries and guessing them.
 */
export async function chooseShrink(engine: Engine, decoder: Decoder, rows: Rows): Promise<Shrink> {
  const entries = hideEntries(sampleOf(rows), SHARE, 1);
  const lossAt = (shrink: number) => hiddenLoss(engine, decoder, entries, shrink);
  const unshrunk = await lossAt(0);
  let best = { shrink: 0, entryLoss: unshrunk };
  const scale = stiffness(decoder);
  for (let power = WEAKEST, worse = 0; power <= STRONGEST && worse < PATIENCE; power++) {
    const shrink = scale * Math.sqrt(10) ** power;
    const entryLoss = await lossAt(shrink);
    worse = entryLoss < best.entryLoss ? 0 : worse + 1;
    if (worse === 0) best = { shrink, entryLoss };
  }
  return { ...best, entryLossUnshrunk: unshrunk };
}

/** The share of known entries that are hidden. */
const SHARE = 0.1;
/** So many hidden entries tell one strength from the next. */
const ENTRIES = 20_000;
/** Half powers of ten, in units of how much a row's loss bends along a unit. */
const WEAKEST = -7;
const STRONGEST = 8;
/** Stronger ones that are tried after the best. */
const PATIENCE = 2;

/** Rows spread over all; few or short ones come several times, each time with other entries hidden. */
function sampleOf(rows: Rows): Rows {
  const count = Math.max(1, Math.ceil(ENTRIES / (SHARE * rows.V)));
  const step = Math.max(1, rows.n / count);
  return takeRows(
    rows,
    Uint32Array.from({ length: count }, (_, i) => Math.floor(i * step) % rows.n),
  );
}

/** The mean over units of sum_v Psi''(m_v)/2 w_vh^2, as it was at the training codes. */
function stiffness({ W, shape, curvature }: Decoder): number {
  const { V, H } = shape;
  const width = widthOf(shape);
  let sum = 0;
  for (let v = 0; v < V; v++) for (let h = 0; h < H; h++) sum += curvature[v] * W[v * width + h] ** 2;
  return sum / H || 1;
}

async function hiddenLoss(
  engine: Engine,
  decoder: Decoder,
  { shown, hidden, count }: ReturnType<typeof hideEntries>,
  shrink: number,
): Promise<number> {
  const { shape, loss } = decoder;
  const encoder = await Encoder.create(engine, decoder, shrink);
  return withRows(engine, shown, widthOf(shape), async (block, E) => {
    await encoder.encodeBlock(block, E, TOLERANCE);
    const W = engine.floats(decoder.W.length);
    W.write(decoder.W);
    const [guessed, losses] = [engine.load(hidden), engine.floats(hidden.n)];
    await engine.measure({ block: guessed, shape, W, E, loss }, { losses });
    const sum = losses.read().reduce((total, each) => total + each, 0);
    for (const used of [encoder, W, guessed, losses]) used.free();
    return sum / Math.max(1, count);
  });
}

/** Nats within which an unshrunk code has to be proven optimal here. */
const TOLERANCE = 0.1;
