import { FormatError, UnclearValues } from '../rows/errors.ts';
import { PackedNames } from '../rows/names.ts';
import { allBut, resolveSelection } from '../rows/select.ts';
import { type Census, columnPlace, look, newCensus } from '../rows/values.ts';
import { answerBit, areNumerals, cellNumber, isEntry, looksLikeIds } from './cells.ts';
import { columnsBeside, findIds } from './ids.ts';
import { placesOf } from './like.ts';
import { markAdvice } from './marks.ts';
import { type NumberTable, openNumbers } from './numbers.ts';
import { checkShape, MAX_IDS, type OpenedSource, type OpenOptions } from './options.ts';
import { longAdvice } from './pairs.ts';
import type { Cells, RecordSource } from './records.ts';

/**
 * A table with a column for each bit, perhaps names of the rows beside them. It is read once for its length, the
 * names and what its numbers are, and again from the start for each pass over the rows.
 */
export async function openWide(
  source: RecordSource,
  sample: readonly (readonly unknown[])[],
  options: OpenOptions,
): Promise<OpenedSource> {
  const { name, format } = source;
  const width = sample[0].length;
  const looks = () => {
    const { columns, vocabulary } = options;
    const beside = columnsBeside(0, source.columns, width, columns);
    const read = columns === undefined ? (placesOf(vocabulary, source.columns) ?? beside) : beside;
    const written = format !== 'csv' && areNumerals(sample);
    return written || looksLikeIds(source.columns?.[0], sample, options.missing, read);
  };
  const id = findIds(source, width, options, options.vocabulary, looks);
  const { take, chosen } = takenColumns(source, width, id, options);
  const V = take.length;
  const parse = new RowParser(source, sample, take, options.missing);
  const census = newCensus();
  let ids = id === undefined ? undefined : new PackedNames(source.columns?.[id] ?? source.idColumn);
  let n = 0;
  let room = new Float32Array(0);
  for await (const batch of source.batches()) {
    if (room.length < batch.length * V) room = new Float32Array(batch.length * V);
    const numbers = room.subarray(0, batch.length * V);
    batch.forEach((record, i) => {
      parse.row(record, n + i, numbers, i * V);
      if (id !== undefined) ids?.push(String(record[id]));
    });
    look(census, numbers, V, n);
    n += batch.length;
    if (n > MAX_IDS) ids = undefined;
  }
  checkShape(name, n, V);
  refuseHeading(source, sample, take, options);
  const columns = source.columns && take.map((v) => source.columns![v]);
  const chunks: NumberTable['chunks'] = (size) => rechunk(source, parse, V, size);
  const places = chosen && Array.from(chosen);
  const table: NumberTable = { name, format, n, V, columns, places, ids, type: 'number', census, chunks };
  const numbers = openNumbers(table, { ...options, columns: undefined, missing: undefined });
  const opened = await numbers.catch((error: unknown) => {
    if (error instanceof UnclearValues) error.message += longAdvice(sample, source.columns);
    throw error;
  });
  return isOnes(census) ? { ...opened, onlyMark: firstOne(sample, take) } : opened;
}

/** Whether there are ones and gaps and nothing else. */
function isOnes({ one, missing, zero, minusOne, fraction, negative, byte, other }: Census): boolean {
  return one && missing && !(zero || minusOne || fraction || negative || byte || other);
}

function firstOne(sample: readonly (readonly unknown[])[], take: readonly number[]): string | undefined {
  for (const record of sample) {
    const v = take.find((v) => cellNumber(record[v]) === 1 || answerBit(record[v]) === 1);
    if (v !== undefined) return String(record[v]).trim();
  }
  return undefined;
}

/** The columns that are read when one of them names the rows; `chosen`: their numbers among all but that one. */
function takenColumns(
  { columns }: RecordSource,
  width: number,
  id: number | undefined,
  options: OpenOptions,
): { take: number[]; chosen?: ArrayLike<number> } {
  const data = Array.from({ length: width }, (_, v) => v).filter((v) => v !== id);
  const names = columns && data.map((v) => columns[v]);
  const chosen =
    options.columns === undefined
      ? placesOf(options.vocabulary, names)
      : resolveSelection(options.columns, data.length, 'column', names);
  return { take: chosen ? Array.from(chosen, (v) => data[v]) : data, chosen };
}

/** Where only the first line of a text holds numbers that are no bits, these may be names; nobody can know. */
function refuseHeading(
  { name, format, columns }: RecordSource,
  [first, ...rows]: readonly (readonly unknown[])[],
  take: readonly number[],
  options: OpenOptions,
): void {
  const { header, missing, values, valuesIfUnclear } = options;
  if (columns || format !== 'csv' || header !== undefined || (values ?? valuesIfUnclear)) return;
  const odd = (row: readonly unknown[]) => take.find((v) => !isEntry(row[v], missing));
  const v = odd(first);
  if (v === undefined || rows.length === 0 || rows.some((row) => odd(row) !== undefined)) return;
  throw new UnclearValues(
    name,
    'row 1',
    `holds ${first[v]} (in ${columnPlace(v)}), above rows of bits. Say --header if the first line names the columns; if ` +
      'it is a row, say what its numbers are, with --values presence (counts) or --values bytes (grey levels).',
  );
}

const UNDER_NAMES = ' If this line belongs to the names of the columns, delete it.';

/** Turns the cells of one record into numbers, or says which cell is none. */
class RowParser {
  private readonly source: RecordSource;
  private readonly sample: readonly (readonly unknown[])[];
  private readonly width: number;
  private readonly take: readonly number[];
  private readonly missing: number | string | undefined;

  constructor(
    source: RecordSource,
    sample: readonly (readonly unknown[])[],
    take: readonly number[],
    missing: number | string | undefined,
  ) {
    this.source = source;
    this.sample = sample;
    this.width = sample[0].length;
    this.take = take;
    this.missing = missing;
  }

  row(record: Cells, row: number, into: Float32Array, at: number): void {
    const { take, width, missing } = this;
    if (record.length !== width) {
      throw new FormatError(
        this.source.name,
        `row ${row + 1}`,
        `has ${record.length} cells, expected ${width}`,
      );
    }
    for (let v = 0; v < take.length; v++) {
      const x = cellNumber(record[take[v]], missing) ?? answerBit(record[take[v]]);
      if (x === undefined) this.refuse(record[take[v]], row, take[v]);
      into[at + v] = x;
    }
  }

  private refuse(cell: unknown, row: number, v: number): never {
    const { name, columns, format, mark } = this.source;
    const heading =
      row === 0 && !columns && format === 'csv' ? ' Say --header if the first line names the columns.' : '';
    const under = row === 0 && columns && this.isAboveNumbers() ? UNDER_NAMES : '';
    const separator = this.width === 1 ? ' What separates cells is said with --delimiter.' : '';
    const long = longAdvice(this.sample, columns);
    const leaveOut = columns ? ` '${allBut(columns[v])}'` : '';
    throw new FormatError(
      name,
      `row ${row + 1}, ${columnPlace(v, columns)}`,
      `found '${String(cell).slice(0, 40)}', expected a number.${markAdvice(cell, mark)}${long} ${long ? 'Otherwise leave' : 'Leave'} the column out with --columns${leaveOut}, make it ` +
        'the names of the rows with --id-column, say --categorical to take words as categories, or --missing if this ' +
        `stands for a missing entry.${heading}${under}${separator}`,
    );
  }

  /** Whether the first row holds words and nothing else, and the last one that was looked at holds none. */
  private isAboveNumbers(): boolean {
    const isWord = (cell: unknown) => cellNumber(cell, this.missing) === undefined;
    const [first, last] = [this.sample[0], this.sample[this.sample.length - 1]];
    return this.take.every((v) => isWord(first[v]) && !isWord(last[v]));
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
