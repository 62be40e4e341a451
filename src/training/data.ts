import type { Block, Engine } from '../engine/engine.ts';
import { type Rows, takeRows } from '../rows/rows.ts';
import type { RowSource } from '../rows/source.ts';
import { permutation } from '../rows/split.ts';

/** The training rows as learning sees them: blocks inside the engine, visited in order, as often as it likes. */
export interface TrainingData {
  readonly n: number;
  readonly V: number;
  /** Rows that the largest block holds. */
  readonly blockRows: number;
  /** A block is valid until the next one is asked for; `offset` is the place of its first row among all rows. */
  blocks(): AsyncIterable<PlacedBlock>;
  /** For each place, the number of the row that stands there. Absent: places are row numbers. */
  readonly order?: Uint32Array;
  close(): void;
}

export interface PlacedBlock {
  readonly block: Block;
  readonly offset: number;
}

/** Rows that fit in memory: one block, shuffled once so that every minibatch is a fair sample. */
export function residentData(engine: Engine, rows: Rows, seed: number): TrainingData {
  const order = permutation(rows.n, seed);
  const block = engine.load(takeRows(rows, order));
  return {
    n: rows.n,
    V: rows.V,
    blockRows: rows.n,
    order,
    async *blocks() {
      yield { block, offset: 0 };
    },
    close: () => block.free(),
  };
}

/** Rows that are read anew in each epoch, `blockRows` at a time, in the order of their source. */
export function streamedData(engine: Engine, source: RowSource, blockRows: number): TrainingData {
  return {
    n: source.n,
    V: source.V,
    blockRows: Math.min(blockRows, source.n),
    async *blocks() {
      let offset = 0;
      for await (const rows of source.chunks(blockRows)) {
        const block = engine.load(rows);
        try {
          yield { block, offset };
        } finally {
          block.free();
        }
        offset += rows.n;
      }
    },
    close() {},
  };
}
