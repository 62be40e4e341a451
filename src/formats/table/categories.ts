import type { ColumnGroup } from '../../rows/about.ts';
import { type Candidate, FormatError } from '../../rows/errors.ts';
import { columnPlace } from '../../rows/values.ts';
import type { OpenOptions } from '../options.ts';
import { type CellReader, shown } from './cells.ts';
import { categoryColumns, type Known, takenColumns } from './columns.ts';
import type { TablePart } from './describe.ts';
import { asked, leaveOut, MARK, naming, say, wordFlag } from './question.ts';
import { type Cells, mapRecords, type RecordSource } from './records.ts';

/** A table whose columns of words became groups of bits; `id` says whether the first column names the rows. */
export interface ExpandedTable {
  readonly table: RecordSource;
  readonly groups: readonly ColumnGroup[];
  readonly id: boolean;
}

/**
 * Categories as bits: a column of words becomes one column `name=value` for each value, 1 where the row has it and 0
 * otherwise; an empty cell leaves all of them unknown. Values are those that occur, in alphabetical order, or those of
 * the groups that a model brings along.
 */
export async function expandCategories(
  source: RecordSource,
  width: number,
  part: TablePart,
  options: OpenOptions,
  read: CellReader,
  known?: Known,
): Promise<ExpandedTable> {
  const names = source.columns ?? Array.from({ length: width }, (_, v) => String(v));
  const { id, take } = takenColumns(source.name, source.columns, width, part, known);
  const given = options.like?.groups;
  const asCategories = given ? undefined : categoryColumns(source.columns, width, part.categorical);
  const found = given ? knownValues(take, names, given) : await valuesOf(source, take, asCategories, read);
  const groups: ColumnGroup[] = [];
  const columns: string[] = [];
  for (const v of take) {
    const values = found.get(v);
    if (values) groups.push({ name: names[v], first: columns.length, values });
    columns.push(...(values ? values.map((value) => `${names[v]}=${value}`) : [names[v]]));
  }
  const places = new Map([...found].map(([v, values]) => [v, new Map(values.map((value, k) => [value, k]))]));
  const oneHot = (cell: unknown, v: number, row: number): unknown[] => {
    const value = wordIn(cell, read);
    const values = found.get(v)!;
    const place = value === undefined ? undefined : places.get(v)!.get(value);
    if (value !== undefined && place === undefined && !options.ignoreUnknown)
      throw unknownValue(source.name, `row ${row}, column '${names[v]}'`, cell, values);
    return values.map((_, k) => (place === undefined ? null : k === place));
  };
  const expand = (record: Cells, row: number): unknown[] => [
    ...(id === undefined ? [] : [record[id]]),
    ...take.flatMap((v) => (found.has(v) ? oneHot(record[v], v, row) : [record[v]])),
  ];
  const heads = [...(id === undefined ? [] : [names[id]]), ...columns];
  return { table: mapRecords(source, heads, expand), groups, id: id !== undefined };
}

function knownValues(
  take: readonly number[],
  names: readonly string[],
  groups: readonly ColumnGroup[],
): Map<number, readonly string[]> {
  const known = new Map(groups.map((group) => [group.name, group.values]));
  return new Map(take.flatMap((v) => (known.has(names[v]) ? [[v, known.get(names[v])!] as const] : [])));
}

/** More values than a category has: such a column names things. */
const MAX_VALUES = 1000;

/** The word in a cell, undefined where it is missing. */
function wordIn(cell: unknown, read: CellReader): string | undefined {
  const word = cell === null || cell === undefined ? '' : shown(cell).trim();
  return word === '' || Number.isNaN(read(cell)) ? undefined : word;
}

/** The values of each column that is a category: of those that are said, or of all that hold words. */
async function valuesOf(
  source: RecordSource,
  take: readonly number[],
  said: ReadonlySet<number> | undefined,
  read: CellReader,
): Promise<Map<number, readonly string[]>> {
  const seen = new Map(take.filter((v) => said?.has(v) ?? true).map((v) => [v, new Set<string>()]));
  const words = new Set(said);
  const gaps = new Set<number>();
  for await (const batch of source.batches()) {
    for (const record of batch) {
      for (const [v, values] of seen) {
        const value = wordIn(record[v], read);
        if (value === undefined) gaps.add(v);
        else if (values.size <= MAX_VALUES) values.add(value);
        if (read(record[v]) === undefined) words.add(v);
      }
    }
  }
  const found = new Map<number, readonly string[]>();
  for (const [v, values] of seen) {
    if (!words.has(v)) continue;
    const refuse = (found: string, ...candidates: Candidate[]) =>
      asked(source.name, { place: columnPlace(v, source.columns), found, candidates });
    if (values.size > MAX_VALUES) {
      throw refuse(
        `has more than ${MAX_VALUES} different values`,
        leaveOut(v, source.columns),
        naming(v, source.columns),
      );
    }
    const [first] = values;
    if (!said && values.size === 1 && gaps.has(v)) {
      const mark = say(`--ones ${wordFlag(first)} --zeros ''`, MARK);
      const named = say('--categorical COLUMNS', 'the names of the columns that are categories');
      throw refuse(`holds nothing but '${first}' and empty cells, which is hardly a category`, mark, named);
    }
    found.set(v, [...values].sort());
  }
  return found;
}

function unknownValue(file: string, place: string, cell: unknown, values: readonly string[]): FormatError {
  const some = `${values.slice(0, 5).join(', ')}${values.length > 5 ? ', …' : ''}`;
  const found = `found '${shown(cell)}', which the training rows did not have; they had ${some}`;
  const advice =
    'Use --missing with this word to take it as unknown, or --ignore-unknown to take all such words so';
  return new FormatError(file, place, `${found}. ${advice}.`);
}
