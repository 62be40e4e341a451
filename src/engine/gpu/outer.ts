import type { Floats, Sums } from '../engine.ts';
import type { Buffers, Kernel, Slab } from './dispatcher.ts';
import { EACH, gridFor } from './grid.ts';
import type { CodesAt, OpenPanel, PanelSpec, Piece } from './panel.ts';
import type { Fields } from './params.ts';
import type { Entries, GpuBlock, GpuFloats } from './storage.ts';
import { type Tools, touch } from './tools.ts';
import { outerBuffers, outerFields, outerProgram } from './wgsl/outer.ts';
import { range } from './wgsl/text.ts';

/** What a program for sums of outer products depends on. */
export interface OuterSpec {
  readonly source: 'residuals' | 'entries' | 'numbers';
  /** Groups of four columns of a workgroup's tile, groups of four numbers of the factor, threads. */
  readonly tile: number;
  readonly W4: number;
  readonly T: number;
  /** Rows that are in the workgroup's memory at a time. */
  readonly rows: number;
  readonly panel?: Pick<PanelSpec, 'loss' | 'entries' | 'masked'>;
  readonly rowWeighted: boolean;
}

/** Sums over the rows of a range: made piece by piece, from the scores that each piece leaves behind. */
export class ResidualSums {
  readonly #tools: Tools;
  readonly #panel: OpenPanel;
  readonly #rowWeights?: GpuFloats;
  readonly #codes: CodesAt;
  #pieces = 0;
  #sliceRows = 0;
  #slots = 0;

  /** `codes`: those that the scores belong to, if they are not the panel's. */
  constructor(
    tools: Tools,
    panel: OpenPanel,
    rowWeights?: Floats,
    codes: CodesAt = { slab: panel.bound.codes, at: panel.values.codesAt },
  ) {
    this.#tools = tools;
    this.#panel = panel;
    this.#codes = codes;
    this.#rowWeights = rowWeights && tools.use(rowWeights, 'rowWeights', panel.items);
  }

  add(piece: Piece): void {
    const { spec, bound, values, perPanel } = this.#panel;
    const rows = piece.end - piece.start;
    // The first piece is the largest: the slices of the others fit into its slots.
    this.#sliceRows ||= sliceOf(rows);
    this.#slots ||= Math.ceil(rows / this.#sliceRows);
    const { K4, W4, width, words, knownAt, knownWords } = values;
    runOuter(
      this.#tools,
      {
        ...specFor(this.#tools, 'residuals', W4, this.#rowWeights !== undefined),
        panel: spec,
      },
      {
        bound: {
          factors: this.#codes.slab,
          entries: bound.entries,
          scratch: piece.scratch,
          ...(this.#rowWeights && { rowWeights: this.#rowWeights.slab }),
          ...(spec.masked && { weights: bound.weights as Slab }),
        },
        values: {
          rows,
          sliceRows: this.#sliceRows,
          start: piece.start,
          factorAt: this.#codes.at + piece.start,
          K4,
          width,
          words,
          knownAt,
          knownWords,
          weighted: values.weighted,
          R: spec.R,
          perPanel,
          more: this.#pieces++ > 0 ? 1 : 0,
        },
        slots: this.#slots,
      },
    );
  }

  /** Puts the sums where they are wanted. */
  end(sums: Pick<Sums, 'gradient'> & Partial<Sums>): void {
    const { values, width, V } = this.#panel;
    const { K4, W4 } = values;
    const { start, end } = this.#panel;
    addSlices(this.#tools, { V, K4, W4, width, slots: this.#slots }, sums.gradient, {
      ...sums,
      count: end - start,
    });
  }
}

/**
 * A = X^T Y over rows (`entries` of block rows), or Y = X A over columns: what is summed is told by the
 * entries.
 */
export function correlateEntries(
  tools: Tools,
  block: GpuBlock,
  entries: Entries,
  { rows, columns, width }: { rows: number; columns: number; width: number },
  factors: GpuFloats,
  out: Floats,
): void {
  const K4 = Math.ceil(columns / 4);
  const W4 = Math.ceil(width / 4);
  const sliceRows = sliceOf(rows);
  const slots = Math.ceil(rows / sliceRows);
  const { words, knownAt, knownWords } = entries;
  const panel = { loss: 'hamming', entries: block.kind, masked: block.missing } as const;
  runOuter(
    tools,
    { ...specFor(tools, 'entries', W4, false), panel },
    {
      bound: { factors: factors.slab, entries: entries.slab },
      values: { ...WITHOUT_PANEL, rows, sliceRows, K4, width, words, knownAt, knownWords },
      slots,
    },
  );
  addSlices(tools, { V: columns, K4, W4, width, slots }, out);
}

/** A^T diag(weights) A by slices of rows: where they are, how many, and how wide a row of them is. */
export function gramSlices(
  tools: Tools,
  A: GpuFloats,
  count: number,
  width: number,
  weights?: GpuFloats,
): { readonly slab: Slab; readonly slots: number; readonly W4: number } {
  const W4 = Math.ceil(width / 4);
  const sliceRows = Math.min(sliceOf(count), EXACT_ROWS);
  const slots = Math.max(1, Math.ceil(count / sliceRows));
  const slab = runOuter(tools, specFor(tools, 'numbers', W4, weights !== undefined), {
    bound: { factors: A.slab, ...(weights && { rowWeights: weights.slab }) },
    values: { ...WITHOUT_PANEL, rows: count, sliceRows, K4: W4, width },
    slots,
  });
  return { slab, slots, W4 };
}

/** The values of sums that belong to no panel, and begin with their first row. */
const WITHOUT_PANEL = {
  start: 0,
  factorAt: 0,
  words: 0,
  knownAt: 0,
  knownWords: 0,
  weighted: 0,
  R: 1,
  perPanel: 0,
  more: 0,
} as const;

/** Rows that float32 adds up well enough for what is then added up in float64. */
const EXACT_ROWS = 2048;

function specFor(tools: Tools, source: OuterSpec['source'], W4: number, rowWeighted: boolean): OuterSpec {
  const tile = Math.max(1, Math.min(16, Math.floor(256 / W4)));
  const { maxComputeWorkgroupStorageSize: bytes } = tools.dispatcher.open.limits;
  const bytesOf = (rows: number) => 16 * rows * (W4 + 2 * tile);
  if (W4 > 256 || bytesOf(16) > bytes) tools.refuse(`sums for ${4 * W4} units`);
  const rows = bytesOf(32) <= Math.min(bytes, MOST_BYTES) ? 32 : 16;
  return { source, tile, rows, W4, T: Math.min(256, 32 * Math.ceil((tile * W4) / 32)), rowWeighted };
}

/** A workgroup's memory for rows: several workgroups should share a multiprocessor. */
const MOST_BYTES = 24_576;

/** Rows of a slice: so few that a minibatch keeps a card busy, so many that there are at most 32 of them. */
function sliceOf(rows: number): number {
  return Math.max(64, 16 * Math.ceil(rows / 32 / 16));
}

function runOuter(
  tools: Tools,
  spec: OuterSpec,
  task: {
    readonly bound: Readonly<Record<string, Slab>>;
    readonly values: Omit<Record<keyof typeof outerFields, number>, 'slot' | 'slots'>;
    readonly slots: number;
  },
): Slab {
  const { source, tile, W4, T, panel, rowWeighted } = spec;
  const { rows, sliceRows, K4 } = task.values;
  const vectors = task.slots * (4 * K4 * W4 + K4);
  const slab = tools.room('slices of sums', 16 * vectors);
  const { loss, entries, masked } = panel ?? {};
  const kernel: Kernel<typeof outerFields, Buffers> = {
    key: ['outer', source, tile, spec.rows, W4, T, rowWeighted, loss, entries, masked].join(' '),
    fields: outerFields,
    buffers: outerBuffers(spec) as Buffers,
    code: () => outerProgram(spec),
  };
  const groups = [Math.ceil(K4 / tile), Math.ceil(rows / sliceRows)] as const;
  const bound = { ...task.bound, slices: slab };
  tools.dispatcher.run(
    kernel,
    groups,
    bound,
    { ...task.values, slot: 0, slots: task.slots },
    32 * rows * K4 * W4,
  );
  return slab;
}

/**
 * out (V x width) and curvature (V) = the sums of their slices; running means (V) of the curvature follow.
 */
function addSlices(
  tools: Tools,
  { V, K4, W4, width, slots }: { V: number; K4: number; W4: number; width: number; slots: number },
  out: Floats,
  { curvature, running, count = 1 }: Partial<Sums> & { readonly count?: number } = {},
): void {
  const to = tools.use(out, 'the sums', V * width);
  const bends = curvature && tools.use(curvature, 'the curvatures', V);
  const means = running && tools.running(running.means, V);
  const tasks = V * W4;
  tools.dispatcher.run(
    means ? adding.followed : bends ? adding.curved : adding.plain,
    gridFor(tasks),
    {
      slices: tools.room('slices of sums', 0),
      out: to.slab,
      ...(bends && { curvature: bends.slab }),
      ...(means && { means: means.slab }),
    } as { slices: Slab; out: Slab; curvature: Slab; means: Slab },
    { tasks, K4, W4, width, slots, scale: 1 / count, share: running?.share ?? 0 },
  );
  touch(to, bends, means);
}

/** Adds what every slot has to a sum, in their order; eight slots are on their way at a time. */
function inOrder(sum: string, of: (slot: string) => string): string {
  const turn = (flight: number) => `for (; slot + ${flight}u <= params.slots; slot += ${flight}u) {
    ${range(flight)
      .map((k) => `let a${k} = ${of(`(slot + ${k}u)`)};`)
      .join('\n    ')}
    ${range(flight)
      .map((k) => `${sum} += a${k};`)
      .join(' ')}
  }`;
  return `{\n  var slot = 0u;\n  ${turn(8)}\n  ${turn(1)}\n  }`;
}

const addingFields = {
  tasks: 'u32',
  K4: 'u32',
  W4: 'u32',
  width: 'u32',
  slots: 'u32',
  scale: 'f32',
  share: 'f32',
} as const satisfies Fields;

const addingKernel = <B extends Buffers>(key: string, buffers: B) => ({
  key,
  fields: addingFields,
  buffers,
  code: () =>
    EACH(/* wgsl */ `
  let v = i / params.W4;
  let h4 = i % params.W4;
  let each = 4u * params.K4 * params.W4;
  var sum = vec4f(0.0);
  ${inOrder('sum', (s) => `slices[${s} * each + i]`)}
  for (var j = 0u; j < 4u; j++) {
    if (4u * h4 + j < params.width) { out[v * params.width + 4u * h4 + j] = sum[j]; }
  }
  ${
    'curvature' in buffers
      ? `if (h4 == 0u) {
    var bends = 0.0;
    ${inOrder('bends', (s) => `slices[params.slots * each + ${s} * params.K4 + (v >> 2u)][v & 3u]`)}
    curvature[v] = bends;
    ${'means' in buffers ? 'means[v] += params.share * (params.scale * bends - means[v]);' : ''}
  }`
      : ''
  }`),
});

const adding = {
  plain: addingKernel('add slices', { slices: 'read vec4f', out: 'write f32' }),
  curved: addingKernel('add slices, and curvatures', {
    slices: 'read vec4f',
    out: 'write f32',
    curvature: 'write f32',
  }),
  followed: addingKernel('add slices, and curvatures, and follow them', {
    slices: 'read vec4f',
    out: 'write f32',
    curvature: 'write f32',
    means: 'write f32',
  }),
} as const;
