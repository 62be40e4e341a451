import type { Point, Side } from '../engine.ts';
import type { Buffers, Kernel, Slab } from './dispatcher.ts';
import { EACH, gridFor, gridOf } from './grid.ts';
import { LONGEST_WORK, type OpenPanel, type Piece } from './panel.ts';
import type { Tools } from './tools.ts';
import {
  hessiansBuffers,
  hessiansFields,
  hessiansProgram,
  PAIRS,
  pairsProgram,
  ROWS,
} from './wgsl/hessians.ts';
import { type InverseOf, inversesFields, inversesProgram } from './wgsl/inverses.ts';

/**
 * The Hessian of each item (a row, or a bit on side 'weights') at the scores that a program left in memory,
 * and what is computed from it:
 *
 * - preconditioners. They cost as much as K / 8 steps of conjugate gradients; with them, a code that is still
 *   far from its optimum with one preconditioner for all rows takes only a few more steps;
 * - Newton's steps;
 * - the inverses of Cholesky factors, for proofs.
 */
export class OwnHessians {
  readonly #tools: Tools;
  readonly #panel: OpenPanel;
  readonly #held: Slab;
  /** The row of the held factor that entry 0 belongs to. */
  readonly #first: number;
  readonly #ridge: { readonly ridge: number; readonly ridged: number };
  readonly #P4: number;
  /** Groups of four entries whose products have room at a time. */
  readonly #most: number;
  readonly #pairs: Slab;
  /** Whether the products of all entries are there. */
  #whole = false;

  /** Whether there is room for them: not with very many units. */
  static fit(tools: Tools, free: number): boolean {
    return 4 * roomOf(free) + 8192 <= tools.dispatcher.open.limits.maxComputeWorkgroupStorageSize;
  }

  constructor(tools: Tools, panel: OpenPanel, side: Side, { W, E, offset = 0, shape }: Point, ridge = 0) {
    this.#tools = tools;
    this.#panel = panel;
    const { free, V, K, width, values } = panel;
    const codes = side === 'codes';
    const rows = codes ? V : offset + K;
    this.#held = tools.use(codes ? W : E, 'the held factor', rows * width).slab;
    this.#first = codes ? 0 : offset;
    this.#ridge = { ridge, ridged: Math.min(free, shape.H) };
    this.#P4 = pairsOf(free);
    const room = Math.min(tools.roomBytes, MOST_PAIRS) / (64 * this.#P4);
    this.#most = Math.min(values.K4, 4 * Math.max(1, Math.floor(room / 4)));
    this.#pairs = tools.room('products of columns', 64 * this.#most * this.#P4);
  }

  /** Bytes of the device's memory for each panel of items. */
  get bytes(): number {
    const { spec, free, values } = this.#panel;
    return 4 * spec.R * Math.max(4 * values.F4 * (free + 1), 4 * this.#P4 * this.#chunks(spec.R).length);
  }

  /** The cost of one dispatch in products with the held factor, by which `piecesOf` cuts the range. */
  get passes(): number {
    const { free, values } = this.#panel;
    return (free / 2) * Math.min(1, LEAST_CHUNK / values.K4);
  }

  /**
   * The inverses of the Hessians of a piece's items, one after the other. Numbers of a code that lie on the
   * bound of the box are decoupled from the others.
   */
  inverses(piece: Piece, radius: number, settled: Slab): Slab {
    return this.#find('inverse', piece, settled, this.#panel.free ** 2, radius);
  }

  /** The same for Newton's steps, where a number without curvature does not move. */
  steps(piece: Piece): Slab {
    return this.#find('step', piece, this.#none(piece), this.#panel.free ** 2);
  }

  /** The inverses of their Cholesky factors, by columns of 4 F4 numbers, and the scales of the units. */
  factors(piece: Piece, settled: Slab): Slab {
    const { free, values } = this.#panel;
    return this.#find('factor', piece, settled, 4 * values.F4 * (free + 1));
  }

  #find(of: InverseOf, piece: Piece, settled: Slab, numbers: number, radius = 0): Slab {
    const tools = this.#tools;
    const { bound, values, free } = this.#panel;
    const { start, end } = piece;
    const rows = end - start;
    const inverse = tools.room('inverses of rows', 4 * numbers * rows);
    const { squares, slots } = this.#squares(piece, settled);
    tools.dispatcher.run(
      inverting(of, free),
      gridOf(rows),
      { squares, codes: bound.codes, settled, inverse },
      {
        start,
        end,
        free,
        P4: this.#P4,
        codesAt: values.codesAt,
        width: values.width,
        radius,
        jitter: JITTER[of],
        slots,
        ...this.#ridge,
      },
      rows * free ** 3,
    );
    return inverse;
  }

  /** The Hessians, by slices of entries: slots of one matrix per item each, to be added up in their order. */
  #squares(
    { start, end, scratch }: Piece,
    settled: Slab,
  ): { readonly squares: Slab; readonly slots: number } {
    const tools = this.#tools;
    const { spec, bound, values, perPanel, K, free, width } = this.#panel;
    const { K4, words, knownAt, knownWords, weighted, half } = values;
    const P4 = this.#P4;
    const rows = end - start;
    const across = Math.ceil((4 * P4) / PAIRS);
    const tall = Math.ceil(rows / ROWS);
    const chunks = this.#chunks(rows).map(({ from4, to4 }) => {
      // A few items leave a card idle: their entries are then shared among more workgroups.
      const wanted = Math.min(Math.ceil(GROUPS / (across * tall)), Math.ceil((to4 - from4) / LEAST_SLICE));
      const each4 = 4 * Math.ceil((to4 - from4) / wanted / 4);
      return { from4, to4, each4, slices: Math.ceil((to4 - from4) / each4) };
    });
    const slots = chunks.reduce((sum, { slices }) => sum + slices, 0);
    const squares = tools.room('Hessians of rows', 16 * P4 * rows * slots);
    const kernel: Kernel<typeof hessiansFields, Buffers> = {
      key: `hessians ${spec.R} ${spec.loss} ${spec.entries} ${spec.masked}`,
      fields: hessiansFields,
      buffers: hessiansBuffers(spec) as Buffers,
      code: () => hessiansProgram(spec),
    };
    let slot = 0;
    for (const { from4, to4, each4, slices } of chunks) {
      if (!this.#whole) {
        const tasks = 16 * (to4 - from4) * P4;
        const from = { held: this.#held, pairs: this.#pairs };
        const first = this.#first + 4 * from4;
        tools.dispatcher.run(pairing, gridFor(tasks), from, {
          tasks,
          P4,
          free,
          width,
          first,
          left: K - 4 * from4,
        });
        this.#whole = chunks.length === 1;
      }
      tools.dispatcher.run(
        kernel,
        [across, tall * slices],
        {
          entries: bound.entries,
          ...(spec.masked && { weights: bound.weights }),
          scratch,
          pairs: this.#pairs,
          settled,
          squares,
        } as Record<string, Slab>,
        {
          K,
          K4,
          P4,
          start,
          end,
          perPanel,
          words,
          knownAt,
          knownWords,
          weighted,
          half,
          from4,
          to4,
          each4,
          tall,
          slot,
        },
        32 * rows * (to4 - from4) * P4,
      );
      slot += slices;
    }
    return { squares, slots };
  }

  /** Cuts the entries into chunks: the products of each have room, and none makes a long dispatch. */
  #chunks(rows: number): { readonly from4: number; readonly to4: number }[] {
    const { K4 } = this.#panel.values;
    const quick = 4 * Math.max(1, Math.floor(LONGEST_WORK / (32 * rows * this.#P4) / 4));
    const each = Math.min(this.#most, Math.max(quick, LEAST_CHUNK));
    return Array.from({ length: Math.ceil(K4 / each) }, (_, i) => ({
      from4: i * each,
      to4: Math.min(K4, (i + 1) * each),
    }));
  }

  /** Flags that say that no item of the piece is settled. */
  #none({ start, end }: Piece): Slab {
    const bytes = 4 * (end - start);
    const none = this.#tools.room('no rows that are settled', bytes);
    this.#tools.dispatcher.clear(none, 0, bytes);
    return none;
  }
}

/** Groups of four pairs of units. */
function pairsOf(free: number): number {
  return Math.ceil((free * (free + 1)) / 8);
}

/**
 * Numbers of a triangle that programs have room for: a few sizes, so that models of many sizes share a
 * program.
 */
function roomOf(free: number): number {
  const size = 16 * Math.ceil(free / 16);
  return (size * (size + 1)) / 2;
}

const MOST_PAIRS = 2 ** 28;
/** The number of workgroups that keeps a card busy. */
const GROUPS = 512;
/** The least number of groups of four entries for a workgroup of its own, and for a dispatch of its own. */
const LEAST_SLICE = 128;
const LEAST_CHUNK = 1024;
/**
 * What is added to a diagonal of ones: float32 cannot tell less from rounding, and steps would follow it. A
 * factor is only where a proof begins: it may be wrong.
 */
const JITTER = { inverse: 1e-4, step: 1e-4, factor: 2e-5 };

const pairing = {
  key: 'products of columns',
  fields: { tasks: 'u32', P4: 'u32', free: 'u32', width: 'u32', first: 'u32', left: 'u32' },
  buffers: { held: 'read f32', pairs: 'write f32' },
  code: () => EACH(pairsProgram),
} as const satisfies Kernel<Record<string, 'u32'>, Buffers>;

const inverting = (of: InverseOf, free: number) =>
  ({
    key: `${of} ${roomOf(free)}`,
    fields: inversesFields,
    buffers: { squares: 'read f32', codes: 'read f32', settled: 'read f32', inverse: 'write f32' },
    code: () => inversesProgram(of, free > 64 ? 256 : 64, roomOf(free)),
  }) as const satisfies Kernel<typeof inversesFields, Buffers>;
