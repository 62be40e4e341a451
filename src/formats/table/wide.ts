import { type Census, look, newCensus } from '../../rows/census.ts';
import { counted } from '../../rows/counted.ts';
import { FormatError, UnclearValues } from '../../rows/errors.ts';
import { PackedNames } from '../../rows/names.ts';
import { type NumberTable, openNumbers } from '../numbers.ts';
import { checkShape, chunkRows, MAX_IDS, type OpenedSource } from '../options.ts';
import { ColumnWords } from './column-words.ts';
import { takenColumns } from './columns.ts';
import { asked, cellQuestion } from './question.ts';
import type { Cells, RecordSource, Table } from './records.ts';

/**
 * Opens a table with a column for each bit and perhaps one with names of the rows. It is read once to find
 * out its length, the names and the kind of its numbers, and again from the start for each pass over the
 * rows.
 */
export async function openWide(table: Table): Promise<OpenedSource> {
  const { name, format, columns: names, options } = table;
  const { id, take, all } = takenColumns(table);
  const V = take.length;
  const words = new ColumnWords(table.part);
  const census = newCensus();
  let ids = id === undefined ? undefined : new PackedNames(table.heading ?? names?.[id]);
  let n = 0;
  const parse = rowParser(table, take);
  const seen: RowParser = (record, row, into, at) => {
    parse(record, row, into, at);
    n = row + 1;
    words.look(record, take);
    if (id !== undefined) ids?.push(String(record[id]));
  };
  for await (const numbers of rechunk(table, seen, V, chunkRows(256, V))) {
    look(census, numbers, V, n - numbers.length / V);
    if (n > MAX_IDS) ids = undefined;
  }
  checkShape(name, n, V);
  const columns = names && take.map((v) => names[v]);
  const chunks: NumberTable['chunks'] = (size) => rechunk(table, parse, V, size);
  const places = all && id === undefined ? undefined : take;
  const numbers: NumberTable = { name, format, n, V, columns, places, ids, type: 'number', census, chunks };
  const opening = openNumbers(numbers, { ...options, columns: undefined, missing: undefined });
  const opened = await opening.catch((error: unknown) => {
    if (error instanceof UnclearValues && mayBeLong(table.rows))
      error.message += ' Or use --layout long if each line names a row and one of its items.';
    throw error;
  });
  const schema = { ...opened.schema, ...words.found(columns) };
  return { ...opened, schema, ...(isOnes(census) && { onlyOnes: true }) };
}

/**
 * Two columns, or three of which the first repeats itself: rows, items and perhaps values, such as ratings.
 */
function mayBeLong(rows: Table['rows']): boolean {
  const width = rows[0].length;
  return width === 2 || (width === 3 && new Set(rows.map((record) => record[0])).size < rows.length);
}

/** Whether there are only ones and missing entries. */
function isOnes({ one, missing, zero, minusOne, fraction, negative, byte, other }: Census): boolean {
  return one && missing && !(zero || minusOne || fraction || negative || byte || other);
}

/** Turns the cells of a record into numbers, or asks what a cell means that holds none. */
type RowParser = (record: Cells, row: number, into: Float32Array, at: number) => void;

function rowParser(table: Table, take: readonly number[]): RowParser {
  const { name, rows, read } = table;
  const width = rows[0].length;
  return (record, row, into, at) => {
    if (record.length !== width)
      throw new FormatError(
        name,
        `row ${row + 1}`,
        `has ${counted(record.length, 'cell')}, expected ${width}`,
      );
    for (let v = 0; v < take.length; v++) {
      const cell = record[take[v]];
      const x = read(cell);
      if (x === undefined) {
        const body = { ...table, rows: [...rows, Array.from(record)] };
        throw asked(name, cellQuestion(cell, row, take[v], body));
      }
      into[at + v] = x;
    }
  };
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
      parse(record, row++, numbers, filled * V);
      if (++filled < size) continue;
      yield numbers;
      filled = 0;
    }
  }
  if (filled > 0) yield numbers.subarray(0, filled * V);
}
