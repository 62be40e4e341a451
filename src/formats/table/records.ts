import { counted } from '../../rows/counted.ts';
import { badFile } from '../../rows/errors.ts';
import type { TableSchema } from '../../rows/schema.ts';
import type { FormatName, OpenOptions } from '../options.ts';
import type { CellReader } from './cells.ts';
import { idPlace, type Known } from './columns.ts';

/** A table of cells: what CSV, Parquet, Arrow and JSON lines have in common. */
export interface RecordSource {
  readonly name: string;
  readonly format: FormatName;
  /** The names of its columns, if the format stores them. */
  readonly columns?: readonly string[];
  /** The delimiter, for text. */
  readonly delimiter?: string;
  /** All records from the first on, in batches; may be called repeatedly. */
  batches(): AsyncIterable<readonly Cells[]>;
}

export type Cells = ArrayLike<unknown>;

/** The cells of a record that is kept. */
export type Row = readonly unknown[];

/** The first rows of a table, below its header, with everything declared and concluded about it. */
export interface Body {
  readonly name: string;
  readonly columns?: readonly string[];
  readonly rows: readonly Row[];
  /** Whether the format distinguishes words from numbers, as Parquet does and text does not. */
  readonly typed: boolean;
  readonly part: TablePart;
  readonly known?: Known;
  readonly read: CellReader;
}

/** The part of a schema that is about cells. */
export type TablePart = Partial<TableSchema>;

/** A whole table below its header, to be read by its schema. */
export interface Table extends RecordSource, Body {
  readonly options: OpenOptions;
  /** The heading of the column that names the rows. */
  readonly heading?: string;
}

/** The most records and cells in the sample that decides how a table is read. */
const [RECORDS, CELLS] = [1000, 2 ** 20];

/** The first records: at least two, if there are two, and otherwise no more cells than fit into memory. */
export async function takeSample(source: RecordSource): Promise<unknown[][]> {
  const sample: unknown[][] = [];
  let cells = 0;
  for await (const batch of source.batches()) {
    for (const record of batch) {
      if (sample.length >= RECORDS || (sample.length > 1 && cells > CELLS)) return sample;
      sample.push(Array.from(record));
      cells += record.length;
    }
  }
  return sample;
}

/** The same table with other cells: the name of the row, if any, then what `change` makes of the record. */
export function reshaped(
  table: Table,
  columns: readonly string[] | undefined,
  change: (record: Cells, row: number) => readonly unknown[],
): Table {
  const { part, rows } = table;
  const id = idPlace(table);
  const heading = id === undefined ? undefined : (table.columns?.[id] ?? (columns && String(id)));
  const whole = (record: Cells, row: number) => {
    const cells = change(record, row);
    return id === undefined ? cells : [record[id], ...cells];
  };
  return {
    ...{ ...table, heading, known: undefined, rows: [whole(rows[0], 1)] },
    columns: columns && heading !== undefined ? [heading, ...columns] : columns,
    part: { ...part, idColumn: id === undefined ? false : 0 },
    async *batches() {
      let row = 0;
      for await (const batch of table.batches()) yield batch.map((record) => whole(record, ++row));
    },
  };
}

/** The same table without its first record, which names the columns. */
export function withoutFirst(source: RecordSource): RecordSource {
  return {
    ...source,
    async *batches() {
      let first = 1;
      for await (const batch of source.batches()) {
        yield batch.slice(first);
        if (batch.length > 0) first = 0;
      }
    },
  };
}

/**
 * The cells of the first line as names of all columns. R writes no name for the column that names the rows,
 * so that its first line is one cell shorter than all others.
 */
export function columnNames(file: string, [first, ...rows]: readonly Row[]): string[] {
  const names = first.map((cell) => String(cell).trim());
  const width = rows[0]?.length ?? names.length;
  if (names.length === width) return names;
  const found = `the first line names ${counted(names.length, 'column')}, but row 1 has ${counted(width, 'cell')}`;
  if (!isShorter([first, ...rows])) throw badFile(file, found);
  if (rows.some((row) => row[width - 1] !== '')) return ['', ...names];
  const advice = 'remove the separator at the end of each line';
  throw badFile(file, `${found}, the last one empty in each row: ${advice}`);
}

/** Whether the first line is one cell shorter than all others. */
export function isShorter([first, ...rows]: readonly Row[]): boolean {
  return rows.length > 0 && rows.every((row) => row.length === first.length + 1);
}
