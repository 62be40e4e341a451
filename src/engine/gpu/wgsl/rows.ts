import type { Dispatching, Kernel, Slab } from '../dispatcher.ts';
import { EACH, gridFor } from '../grid.ts';

/** Rows of so many bytes, packed without a gap, to rows of whole words. */
export function alignRows(
  dispatcher: Dispatching,
  from: Slab,
  to: Slab,
  { n, bytes, words, at }: { n: number; bytes: number; words: number; at: number },
): void {
  const tasks = n * words;
  dispatcher.run(align, gridFor(tasks), { raw: from, rows: to }, { tasks, bytes, words, at });
}

const align = {
  key: 'align rows',
  fields: { tasks: 'u32', bytes: 'u32', words: 'u32', at: 'u32' },
  buffers: { raw: 'read u32', rows: 'write u32' },
  code: () =>
    EACH(/* wgsl */ `
  let row = i / params.words;
  let first = 4u * (i % params.words);
  let byte = row * params.bytes + first;
  let shift = 8u * (byte & 3u);
  var word = raw[byte >> 2u] >> shift;
  if (shift > 0u) { word |= raw[min((byte >> 2u) + 1u, arrayLength(&raw) - 1u)] << (32u - shift); }
  // Bytes of the next row do not belong here.
  let left = params.bytes - first;
  if (left < 4u) { word &= (1u << (8u * left)) - 1u; }
  rows[params.at + i] = word;`),
} as const satisfies Kernel<Record<string, 'u32'>, Record<string, 'read u32' | 'write u32'>>;

export interface Transposition {
  readonly n: number;
  readonly V: number;
  /** Words of a row, and of a column. */
  readonly stride: number;
  readonly words: number;
}

/** Words of 32 rows for each bit. */
export function transposeBits(
  dispatcher: Dispatching,
  from: Slab,
  to: Slab,
  how: Transposition & { readonly rowsAt: number; readonly columnsAt: number },
): void {
  const tasks = how.V * how.words;
  dispatcher.run(bits, gridFor(tasks), { rows: from, columns: to }, { tasks, ...how });
}

const bits = {
  key: 'transpose bits',
  fields: { tasks: 'u32', n: 'u32', V: 'u32', stride: 'u32', words: 'u32', rowsAt: 'u32', columnsAt: 'u32' },
  buffers: { rows: 'read u32', columns: 'write u32' },
  code: () =>
    EACH(/* wgsl */ `
  // Neighbouring threads look at neighbouring bits of the same rows.
  let v = i % params.V;
  let k = i / params.V;
  var word = 0u;
  for (var j = 0u; j < min(32u, params.n - 32u * k); j++) {
    let bit = (rows[params.rowsAt + (32u * k + j) * params.stride + (v >> 5u)] >> (v & 31u)) & 1u;
    word |= bit << j;
  }
  columns[params.columnsAt + v * params.words + k] = word;`),
} as const satisfies Kernel<Record<string, 'u32'>, Record<string, 'read u32' | 'write u32'>>;

export function transposeValues(dispatcher: Dispatching, from: Slab, to: Slab, how: Transposition): void {
  const tasks = how.V * how.n;
  dispatcher.run(values, gridFor(tasks), { rows: from, columns: to }, { tasks, ...how });
}

const values = {
  key: 'transpose values',
  fields: { tasks: 'u32', n: 'u32', V: 'u32', stride: 'u32', words: 'u32' },
  buffers: { rows: 'read u32', columns: 'write u32' },
  code: () =>
    EACH(
      '  columns[(i % params.V) * params.words + i / params.V] = rows[(i / params.V) * params.stride + i % params.V];',
    ),
} as const satisfies Kernel<Record<string, 'u32'>, Record<string, 'read u32' | 'write u32'>>;
