import { type Engine, widthOf } from '../engine/engine.ts';
import { isSource } from '../rows/input.ts';
import { collect } from '../rows/memory.ts';
import { type Rows, rowBytes } from '../rows/rows.ts';
import type { RowSource } from '../rows/source.ts';
import { type CountedRows, split } from '../rows/split.ts';
import { sum } from '../rows/sum.ts';
import { GATHERED_ROWS, type TrainingExtras } from './data.ts';
import { refines } from './refine/whether.ts';
import type { Settings } from './settings.ts';

/** Rows with their weights, for learning or validation. */
export interface RowSet extends TrainingExtras {
  readonly rows: Rows | RowSource;
}

/** Rows in memory with their weights and categories. */
export interface HeldSet extends TrainingExtras {
  readonly rows: Rows;
  /** Columns that form a category. */
  readonly groups?: RowSource['groups'];
}

/** Rows up to this size are kept in memory. */
const RESIDENT_BYTES = 768 * 2 ** 20;

/** Larger tables of bits are read into the engine if bits and codes take no more than this. */
const GATHERED_BYTES = 1280 * 2 ** 20;

/** Splits rows into training and validation rows, each with its weights. */
export async function splitRows(
  input: Rows | RowSource,
  settings: Pick<Settings, 'columnWeights' | 'rowWeights' | 'validation' | 'seed' | 'keepCodes'>,
  signal?: AbortSignal,
): Promise<{ training: RowSet; held?: HeldSet }> {
  const { columnWeights, rowWeights, validation, seed, keepCodes } = settings;
  const { groups } = input;
  let rows: Rows | RowSource = input;
  if (isSource(rows) && (keepCodes || typeof validation === 'number') && (await fitsInMemory(rows))) {
    rows = await collect(rows, { signal });
  }
  if (isSource(rows)) {
    if (rowWeights)
      throw new RangeError('fit: rowWeights needs rows that fit in memory, with codes that are kept');
    if (typeof validation === 'number') {
      throw new RangeError(
        'fit: a validation share needs rows that fit in memory; hold rows out beforehand and pass them as validation',
      );
    }
    return {
      training: { rows, columnWeights },
      held: validation && { rows: validation, columnWeights, groups },
    };
  }
  const { training, held } = split({ rows, rowWeights }, validation, seed);
  return {
    training: { ...meanOne(training), columnWeights },
    held: held && { ...meanOne(held), columnWeights, groups },
  };
}

/** Scales weights so that they are 1 in the mean. */
function meanOne({ rows, rowWeights }: CountedRows): HeldSet {
  if (!rowWeights) return { rows };
  const weights = Float32Array.from(rowWeights);
  const mean = sum(weights) / weights.length;
  return { rows, rowWeights: weights.map((weight) => weight / mean) };
}

/** Whether a source's rows fit in memory. */
export async function fitsInMemory(source: RowSource): Promise<boolean> {
  const { n, V } = source;
  // Bits may come with a second set of bits that says which of them are known.
  if (2 * n * rowBytes(V) > RESIDENT_BYTES) return false;
  return 4 * n * V <= RESIDENT_BYTES || (await kindOf(source)) === 'bits';
}

/** Whether a source gives bits or real values, as its first row shows. */
export async function kindOf(source: RowSource): Promise<Rows['kind']> {
  for await (const { kind } of source.chunks(1)) return kind;
  return 'bits';
}

/**
 * Whether a source that does not fit in memory is read once, into the engine, instead of again in each epoch.
 * That is possible for bits, and done if learning ends with rounds, which need all rows in one block.
 */
export async function gathers(
  engine: Pick<Engine, 'blank'>,
  source: RowSource,
  settings: Parameters<typeof refines>[0] & Pick<Settings, 'H' | 'bias'>,
): Promise<boolean> {
  const { n, V } = source;
  const width = widthOf(settings);
  if (!engine.blank || !refines(settings)) return false;
  if (n * rowBytes(V) + 4 * n * width > GATHERED_BYTES) return false;
  for await (const rows of source.chunks(GATHERED_ROWS)) {
    if (rows.kind !== 'bits') return false;
    return hasRoom(engine, n, rows.known ? [V, V, 32 * width] : [V, 32 * width]);
  }
  return false;
}

/**
 * Whether there is room for n rows of each of these numbers of bits at once, such as entries, which of them
 * are known, and codes: an engine's memory may be limited, by its maker or by the host.
 */
function hasRoom(engine: Pick<Engine, 'blank'>, n: number, bits: readonly number[]): boolean {
  const held: { free(): void }[] = [];
  try {
    for (const V of bits) held.push(engine.blank!(n, V));
    return true;
  } catch {
    return false;
  } finally {
    for (const block of held) block.free();
  }
}
