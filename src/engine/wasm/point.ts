import type { Floats, Point, Side } from '../engine.ts';
import { type Items, itemsOf } from '../items.ts';
import type { JobFields, JobParts } from './job.ts';
import { constants } from './layout.generated.ts';
import type { Memory } from './memory.ts';
import type { Matrix } from './packs.ts';
import { useBlock, useFloats, type WasmBlock, type WasmFloats } from './storage.ts';
import type { LossTables } from './tables.ts';

/** Entries of one item: a panel of eight takes 192 bytes for each. */
const MOST_ENTRIES = 1e7;

/** A point that was checked and turned into the fields of a job. */
export interface OpenPoint extends Omit<Items, 'n' | 'end'> {
  /** How many items the range holds. */
  readonly count: number;
  /** Row of the moving factor that belongs to item 0. */
  readonly firstRow: number;
  readonly held: Matrix;
  readonly moved: Floats;
  readonly parts: JobParts;
}

export function openPoint(memory: Memory, losses: LossTables, side: Side, at: Point): OpenPoint {
  const { shape } = at;
  const block = useBlock(memory, at.block);
  const { n, V, items, K, start, end, width, free, half } = itemsOf(side, at);
  const codes = side === 'codes';
  const offset = at.offset ?? 0;
  const W = useFloats(memory, at.W, 'the numbers of W', V * width);
  const E = useFloats(memory, at.E, 'the numbers of E', (offset + n) * width) + 4 * offset * width;
  const columnWeights = at.columnWeights ? useFloats(memory, at.columnWeights, 'columnWeights', V) : 0;
  const rowWeights = at.rowWeights ? useFloats(memory, at.rowWeights, 'rowWeights', n) : 0;
  if (K > MOST_ENTRIES) {
    throw new Error(
      `engine: an item of ${K} entries is too large for a kernel; expected ${MOST_ENTRIES} at most: ` +
        'work on fewer rows at a time',
    );
  }
  const weighted = block.missing || columnWeights > 0 || (!codes && rowWeights > 0);
  const held = codes
    ? { floats: at.W as WasmFloats, first: 0, K, width }
    : { floats: at.E as WasmFloats, first: offset * width, K, width };
  return {
    V,
    K,
    width,
    free,
    half,
    items,
    held,
    moved: codes ? at.E : at.W,
    start,
    count: end - start,
    firstRow: codes ? offset : 0,
    parts: [
      losses.fields(at.loss),
      {
        ...rowFields(block),
        side: codes ? constants.CODES : constants.WEIGHTS,
        K,
        width,
        free,
        ridged: shape.H,
        start,
        end,
        columnWeights,
        rowWeights,
        A: codes ? W : E,
        Z: codes ? E : W,
        half,
        weighted: weighted ? 1 : 0,
      },
    ],
  };
}

/** Where a block's rows are. */
export function rowFields(block: WasmBlock): JobFields {
  const { n, V, bits, known, values } = block;
  return { rows: n, V, bits, known, values, missing: block.missing ? 1 : 0 };
}
