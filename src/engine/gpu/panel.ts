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
  /** Groups of four numbers of a code that there is room for. */
  readonly W4: number;
  /** Vectors of the workgroup's memory for sums and residuals; where residuals are. */
  readonly room: number;
  readonly residuals: 'room' | 'memory';
  readonly loss: LossKind;
  readonly entries: 'bits' | 'real';
  /** Whether entries have weights, or some are missing. */
  readonly masked: boolean;
  /**
   * Whether work on each lane is written out: hardware likes that, and a processor takes minutes to compile
   * it.
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
 * Codes, or numbers like them: where they are, and the row there of item 0 (below 0 where only later items
 * have one).
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
  const weighted = at.columnWeights !== undefined || (!codes && at.rowWeights !== undefined);
  const spec: PanelSpec = {
    ...shapeOf(tools, K4, W4, vectors, end - start),
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

/** A piece of the range that is worked on at once: what it leaves in the device's memory has room there. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  readonly grid: readonly [number, number];
  readonly scratch: Slab;
  readonly work: number;
}

/**
 * Cuts a range so that its scores, and `more` bytes a panel, have room and that no dispatch takes long;
 * `passes` are products with the held factor.
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
  // Pieces of one size: a last one of a few panels would keep most of a card waiting.
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
 * Operations of one dispatch at most: less than 200 ms of a card that does a few hundred billion a second.
 */
export const LONGEST_WORK = 4e10;
/** Fewer panels than this leave most of a card idle. */
const LEAST_PANELS = 64;
const MOST_PANELS = 4096;

/**
 * As many threads as four entries each need, in whole warps and as few turns as possible; eight items where
 * their vectors have room, and residuals in the workgroup's memory where they fit there too.
 */
function shapeOf(tools: Tools, K4: number, W4: number, vectors: number, items: number) {
  const { maxComputeWorkgroupStorageSize: bytes } = tools.dispatcher.open.limits;
  const turns = Math.ceil(K4 / 256);
  const T = Math.max(128, Math.min(256, 32 * Math.ceil(K4 / turns / 32)));
  // Many panels hide one another's waiting, and more of them have room on a card when each takes less.
  const places = items > MANY ? (['memory'] as const) : (['room', 'memory'] as const);
  const wide = SIZES.find((size) => size >= W4);
  for (const R of [8, 4] as const) {
    for (const residuals of places) {
      const room = Math.max(4 * T, residuals === 'room' ? 256 * Math.ceil((R * K4) / 256) : 0);
      const needed = 16 * (room + vectors * (wide ?? W4) * R + 128 + 8) + 1024;
      if (wide && needed <= bytes) return { R, T, W4: wide, room, residuals };
    }
  }
  return tools.refuse(`codes of ${4 * W4} numbers: a workgroup's ${bytes} bytes do not hold them`);
}

/** Items from which on a card is busy with panels that wait. */
const MANY = 8192;

/**
 * Groups of four numbers that programs have room for: a few sizes, so that models of many sizes share a
 * program.
 */
const SIZES = [4, 9, 13, 17, 26, 33, 49, 65, 97, 129, 257];

/** Weights of entries along an item (padded to four), then those of items; 1 where none are given. */
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
