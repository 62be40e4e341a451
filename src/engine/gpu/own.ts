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
 * Hessians of rows' own, at the scores that a program left in memory, and what is made of them: preconditioners, which cost as
 * much as V / 8 steps of conjugate gradients, and bring a code that one preconditioner for all rows leaves far from its
 * optimum there in a few; and the inverses of Cholesky's factors, which proofs begin with.
 */
export class OwnHessians {
  readonly #tools: Tools;
  readonly #panel: OpenPanel;
  readonly #pairs: Slab;
  readonly #P4: number;

  /** Whether there is room for them: not with very many columns, or units. */
  static fit(tools: Tools, K: number, free: number): boolean {
    const { maxComputeWorkgroupStorageSize: inside } = tools.dispatcher.open.limits;
    return (
      4 * roomOf(free) + 8192 <= inside && 16 * K * pairsOf(free) <= Math.min(tools.roomBytes, MOST_PAIRS)
    );
  }

  constructor(tools: Tools, panel: OpenPanel, W: GpuFloats) {
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
    const { spec, free, values } = this.#panel;
    return 4 * spec.R * Math.max(4 * values.F4 * (free + 1), 4 * this.#P4);
  }

  /** The inverses of the Hessians of a piece's rows, one after the other. */
  inverses(piece: Piece, radius: number, settled: Slab): Slab {
    const { free } = this.#panel;
    return this.#find('inverse', piece, settled, free ** 2, {
      radius,
      jitter: JITTER.inverse,
    });
  }

  /** The inverses of their Cholesky factors, by columns of 4 F4 numbers, and the scales of the units. */
  factors(piece: Piece, settled: Slab): Slab {
    const { free, values } = this.#panel;
    return this.#find('factor', piece, settled, 4 * values.F4 * (free + 1), {
      radius: 0,
      jitter: JITTER.factor,
    });
  }

  #find(
    of: 'inverse' | 'factor',
    piece: Piece,
    settled: Slab,
    numbers: number,
    how: { readonly radius: number; readonly jitter: number },
  ): Slab {
    const tools = this.#tools;
    const { spec, bound, values, perPanel, K, free } = this.#panel;
    const { start, end } = piece;
    const rows = end - start;
    const P4 = this.#P4;
    const squares = tools.room('Hessians of rows', 16 * P4 * rows);
    const inverse = tools.room('inverses of rows', 4 * numbers * rows);
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
        ...{
          scratch: { slab: piece.scratch },
          pairs: { slab: this.#pairs },
          settled: { slab: settled },
          squares: { slab: squares },
        },
      } as Record<string, Window>,
      { K, K4, P4, start, end, perPanel, words, knownAt, knownWords, weighted, half },
      8 * rows * K * P4,
    );
    tools.dispatcher.run(
      inverting(of, free),
      gridOf(rows),
      {
        squares: { slab: squares },
        codes: bound.codes,
        settled: { slab: settled },
        inverse: { slab: inverse },
      },
      {
        ...{ start, end, free, P4, codesAt: values.codesAt, width: values.width },
        ...how,
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

const MOST_PAIRS = 2 ** 28;
/**
 * What is added to a diagonal of ones: float32 cannot tell less from rounding, and steps would follow it. A factor is only
 * where a proof begins: it may be wrong.
 */
const JITTER = { inverse: 1e-4, factor: 2e-5 };

const pairing = {
  key: 'products of columns',
  fields: { tasks: 'u32', P4: 'u32', free: 'u32', width: 'u32' },
  buffers: { held: 'read f32', pairs: 'write f32' },
  code: () => EACH(pairsProgram),
} as const satisfies Kernel<Record<string, 'u32'>, Buffers>;

const inverting = (of: 'inverse' | 'factor', free: number) =>
  ({
    key: `${of} ${roomOf(free)}`,
    fields: inversesFields,
    buffers: { squares: 'read f32', codes: 'read f32', settled: 'read f32', inverse: 'write f32' },
    code: () => inversesProgram(of, free > 64 ? 256 : 64, roomOf(free)),
  }) as const satisfies Kernel<typeof inversesFields, Buffers>;
