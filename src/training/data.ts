import { type Block, type Engine, type Floats, floatsOf } from '../engine/engine.ts';
import { fullChunks } from '../rows/joined.ts';
import { entry, type Rows, takeRows } from '../rows/rows.ts';
import type { RowSource } from '../rows/source.ts';
import { permutation } from '../rows/split.ts';

/** The training rows as learning sees them: blocks inside the engine, visited in order, again and again. */
export interface TrainingData {
  readonly n: number;
  readonly V: number;
  /** Rows that the largest block holds. */
  readonly blockRows: number;
  /** A block is valid until the next one is requested; `offset` is the place of its first row among all. */
  blocks(): AsyncIterable<PlacedBlock>;
  /** The first rows, `count` at most, and no more than a block has. */
  sample(count: number): Promise<Rows>;
  /** For each place, the number of the row that stands there. Absent: places are row numbers. */
  readonly order?: Uint32Array;
  /** The weight of an entry of each column; 1 if absent. */
  readonly columnWeights?: Weights;
  close(): void;
}

export interface PlacedBlock {
  readonly block: Block;
  readonly offset: number;
  /** Entry v of the block's row i; NaN if it is missing. */
  entryAt(i: number, v: number): number;
  /** The weight of each row, 1 in the mean over all rows. Absent: 1 for every row. */
  readonly rowWeights?: Weights;
}

/** Weights in memory and the same inside the engine. */
interface Weights {
  readonly values: Float32Array;
  readonly floats: Floats;
}

/** The weights that training rows may have. */
export interface TrainingExtras {
  /** One weight per row, 1 in the mean. */
  readonly rowWeights?: Float32Array;
  readonly columnWeights?: Float32Array;
}

/** Rows that fit in memory: one block, shuffled once so that every minibatch is a fair sample. */
export function residentData(
  engine: Engine,
  rows: Rows,
  seed: number,
  extras: TrainingExtras = {},
): TrainingData {
  const order = permutation(rows.n, seed);
  const block = engine.load(takeRows(rows, order));
  const weights = extras.rowWeights;
  const rowWeights =
    weights &&
    weightsOf(
      engine,
      Float32Array.from(order, (i) => weights[i]),
    );
  const columnWeights = extras.columnWeights && weightsOf(engine, extras.columnWeights);
  return {
    n: rows.n,
    V: rows.V,
    blockRows: rows.n,
    order,
    columnWeights,
    sample: async (count) => takeRows(rows, order.subarray(0, count)),
    async *blocks() {
      yield {
        block,
        offset: 0,
        entryAt: (i, v) => entry(rows, order[i], v),
        rowWeights,
      };
    },
    close() {
      for (const held of [block, rowWeights?.floats, columnWeights?.floats]) held?.free();
    },
  };
}

/**
 * Rows of bits that are read once, straight into one block of the engine, and shuffled there as in
 * `residentData`. The source must be a checked one, and the engine one that has `blank`.
 */
export async function gatheredData(
  engine: Engine,
  source: RowSource,
  seed: number,
  extras: Pick<TrainingExtras, 'columnWeights'> = {},
): Promise<TrainingData> {
  const { n, V } = source;
  const order = permutation(n, seed);
  const places = new Uint32Array(n);
  order.forEach((row, place) => {
    places[row] = place;
  });
  const block = engine.blank!(n, V);
  let read = 0;
  for await (const rows of source.chunks(GATHERED_ROWS)) {
    block.put(rows, places.subarray(read, read + rows.n));
    read += rows.n;
    await engine.turn();
  }
  const columnWeights = extras.columnWeights && weightsOf(engine, extras.columnWeights);
  return {
    n,
    V,
    blockRows: n,
    order,
    columnWeights,
    sample: async (count) => block.copy(0, Math.min(count, n)),
    async *blocks() {
      yield { block, offset: 0, entryAt: (i, v) => entry(block.copy(i, i + 1), 0, v) };
    },
    close() {
      for (const held of [block, columnWeights?.floats]) held?.free();
    },
  };
}

/** Rows that are read at a time. */
export const GATHERED_ROWS = 1024;

/**
 * Rows that are read again in each epoch, `blockRows` at a time, in the order of their source. The source
 * must be a checked one.
 */
export function streamedData(
  engine: Engine,
  source: RowSource,
  blockRows: number,
  extras: Pick<TrainingExtras, 'columnWeights'> = {},
): TrainingData {
  const columnWeights = extras.columnWeights && weightsOf(engine, extras.columnWeights);
  return {
    columnWeights,
    n: source.n,
    V: source.V,
    blockRows: Math.min(blockRows, source.n),
    async sample(count) {
      for await (const rows of fullChunks(source, Math.min(count, blockRows))) return rows;
      throw new RangeError('fit: the source of rows is empty');
    },
    async *blocks() {
      let offset = 0;
      for await (const rows of fullChunks(source, blockRows)) {
        const block = engine.load(rows);
        try {
          yield { block, offset, entryAt: (i, v) => entry(rows, i, v) };
        } finally {
          block.free();
        }
        offset += rows.n;
      }
    },
    close: () => columnWeights?.floats.free(),
  };
}

export function weightsOf(engine: Engine, values: Float32Array): Weights {
  return { values, floats: floatsOf(engine, values) };
}
