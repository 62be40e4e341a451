import { gridFor } from './grid.ts';
import { LONGEST_WORK, type OpenPanel, type PanelSpec, type Piece } from './panel.ts';
import type { Tools } from './tools.ts';
import type { Looks } from './wgsl/look.ts';
import { ROWS, tileBytes } from './wgsl/tile.ts';

/** What a program for tiles of 128 rows depends on. */
export interface TileSpec extends Looks, Pick<PanelSpec, 'R' | 'W4' | 'loss' | 'entries' | 'masked'> {
  /** Threads of a workgroup, and units that are in its memory at a time. */
  readonly threads: 256 | 512;
  readonly depth: number;
  /** Threads that share the units of a row, and groups of four units whose gradients each of them adds up. */
  readonly unitThreads: 8 | 16;
  readonly unitsEach: number;
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
  const unitThreads = values.F4 > 8 ? 16 : 8;
  const unitsEach = Math.ceil(values.F4 / unitThreads);
  const { maxComputeWorkgroupStorageSize: bytes, maxComputeInvocationsPerWorkgroup: most } =
    tools.dispatcher.open.limits;
  const threads = values.F4 > 8 && most >= 512 ? 512 : 256;
  const depths = threads > 256 ? [34, 24, 16, 8] : [24, 16, 8];
  const depth = depths.find((count) => tileBytes({ W4, threads, unitThreads, depth: count }) <= bytes);
  const cached = 4 * values.K * values.width <= CACHE;
  if (!depth || most < 256 || unitsEach > MOST_UNITS || end - start < (cached ? MANY : FEWEST))
    return undefined;
  return {
    ...looks,
    R,
    W4,
    loss,
    entries,
    masked,
    threads,
    depth,
    unitThreads,
    unitsEach,
  };
}

/** Cuts a range so that no dispatch takes long; nothing is left in the device's memory. */
export function tilePieces(tools: Tools, { start, end, K, width }: OpenPanel): Piece[] {
  const each = 4 * K * width;
  const rows = ROWS * Math.max(1, Math.floor(LONGEST_WORK / each / ROWS));
  const pieces: Piece[] = [];
  for (let first = start; first < end; first += rows) {
    const count = Math.min(rows, end - first);
    pieces.push({
      ...{ start: first, end: first + count, grid: gridFor(count, ROWS), work: count * each },
      scratch: tools.room('scores', 16),
    });
  }
  return pieces;
}

/** Bytes of W that a multiprocessor's cache holds: panels read it from there, and wait less than few tiles do. */
const CACHE = 2 ** 17;
/** Rows that keep a card busy in tiles: where panels read W from far away, and where they do not. */
const FEWEST = 2048;
const MANY = 16_384;
/** Groups of units for which a thread has registers. */
const MOST_UNITS = 2;
