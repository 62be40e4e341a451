import type { RowsAbout } from '../rows/about.ts';
import { breathing } from '../rows/breath.ts';
import { type Census, decideReading, look, type NumberType, newCensus } from '../rows/census.ts';
import { resolveSelection, type Selection, selectColumns, selectRows } from '../rows/select.ts';
import type { RowSource } from '../rows/source.ts';
import { type Numbers, type Reading, readNumbers, readsBits, type ValueKind } from '../rows/values.ts';
import { chunkRows, type FormatName, listed, type OpenedSource, type OpenOptions } from './options.ts';

/** A table of numbers as a dense format holds it, before anyone has said what the numbers stand for. */
export interface NumberTable extends RowsAbout {
  readonly name: string;
  readonly format: FormatName;
  readonly n: number;
  readonly V: number;
  readonly type: NumberType;
  /** The numbers that its columns have in the file, from 0, where they are not all of them. */
  readonly places?: readonly number[];
  /** What its numbers are, where reading the table for its size has shown it already. */
  readonly census?: Census;
  /**
   * All rows in order, `size` at a time (fewer at the end), row after row in one flat array, which is good
   * until the next one is asked for.
   */
  chunks(size: number): AsyncIterable<Numbers>;
}

/**
 * Rows of a table of numbers. Unless the format settles it, the numbers are looked through once beforehand: a
 * file of zeros and ones is bits even if it has room for more, and an ambiguous one is refused here, not
 * midway.
 */
export async function openNumbers(table: NumberTable, options: OpenOptions): Promise<OpenedSource> {
  const { name, format, n, ids } = table;
  const missing = missingNumbers(options);
  const asked: NumberTable = {
    ...table,
    chunks: (size) => withMissing(table.chunks(chunkRows(size, table.V)), missing),
    census: missing.size === 0 ? table.census : undefined,
  };
  // Columns that are left out may hold anything; but a picture is grey or not as a whole.
  const chosen =
    options.columns === undefined || table.type === 'image' ? asked : withColumns(asked, options.columns);
  const values = options.values === 'packed' ? undefined : options.values;
  const packed = options.values === 'packed' && table.type === 'boolean';
  const census = chosen.census ?? (await takeCensus(chosen, values, options.signal));
  const gaps = table.type === 'number' ? census?.missing : false;
  const how = { ...options, values, packable: format === 'npy' || format === 'npz' };
  const named = chosen.columns ?? chosen.places;
  const reading = decideReading(name, table.type, census ?? newCensus(), how, named);
  // What is drawn for an entry does not depend on which columns are chosen: the whole row is drawn.
  const read = reading.binarize === 'sample' ? asked : chosen;
  const { V, columns, places, image } = read;
  const source: RowSource = {
    n,
    V,
    columns,
    ids,
    image,
    async *chunks(size) {
      let row = 0;
      for await (const part of read.chunks(size)) {
        yield readNumbers(name, part, V, row, reading, columns ?? places);
        row += part.length / V;
      }
    },
  };
  return finish(
    source,
    { name, format, reading, values: packed ? 'packed' : reading.values, gaps },
    { ...options, columns: read === asked ? options.columns : undefined },
  );
}

/** The numbers that are declared to stand for a missing entry. */
function missingNumbers({ missing }: OpenOptions): Set<number> {
  const numbers = listed(missing)?.map((word) => (word.trim() === '' ? Number.NaN : Number(word)));
  return new Set(numbers?.filter((x) => !Number.isNaN(x)));
}

/** The chosen columns of a table only, in the order given. */
function withColumns(table: NumberTable, columns: Selection): NumberTable {
  const chosen = resolveSelection(columns, table.V, 'column', table.columns);
  const V = chosen.length;
  return {
    ...table,
    V,
    columns: table.columns && Array.from(chosen, (v) => table.columns![v]),
    places: Array.from(chosen),
    image: undefined,
    census: undefined,
    async *chunks(size) {
      for await (const all of table.chunks(size)) {
        const rows = all.length / table.V;
        const part = all.slice(0, rows * V);
        for (let i = 0; i < rows; i++) {
          for (let v = 0; v < V; v++) part[i * V + v] = all[i * table.V + chosen[v]];
        }
        yield part;
      }
    },
  };
}

/** Adds to a source how it was read, and keeps the rows and columns asked for. */
export function finish(
  source: RowSource,
  how: {
    readonly name: string;
    readonly format: FormatName;
    readonly reading: Reading;
    readonly values: ValueKind | 'packed';
    readonly gaps?: boolean;
  },
  options: OpenOptions,
): OpenedSource {
  const { name, format, reading, values } = how;
  // Some of the rows or columns may have no gaps although the table has some.
  const whole = options.rows === undefined && options.columns === undefined;
  const gaps = how.gaps && !whole ? undefined : how.gaps;
  const { binarize, seed } = reading;
  const heading = source.ids?.heading;
  const kind = readsBits(reading) ? 'bits' : 'real';
  const schema = { values, binarize, seed, kind, ...(heading && { idColumn: heading }) } as const;
  let chosen = source;
  if (options.columns !== undefined) chosen = selectColumns(chosen, options.columns);
  if (options.rows !== undefined) chosen = selectRows(chosen, options.rows);
  return { ...chosen, name, format, schema, ...(gaps !== undefined && { gaps }) };
}

/** What occurs among the numbers; undefined if nothing depends on it. */
async function takeCensus(
  table: NumberTable,
  values: ValueKind | undefined,
  signal: AbortSignal | undefined,
): Promise<Census | undefined> {
  if (table.type === 'boolean' || values === 'bits' || values === 'presence' || values === 'numbers')
    return undefined;
  const census = newCensus();
  let row = 0;
  for await (const part of breathing(table.chunks(1024), signal)) {
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
  missing: ReadonlySet<number>,
): AsyncGenerator<Numbers> {
  for await (const numbers of chunks) {
    if (missing.size === 0) yield numbers;
    else yield replaced(numbers, missing);
  }
}

function replaced(numbers: Numbers, missing: ReadonlySet<number>): Float32Array {
  const known = Float32Array.from(numbers);
  for (let k = 0; k < known.length; k++) if (missing.has(numbers[k])) known[k] = Number.NaN;
  return known;
}
