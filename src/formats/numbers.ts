import type { RowNames } from '../rows/memory.ts';
import { selectColumns, selectRows } from '../rows/select.ts';
import type { RowSource } from '../rows/source.ts';
import {
  type Census,
  decideReading,
  look,
  type Numbers,
  type NumberType,
  newCensus,
  type Reading,
  readNumbers,
  readsBits,
  type ValueKind,
} from '../rows/values.ts';
import { chunkRows, type FormatName, type OpenedSource, type OpenOptions } from './options.ts';

/** A table of numbers as a dense format holds it, before anyone has said what the numbers stand for. */
export interface NumberTable extends RowNames {
  readonly name: string;
  readonly format: FormatName;
  readonly n: number;
  readonly V: number;
  readonly type: NumberType;
  /** What its numbers are, where reading the table for its size has shown it already. */
  readonly census?: Census;
  /**
   * All rows in order, `size` at a time (fewer at the end), row after row in one flat array, which is good until the
   * next one is asked for.
   */
  chunks(size: number): AsyncIterable<Numbers>;
}

/**
 * Rows of a table of numbers. Unless the format settles it, the numbers are looked through once beforehand: a
 * file of zeros and ones is bits even if it has room for more, and an ambiguous one is refused here, not midway.
 */
export async function openNumbers(table: NumberTable, options: OpenOptions): Promise<OpenedSource> {
  const { name, format, n, V, columns, ids, image } = table;
  const missing = options.missing === undefined ? undefined : Number(options.missing);
  const numbers = (size: number) => withMissing(table.chunks(chunkRows(size, V)), missing);
  const values = options.values === 'packed' ? 'bits' : options.values;
  const census =
    missing === undefined && table.census ? table.census : await takeCensus(table, numbers, values);
  const valuesIfUnclear = options.valuesIfUnclear === 'packed' ? undefined : options.valuesIfUnclear;
  const reading = decideReading(name, table.type, census, { ...options, values, valuesIfUnclear }, columns);
  const source: RowSource = {
    n,
    V,
    columns,
    ids,
    image,
    async *chunks(size) {
      let row = 0;
      for await (const part of numbers(size)) {
        yield readNumbers(name, part, V, row, reading, columns);
        row += part.length / V;
      }
    },
  };
  return finish(source, { name, format, reading, values: options.values ?? reading.values }, options);
}

/** Adds to a source how it was read, and keeps the rows and columns asked for. */
export function finish(
  source: RowSource,
  how: { name: string; format: FormatName; reading: Reading; values: ValueKind | 'packed' },
  options: OpenOptions,
): OpenedSource {
  const { name, format, reading, values } = how;
  const { binarize, seed } = reading;
  let chosen = source;
  if (options.columns !== undefined) chosen = selectColumns(chosen, options.columns);
  if (options.rows !== undefined) chosen = selectRows(chosen, options.rows);
  return { ...chosen, name, format, values, binarize, seed, kind: readsBits(reading) ? 'bits' : 'real' };
}

async function takeCensus(
  table: NumberTable,
  numbers: (size: number) => AsyncIterable<Numbers>,
  values: ValueKind | undefined,
): Promise<Census> {
  const census = newCensus();
  if (table.type === 'boolean' || values === 'bits' || values === 'presence') return census;
  let row = 0;
  for await (const part of numbers(1024)) {
    look(census, part, table.V, row);
    row += part.length / table.V;
    // A picture with one grey level above 1 is grey; nothing that follows can change that.
    if (table.type === 'image' && census.byte === 'grey') break;
  }
  return census;
}

/** The same numbers with NaN in place of the one that stands for a missing entry. */
async function* withMissing(
  chunks: AsyncIterable<Numbers>,
  missing: number | undefined,
): AsyncGenerator<Numbers> {
  for await (const numbers of chunks) {
    if (missing === undefined || Number.isNaN(missing)) yield numbers;
    else yield replaced(numbers, missing);
  }
}

function replaced(numbers: Numbers, missing: number): Float32Array {
  const known = Float32Array.from(numbers);
  for (let k = 0; k < known.length; k++) if (numbers[k] === missing) known[k] = Number.NaN;
  return known;
}
