import { gridFor } from './grid.ts';
import { LONGEST_WORK, type OpenPanel, type PanelSpec, type Piece } from './panel.ts';
import type { Tools } from './tools.ts';
import type { Looks } from './wgsl/look.ts';
import { tileBytes } from './wgsl/tile.ts';

/** How a workgroup shares its rows, columns and units among its threads. */
export interface TileShape {
  /** Groups of four numbers of a code, bias included. */
  readonly W4: number;
  readonly threads: number;
  /** Groups of four rows. */
  readonly quads: number;
  /** Threads that share the columns of a row, and groups of four columns that each of them has. */
  readonly columnThreads: number;
  readonly columnsEach: number;
  /**
   * Units of the first product, and groups of four columns of the second one, that are in the workgroup's
   * memory at a time.
   */
  readonly depth: number;
  readonly slice: number;
  /** Threads that share the units of a row: each of them adds up the gradients of four. */
  readonly unitThreads: number;
}

/** What a program for tiles depends on. */
export interface TileSpec extends TileShape, Looks, Pick<PanelSpec, 'R' | 'loss' | 'entries' | 'masked'> {
  /** Whether scores are kept for sums over the rows. */
  readonly scores: boolean;
}

/** How to look at these rows in tiles; nothing where panels do better, or where codes do not fit. */
export function tileFor(
  tools: Tools,
  { spec, values, start, end }: OpenPanel,
  looks: Looks & Pick<TileSpec, 'scores'>,
): TileSpec | undefined {
  const { R, W4, loss, entries, masked } = spec;
  const { maxComputeWorkgroupStorageSize: bytes, maxComputeInvocationsPerWorkgroup: most } =
    tools.dispatcher.open.limits;
  const shape = shapeOf(W4, values.F4, values.width);
  const cached = 4 * values.K * values.width <= CACHE;
  if (!shape || tileBytes(shape) > bytes || shape.threads > most || end - start < (cached ? MANY : FEWEST))
    return undefined;
  return { ...looks, ...shape, R, loss, entries, masked };
}

/**
 * The fastest shapes that were found (docs/notes/gpu.md): registers decide, which hold a thread's scores,
 * gradients, and what is on its way from memory. `F4` are groups of four units that move, `width` all numbers
 * of a code.
 */
export function shapeOf(W4: number, F4: number, width: number): TileShape | undefined {
  if (F4 > 32) return undefined;
  const few = F4 <= 8;
  const [columnThreads, columnsEach, quads, most] = few ? [16, 2, 32, 17] : [32, 1, 16, 26];
  const unitThreads = few ? 8 : F4 <= 16 ? 16 : 32;
  return {
    W4,
    threads: (columnThreads * quads) / 2,
    quads,
    columnThreads,
    columnsEach,
    unitThreads,
    depth: Math.ceil(width / Math.ceil(width / most)),
    slice: F4 <= 16 ? 8 : 6,
  };
}

/** Cuts a range so that no dispatch takes long; nothing is left in the device's memory. */
export function tilePieces(tools: Tools, { start, end, K, width }: OpenPanel, tile: TileSpec): Piece[] {
  const each = 4 * K * width;
  const together = 4 * tile.quads;
  const rows = together * Math.max(1, Math.floor(LONGEST_WORK / each / together));
  const pieces: Piece[] = [];
  for (let first = start; first < end; first += rows) {
    const count = Math.min(rows, end - first);
    pieces.push({
      start: first,
      end: first + count,
      grid: gridFor(count, together),
      work: count * each,
      scratch: tools.room('scores', 16),
    });
  }
  return pieces;
}

/**
 * Bytes of W that a multiprocessor's cache holds: panels read it from there, and wait less than few tiles do.
 */
const CACHE = 2 ** 17;
/** Rows that keep a card busy in tiles: where panels read W from far away, and where they do not. */
const FEWEST = 2048;
const MANY = 16_384;
