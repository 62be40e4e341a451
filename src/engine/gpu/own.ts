import type { Buffers, Kernel, Slab, Window } from './dispatcher.ts';
import { EACH, gridFor, gridOf } from './grid.ts';
import type { OpenPanel, Piece } from './panel.ts';
import type { GpuFloats } from './storage.ts';
import type { Tools } from './tools.ts';
import {
  hessiansBuffers,
  hessiansFields,
  hessiansProgram,
  PAIRS,
  pairsProgram,
  ROWS,
} from './wgsl/hessians.ts';
import { inversesFields, inversesProgram } from './wgsl/inverses.ts';

/**
 * Preconditioners of rows' own: the inverse of each row's Hessian at the scores that a solve left in memory. They cost
 * as much as V / 8 steps of conjugate gradients, and bring a code that one preconditioner for all rows leaves far from its
 * optimum there in a few.
 */
export class OwnInverses {
  readonly #tools: Tools;
  readonly #panel: OpenPanel;
  readonly #pairs: Slab;
  readonly #P4: number;

  /** Undefined where they have no room: many columns, or many units. */
  static open(tools: Tools, panel: OpenPanel, W: GpuFloats): OwnInverses | undefined {
    const { free, K } = panel;
    const bytes = 16 * K * pairsOf(free);
    const inside = 8 * roomOf(free) + 4096 <= tools.dispatcher.open.limits.maxComputeWorkgroupStorageSize;
    return inside && bytes <= MOST_PAIRS ? new OwnInverses(tools, panel, W) : undefined;
  }

  private constructor(tools: Tools, panel: OpenPanel, W: GpuFloats) {
    this.#tools = tools;
    this.#panel = panel;
    const { free, K, width } = panel;
    this.#P4 = pairsOf(free);
    const tasks = 4 * K * this.#P4;
    this.#pairs = tools.room('products of columns', 4 * tasks);
    tools.dispatcher.run(
      pairing,
      gridFor(tasks),
      { held: { slab: W.slab }, pairs: { slab: this.#pairs } },
      { tasks, P4: this.#P4, free, width },
    );
  }

  /** Bytes of the device's memory for each panel of rows. */
  get bytes(): number {
    return 4 * this.#panel.spec.R * Math.max(this.#panel.free ** 2, 4 * this.#P4);
  }

  /** The inverses of the rows of a piece, one after the other. */
  find(piece: Piece, radius: number): Slab {
    const tools = this.#tools;
    const { spec, bound, values, perPanel, K, free } = this.#panel;
    const { start, end } = piece;
    const rows = end - start;
    const P4 = this.#P4;
    const squares = tools.room('Hessians of rows', 16 * P4 * rows);
    const inverse = tools.room('inverses of rows', 4 * free ** 2 * rows);
    const { K4, words, knownAt, knownWords, weighted, half } = values;
    const kernel: Kernel<typeof hessiansFields, Buffers> = {
      key: `hessians ${spec.R} ${spec.loss} ${spec.entries} ${spec.masked}`,
      fields: hessiansFields,
      buffers: hessiansBuffers(spec) as Buffers,
      code: () => hessiansProgram(spec),
    };
    tools.dispatcher.run(
      kernel,
      [Math.ceil((4 * P4) / PAIRS), Math.ceil(rows / ROWS)],
      {
        entries: bound.entries,
        ...(spec.masked && { weights: bound.weights }),
        ...{ scratch: { slab: piece.scratch }, pairs: { slab: this.#pairs }, squares: { slab: squares } },
      } as Record<string, Window>,
      { K, K4, P4, start, end, perPanel, words, knownAt, knownWords, weighted, half },
      8 * rows * K * P4,
    );
    tools.dispatcher.run(
      inverting(free),
      gridOf(rows),
      { squares: { slab: squares }, codes: bound.codes, inverse: { slab: inverse } },
      {
        ...{ start, end, free, P4, codesAt: values.codesAt, width: values.width },
        ...{ radius, jitter: JITTER },
      },
      rows * free ** 3,
    );
    return inverse;
  }
}

/** Groups of four pairs of units. */
function pairsOf(free: number): number {
  return Math.ceil((free * (free + 1)) / 8);
}

/** Numbers of a triangle that programs have room for: a few sizes, so that models of many sizes share a program. */
function roomOf(free: number): number {
  const size = 16 * Math.ceil(free / 16);
  return (size * (size + 1)) / 2;
}

const MOST_PAIRS = 2 ** 26;
/** What is added to a diagonal of ones: float32 cannot tell less from rounding, and would follow it. */
const JITTER = 1e-4;

const pairing = {
  key: 'products of columns',
  fields: { tasks: 'u32', P4: 'u32', free: 'u32', width: 'u32' },
  buffers: { held: 'read f32', pairs: 'write f32' },
  code: () => EACH(pairsProgram),
} as const satisfies Kernel<Record<string, 'u32'>, Buffers>;

const inverting = (free: number) =>
  ({
    key: `inverses ${roomOf(free)}`,
    fields: inversesFields,
    buffers: { squares: 'read f32', codes: 'read f32', inverse: 'write f32' },
    code: () => inversesProgram(64, roomOf(free)),
  }) as const satisfies Kernel<typeof inversesFields, Buffers>;
