import type { Point, Side } from '../engine.ts';
import { type Items, itemsOf } from '../items.ts';
import type { Slab } from './dispatcher.ts';
import { gridOf } from './grid.ts';
import { type LossKind, lossKind } from './losses.ts';
import type { GpuFloats } from './storage.ts';
import type { Tools } from './tools.ts';

/** What a panel's program depends on. */
export interface PanelSpec {
  /** Items of a panel, and threads that work on it. */
  readonly R: 4 | 8;
  readonly T: number;
  /** The program has room for codes of so many groups of four numbers. */
  readonly W4: number;
  /** Vectors of the workgroup's memory for sums and residuals, and whether residuals are there. */
  readonly room: number;
  readonly residuals: 'room' | 'memory';
  readonly loss: LossKind;
  readonly entries: 'bits' | 'real';
  /** Whether entries have weights, or some are missing. */
  readonly masked: boolean;
  /**
   * Whether loops over lanes are unrolled: faster on hardware, but software adapters compile it for minutes.
   */
  readonly unrolled: boolean;
}

/** A point that was checked, cut into panels. */
export interface OpenPanel extends Omit<Items, 'n' | 'half'> {
  readonly spec: PanelSpec;
  /** Names the program, among others of its kind. */
  readonly key: string;
  readonly moved: GpuFloats;
  readonly bound: {
    readonly held: Slab;
    readonly entries: Slab;
    readonly weights?: Slab;
    readonly codes: Slab;
  };
  readonly values: PanelValues;
  /** Vectors of four that a panel has in the device's memory. */
  readonly perPanel: number;
}

/**
 * Where codes, or numbers like them, are: a buffer, and the row of item 0 in it. That row is negative if the
 * buffer begins with a later item.
 */
export interface CodesAt {
  readonly slab: Slab;
  readonly at: number;
}

export interface PanelValues {
  readonly K: number;
  readonly K4: number;
  readonly width: number;
  readonly W4: number;
  readonly free: number;
  readonly F4: number;
  readonly codesAt: number;
  readonly words: number;
  readonly knownAt: number;
  readonly knownWords: number;
  readonly weighted: number;
  readonly half: number;
}

/** `vectors`: vectors of codes that the program keeps in the workgroup's memory. */
export function openPanel(tools: Tools, side: Side, at: Point, vectors: number): OpenPanel {
  const block = tools.block(at.block);
  const { n, V, items, K, start, end, width, free, half } = itemsOf(side, at);
  const { offset = 0 } = at;
  const codes = side === 'codes';
  const W = tools.use(at.W, 'the numbers of W', V * width);
  const E = tools.use(at.E, 'the numbers of E', (offset + n) * width);
  const K4 = Math.ceil(K / 4);
  const W4 = Math.ceil(width / 4);
  const entries = block.entries(side);
  const { maxComputeWorkgroupStorageSize: bytes } = tools.dispatcher.open.limits;
  const weighted = at.columnWeights !== undefined || (!codes && at.rowWeights !== undefined);
  const spec: PanelSpec = {
    ...(shapeOf(bytes, K4, W4, vectors, end - start) ??
      tools.refuse(`codes of ${4 * W4} numbers: a workgroup's ${bytes} bytes do not hold them`)),
    loss: lossKind(at.loss, tools.name),
    entries: block.kind,
    masked: weighted || block.missing,
    unrolled: !tools.dispatcher.open.software,
  };
  const held = codes ? { floats: W, first: 0, K, width } : { floats: E, first: offset, K, width };
  const { R, T, room, residuals } = spec;
  return {
    spec,
    key: [R, T, spec.W4, room, residuals, spec.loss, spec.entries, spec.masked].join(' '),
    V,
    K,
    width,
    free,
    items,
    start,
    end,
    moved: codes ? E : W,
    bound: {
      held: tools.packs.provide(held),
      entries: entries.slab,
      ...(spec.masked && {
        weights: weighted ? weightsOf(tools, side, at, items, K4) : tools.room('no weights', 16),
      }),
      codes: (codes ? E : W).slab,
    },
    values: {
      K,
      K4,
      width,
      W4,
      free,
      F4: Math.ceil(free / 4),
      codesAt: codes ? offset : 0,
      words: entries.words,
      knownAt: entries.knownAt,
      knownWords: entries.knownWords,
      weighted: weighted ? 1 : 0,
      half,
    },
    perPanel: (residuals === 'room' ? 2 : 3) * R * K4,
  };
}

/** A piece of the range that is worked on at once, with room for its scores in the device's memory. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  readonly grid: readonly [number, number];
  readonly scratch: Slab;
  readonly work: number;
}

/** Rows of a piece, and which of them are settled: nothing is left to gain for their codes. */
export interface SomeRows {
  readonly panel: OpenPanel;
  readonly piece: Piece;
  readonly settled: Slab;
}

/**
 * Cuts a range so that the scores of each piece, and `more` bytes per panel, have room, and that no dispatch
 * takes long. `passes`: the cost of a dispatch in products with the held factor.
 */
export function piecesOf(tools: Tools, panel: OpenPanel, passes: number, more = 0): Piece[] {
  const { spec, start, end, perPanel, K, width } = panel;
  const { R } = spec;
  const each = 2 * R * K * width * passes;
  const fitting = Math.floor(tools.roomBytes / Math.max(16 * perPanel, more));
  const most = Math.max(
    1,
    Math.min(fitting, Math.max(LEAST_PANELS, Math.floor(LONGEST_WORK / each)), MOST_PANELS),
  );
  // Pieces have one size, because a last one of a few panels would leave most of a card idle.
  const all = Math.ceil((end - start) / R);
  const panels = Math.ceil(all / Math.ceil(all / most));
  const pieces: Piece[] = [];
  for (let first = start; first < end; first += panels * R) {
    const last = Math.min(end, first + panels * R);
    const count = Math.ceil((last - first) / R);
    const scratch = tools.room('scores', 16 * perPanel * panels);
    pieces.push({ start: first, end: last, grid: gridOf(count), scratch, work: count * each });
  }
  return pieces;
}

/**
 * The most operations of one dispatch: less than 200 ms on a card that does a few hundred billion per second.
 */
export const LONGEST_WORK = 4e10;
/** Fewer panels than this leave most of a card idle. */
const LEAST_PANELS = 64;
const MOST_PANELS = 4096;

/**
 * The shape of a panel: threads for four entries each, in whole warps and as few turns as possible; eight
 * items if their vectors have room, else four; residuals in the workgroup's memory if they fit there too.
 * Where nothing has room, as few threads as there can be.
 */
function shapeOf(bytes: number, K4: number, W4: number, vectors: number, items: number) {
  const turns = Math.ceil(K4 / 256);
  const usual = Math.max(LEAST_THREADS, Math.min(256, 32 * Math.ceil(K4 / turns / 32)));
  const wide = SIZES.find((size) => size >= W4);
  for (const T of [usual, LEAST_THREADS]) {
    // Many panels hide one another's waiting, and a card holds more of them if each takes less memory. Where
    // A^T r takes more than one turn, the sums of the first lie where residuals would be.
    const places = items > MANY || W4 > T ? (['memory'] as const) : (['room', 'memory'] as const);
    for (const R of [8, 4] as const) {
      for (const residuals of places) {
        const room = Math.max(4 * T, residuals === 'room' ? 256 * Math.ceil((R * K4) / 256) : 0);
        const needed = 16 * (room + vectors * (wide ?? W4) * R + 128 + 8) + 1024;
        if (wide && needed <= bytes) return { R, T, W4: wide, room, residuals };
      }
    }
  }
  return undefined;
}

/** Whether a workgroup with so many bytes has room for a panel of codes of so many numbers. */
export function holds(bytes: number, numbers: number, vectors: number): boolean {
  return shapeOf(bytes, 1, Math.ceil(numbers / 4), vectors, 1) !== undefined;
}

/** What squads and sums need. */
const LEAST_THREADS = 128;

/** With more items than this, a card has enough panels to work on one while others wait. */
const MANY = 8192;

/**
 * Groups of four numbers that programs have room for: a few sizes, so that models of many sizes share a
 * program.
 */
const SIZES = [4, 9, 13, 17, 26, 33, 49, 65, 97, 129, 257];

/** The weights of the entries of an item (padded to four), then those of the items; 1 if none are given. */
function weightsOf(tools: Tools, side: Side, at: Point, items: number, K4: number): Slab {
  const codes = side === 'codes';
  const columns = at.columnWeights && tools.use(at.columnWeights, 'columnWeights', at.shape.V);
  const rows = at.rowWeights && tools.use(at.rowWeights, 'rowWeights', at.block.n);
  const [along, across] = codes ? [columns, undefined] : [rows, columns];
  const { dispatcher } = tools;
  const slab = tools.room(`weights on side ${side}`, 4 * (4 * K4 + items));
  dispatcher.write(slab, 0, new Float32Array(4 * K4 + items).fill(1));
  if (along) dispatcher.copy(along.slab, 0, slab, 0, 4 * along.length);
  if (across) dispatcher.copy(across.slab, 0, slab, 16 * K4, 4 * across.length);
  return slab;
}
