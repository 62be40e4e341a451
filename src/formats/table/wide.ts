import { FormatError, UnclearValues } from '../../rows/errors.ts';
import { PackedNames } from '../../rows/names.ts';
import { type Census, look, newCensus } from '../../rows/values.ts';
import { type NumberTable, openNumbers } from '../numbers.ts';
import { checkShape, chunkRows, MAX_IDS, type OpenedSource, type OpenOptions } from '../options.ts';
import type { CellReader } from './cells.ts';
import { ColumnWords } from './column-words.ts';
import { type Known, takenColumns } from './columns.ts';
import type { TablePart } from './describe.ts';
import { asked, cellQuestion } from './question.ts';
import type { Cells, RecordSource, Row } from './records.ts';

/**
 * A table with a column for each bit, perhaps names of the rows beside them. It is read once for its length, the
 * names and what its numbers are, and again from the start for each pass over the rows.
 */
export async function openWide(
  source: RecordSource,
  sample: readonly Row[],
  part: TablePart,
  options: OpenOptions,
  read: CellReader,
  { heading, known }: { readonly heading?: string; readonly known?: Known } = {},
): Promise<OpenedSource> {
  const { name, format } = source;
  const width = sample[0].length;
  const { id, take, all } = takenColumns(name, source.columns, width, part, known);
  const V = take.length;
  const words = new ColumnWords(part);
  const census = newCensus();
  let ids = id === undefined ? undefined : new PackedNames(heading ?? source.columns?.[id]);
  let n = 0;
  const parse = rowParser(source, sample, take, read, part.values);
  const seen: RowParser = (record, row, into, at) => {
    parse(record, row, into, at);
    n = row + 1;
    words.look(record, take);
    if (id !== undefined) ids?.push(String(record[id]));
  };
  for await (const numbers of rechunk(source, seen, V, chunkRows(256, V))) {
    look(census, numbers, V, n - numbers.length / V);
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
      error.message += ' Or use --layout long if each line names a row and one of its items.';
    throw error;
  });
  const schema = { ...opened.schema, ...words.found(columns) };
  return { ...opened, schema, ...(isOnes(census) && { onlyOnes: true }) };
}

/** Whether there are ones and gaps and nothing else. */
function isOnes({ one, missing, zero, minusOne, fraction, negative, byte, other }: Census): boolean {
  return one && missing && !(zero || minusOne || fraction || negative || byte || other);
}

/** Turns the cells of one record into numbers, or asks what a cell is that holds none. */
type RowParser = (record: Cells, row: number, into: Float32Array, at: number) => void;

function rowParser(
  { name, columns: names, format }: RecordSource,
  sample: readonly Row[],
  take: readonly number[],
  read: CellReader,
  values: TablePart['values'],
): RowParser {
  const width = sample[0].length;
  return (record, row, into, at) => {
    if (record.length !== width)
      throw new FormatError(name, `row ${row + 1}`, `has ${record.length} cells, expected ${width}`);
    for (let v = 0; v < take.length; v++) {
      const x = read(record[take[v]]);
      if (x === undefined) {
        const rows = [...sample, Array.from(record)];
        const body = { file: name, names, rows, read, typed: format !== 'csv', values };
        throw asked(name, cellQuestion(record[take[v]], row, take[v], body));
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
