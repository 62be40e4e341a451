import type { Buffers, Kernel, Slab } from './dispatcher.ts';
import { EACH, gridFor } from './grid.ts';
import type { OpenPanel, Piece, SomeRows } from './panel.ts';
import type { Tools } from './tools.ts';

/**
 * The rows of a piece in another order, those that are not settled first: copies of their entries and codes.
 * Workgroups take 8 to 64 neighbouring rows, and work as long as one of them is not settled. Where few rows
 * are left, they would keep most of a card busy; side by side they take few workgroups, and all others end at
 * once. Nobody on the host needs to know how many are left.
 */
export class Gathered implements SomeRows {
  readonly panel: OpenPanel;
  readonly piece: Piece;
  readonly settled: Slab;
  readonly #tools: Tools;
  readonly #order: Slab;
  readonly #bound: Record<string, Slab>;
  readonly #values: Record<keyof typeof copyFields, number>;

  constructor(tools: Tools, { panel, piece, settled }: SomeRows) {
    const { words, knownAt, knownWords, width, codesAt } = panel.values;
    const { start } = piece;
    const rows = piece.end - start;
    const known = knownAt > 0 ? knownWords : 0;
    const entries = tools.room('entries of gathered rows', 4 * rows * (words + known));
    const codes = tools.room('codes of gathered rows', 4 * rows * width);
    this.#tools = tools;
    this.#order = tools.room('the order of gathered rows', 4 * rows);
    this.settled = tools.room('gathered rows that are settled', 4 * rows);
    this.#bound = {
      order: this.#order,
      settled,
      gatheredSettled: this.settled,
      entries: panel.bound.entries,
      gatheredEntries: entries,
      codes: panel.bound.codes,
      gatheredCodes: codes,
    };
    this.#values = { tasks: 0, rows, start, words, knownAt, known, width, codesAt };
    this.piece = { ...piece, start: 0, end: rows };
    this.panel = {
      ...panel,
      start: 0,
      end: rows,
      bound: { ...panel.bound, entries, codes },
      values: { ...panel.values, codesAt: 0, knownAt: known > 0 ? rows * words : 0 },
    };
  }

  /** Copies the rows, in a new order. */
  gather(): void {
    const { settled, gatheredSettled } = this.#bound;
    const { rows, words, known, width } = this.#values;
    const order = { settled, order: this.#order, gatheredSettled };
    this.#tools.dispatcher.run(ordering, 1, order, { rows });
    this.#copy(gathering, rows * (words + known + width));
  }

  /** Puts codes back, and which rows are settled. */
  scatter(): void {
    const { rows, width } = this.#values;
    this.#copy(scattering, rows * width);
  }

  #copy(kernel: Kernel<typeof copyFields, Buffers>, tasks: number): void {
    const bound = Object.fromEntries(Object.keys(kernel.buffers).map((name) => [name, this.#bound[name]]));
    this.#tools.dispatcher.run(kernel, gridFor(tasks), bound, { ...this.#values, tasks });
  }
}

/** Rows that are not settled keep their order, and so do the others behind them. */
const ordering = {
  key: 'order rows',
  fields: { rows: 'u32' },
  buffers: { settled: 'read f32', order: 'write u32', gatheredSettled: 'write f32' },
  code: () => /* wgsl */ `
const T = 256u;
var<workgroup> counts: array<u32, T>;

@compute @workgroup_size(T) fn main(@builtin(local_invocation_index) t: u32) {
  let each = (params.rows + T - 1u) / T;
  let first = min(params.rows, t * each);
  let end = min(params.rows, first + each);
  var mine = 0u;
  for (var row = first; row < end; row++) { mine += select(0u, 1u, settled[row] == 0.0); }
  counts[t] = mine;
  workgroupBarrier();
  var place = 0u;
  var all = 0u;
  for (var s = 0u; s < T; s++) {
    if (s == t) { place = all; }
    all += counts[s];
  }
  var behind = all + first - place;
  for (var row = first; row < end; row++) {
    let open = settled[row] == 0.0;
    let to = select(behind, place, open);
    order[to] = row;
    gatheredSettled[to] = select(1.0, 0.0, open);
    place += select(0u, 1u, open);
    behind += select(1u, 0u, open);
  }
}
`,
} as const satisfies Kernel<Record<string, 'u32'>, Buffers>;

const copyFields = {
  tasks: 'u32',
  rows: 'u32',
  start: 'u32',
  words: 'u32',
  knownAt: 'u32',
  known: 'u32',
  width: 'u32',
  codesAt: 'u32',
} as const;

/** One thread per word of entries, of what is known of them, and per number of a code. */
const gathering = {
  key: 'gather rows',
  fields: copyFields,
  buffers: {
    order: 'read u32',
    entries: 'read u32',
    codes: 'read f32',
    gatheredEntries: 'write u32',
    gatheredCodes: 'write f32',
  },
  code: () =>
    EACH(/* wgsl */ `
  let each = params.words + params.known + params.width;
  let to = i / each;
  let at = i % each;
  let row = params.start + order[to];
  if (at < params.words) {
    gatheredEntries[to * params.words + at] = entries[row * params.words + at];
  } else if (at < params.words + params.known) {
    let word = at - params.words;
    gatheredEntries[params.rows * params.words + to * params.known + word] =
      entries[params.knownAt + row * params.known + word];
  } else {
    let h = at - params.words - params.known;
    gatheredCodes[to * params.width + h] = codes[(params.codesAt + row) * params.width + h];
  }`),
} as const satisfies Kernel<typeof copyFields, Buffers>;

const scattering = {
  key: 'scatter rows',
  fields: copyFields,
  buffers: {
    order: 'read u32',
    gatheredSettled: 'read f32',
    gatheredCodes: 'read f32',
    settled: 'write f32',
    codes: 'write f32',
  },
  code: () =>
    EACH(/* wgsl */ `
  let row = order[i / params.width];
  let h = i % params.width;
  codes[(params.codesAt + params.start + row) * params.width + h] = gatheredCodes[i];
  if (h == 0u) { settled[row] = gatheredSettled[i / params.width]; }`),
} as const satisfies Kernel<typeof copyFields, Buffers>;
