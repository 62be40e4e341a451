import { FormatError, UnclearValues } from '../../rows/errors.ts';
import { PackedNames } from '../../rows/names.ts';
import type { TableSchema } from '../../rows/schema.ts';
import { type Census, look, newCensus } from '../../rows/values.ts';
import { type NumberTable, openNumbers } from '../numbers.ts';
import { checkShape, MAX_IDS, type OpenedSource, type OpenOptions } from '../options.ts';
import { type CellReader, folded, ONES, ZEROS } from './cells.ts';
import { type Known, takenColumns } from './columns.ts';
import { cellQuestion, type TablePart } from './describe.ts';
import { asked } from './question.ts';
import type { Cells, RecordSource } from './records.ts';

/**
 * A table with a column for each bit, perhaps names of the rows beside them. It is read once for its length, the
 * names and what its numbers are, and again from the start for each pass over the rows.
 */
export async function openWide(
  source: RecordSource,
  sample: readonly (readonly unknown[])[],
  part: TablePart,
  options: OpenOptions,
  read: CellReader,
  heading?: string,
  known?: Known,
): Promise<OpenedSource> {
  const { name, format } = source;
  const width = sample[0].length;
  const { id, take, all } = takenColumns(name, source.columns, width, part, known);
  const V = take.length;
  const parse = new RowParser(source, sample, take, read);
  const words = new ColumnWords(V, part);
  const census = newCensus();
  let ids = id === undefined ? undefined : new PackedNames(heading ?? source.columns?.[id]);
  let n = 0;
  let room = new Float32Array(0);
  for await (const batch of source.batches()) {
    if (room.length < batch.length * V) room = new Float32Array(batch.length * V);
    const numbers = room.subarray(0, batch.length * V);
    batch.forEach((record, i) => {
      parse.row(record, n + i, numbers, i * V);
      words.look(record, take);
      if (id !== undefined) ids?.push(String(record[id]));
    });
    look(census, numbers, V, n);
    n += batch.length;
    if (n > MAX_IDS) ids = undefined;
  }
  checkShape(name, n, V);
  const columns = source.columns && take.map((v) => source.columns![v]);
  const chunks: NumberTable['chunks'] = (size) => rechunk(source, parse, V, size);
  const places = all && id === undefined ? undefined : take;
  const table: NumberTable = { name, format, n, V, columns, places, ids, type: 'number', census, chunks };
  const opening = openNumbers(table, { ...options, columns: undefined, missing: undefined });
  const opened = await opening.catch((error: unknown) => {
    if (error instanceof UnclearValues && width === 2)
      error.message += ' Or say --layout long if each line is a row and its item.';
    throw error;
  });
  const schema = { ...opened.schema, ...words.found(columns) };
  return { ...opened, schema, ...(isOnes(census) && { onlyOnes: true }) };
}

/** Whether there are ones and gaps and nothing else. */
function isOnes({ one, missing, zero, minusOne, fraction, negative, byte, other }: Census): boolean {
  return one && missing && !(zero || minusOne || fraction || negative || byte || other);
}

/** The words for zero and one in each column that has others than 0 and 1. */
class ColumnWords {
  private readonly words: [zero?: string, one?: string][];
  /** Those that are looked for. */
  private readonly known: ReadonlyMap<string, 0 | 1>;
  private readonly said: Pick<TableSchema, 'ones' | 'zeros'>;

  constructor(V: number, { ones = ONES, zeros = ZEROS }: TablePart) {
    this.words = Array.from({ length: V }, () => []);
    const known = new Map<string, 0 | 1>();
    for (const word of zeros) if (word !== '0') known.set(folded(word), 0);
    for (const word of ones) if (word !== '1') known.set(folded(word), 1);
    this.known = known;
    this.said = { ones, zeros };
  }

  look(record: Cells, take: readonly number[]): void {
    const { known, words } = this;
    for (let v = 0; v < take.length; v++) {
      const cell = record[take[v]];
      if (typeof cell !== 'string') continue;
      const x = known.get(folded(cell));
      if (x !== undefined) words[v][x] ??= cell.trim();
    }
  }

  found(columns: readonly string[] | undefined): Pick<TableSchema, 'words'> {
    const found = this.words.flatMap(([zero, one], v) => {
      if (zero === undefined && one === undefined) return [];
      return [[columns?.[v] ?? String(v), [zero ?? this.partner(one!, 0), one ?? this.partner(zero!, 1)]]];
    });
    return found.length > 0 ? { words: Object.fromEntries(found) } : {};
  }

  /** The word for the other value, of a column that has only one. */
  private partner(word: string, value: 0 | 1): string {
    const { ones = [], zeros = [] } = this.said;
    const [mine, others] = value === 0 ? [ones, zeros] : [zeros, ones];
    return others[mine.findIndex((other) => folded(other) === folded(word))] ?? String(value);
  }
}

/** Turns the cells of one record into numbers, or asks what a cell is that holds none. */
class RowParser {
  private readonly source: RecordSource;
  private readonly sample: readonly (readonly unknown[])[];
  private readonly take: readonly number[];
  private readonly read: CellReader;

  constructor(
    source: RecordSource,
    sample: readonly (readonly unknown[])[],
    take: readonly number[],
    read: CellReader,
  ) {
    this.source = source;
    this.sample = sample;
    this.take = take;
    this.read = read;
  }

  row(record: Cells, row: number, into: Float32Array, at: number): void {
    const { take, sample, source, read } = this;
    const width = sample[0].length;
    if (record.length !== width)
      throw new FormatError(source.name, `row ${row + 1}`, `has ${record.length} cells, expected ${width}`);
    for (let v = 0; v < take.length; v++) {
      const x = read(record[take[v]]);
      if (x === undefined) throw this.refusal(record, row, take[v]);
      into[at + v] = x;
    }
  }

  private refusal(record: Cells, row: number, v: number): FormatError {
    const { name, columns: names } = this.source;
    const rows = [...this.sample, Array.from(record)];
    return asked(name, cellQuestion(record[v], row, v, { file: name, names, rows, read: this.read }));
  }
}

async function* rechunk(
  source: RecordSource,
  parse: RowParser,
  V: number,
  size: number,
): AsyncGenerator<Float32Array> {
  const numbers = new Float32Array(size * V);
  let filled = 0;
  let row = 0;
  for await (const batch of source.batches()) {
    for (const record of batch) {
      parse.row(record, row++, numbers, filled * V);
      if (++filled < size) continue;
      yield numbers;
      filled = 0;
    }
  }
  if (filled > 0) yield numbers.subarray(0, filled * V);
}
