import type { ColumnGroup } from '../../rows/about.ts';
import { type Candidate, FormatError } from '../../rows/errors.ts';
import { columnPlace } from '../../rows/values.ts';
import { type CellReader, shown } from './cells.ts';
import { categoryColumns, takenColumns } from './columns.ts';
import { asked, leaveOut, MARK, naming, say, wordFlag } from './question.ts';
import { reshaped, type Table } from './records.ts';

/** A table after its columns of words were turned into groups of bits. */
export interface ExpandedTable {
  readonly table: Table;
  readonly groups: readonly ColumnGroup[];
}

/**
 * Categories as bits: a column of words becomes one column `name=value` for each value, 1 where the row has
 * it and 0 otherwise; an empty cell leaves all of them unknown. The values are those that occur, in
 * alphabetical order, or those that a model's groups have.
 */
export async function expandCategories(table: Table): Promise<ExpandedTable> {
  const { name, part, read, options } = table;
  const names = table.columns ?? Array.from(table.rows[0], (_, v) => String(v));
  const { take } = takenColumns(table);
  const given = options.like?.groups;
  const found = given ? knownValues(take, names, given) : await valuesOf(table, take);
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
      throw unknownValue(name, `row ${row}, column '${names[v]}'`, cell, values);
    return values.map((_, k) => (place === undefined ? null : k === place));
  };
  const whole = { ...table, part: { ...part, columns: undefined } };
  const expanded = reshaped(whole, columns, (record, row) =>
    take.flatMap((v) => (found.has(v) ? oneHot(record[v], v, row) : [record[v]])),
  );
  return { table: expanded, groups };
}

function knownValues(
  take: readonly number[],
  names: readonly string[],
  groups: readonly ColumnGroup[],
): Map<number, readonly string[]> {
  const known = new Map(groups.map((group) => [group.name, group.values]));
  return new Map(take.flatMap((v) => (known.has(names[v]) ? [[v, known.get(names[v])!] as const] : [])));
}

/** The most values of a category: a column with more probably holds names. */
const MAX_VALUES = 1000;

/** The word in a cell; undefined if it is missing. */
function wordIn(cell: unknown, read: CellReader): string | undefined {
  const word = cell === null || cell === undefined ? '' : shown(cell).trim();
  return word === '' || Number.isNaN(read(cell)) ? undefined : word;
}

/** The values of each categorical column: of the declared columns, or of all that hold words. */
async function valuesOf(table: Table, take: readonly number[]): Promise<Map<number, readonly string[]>> {
  const { name, columns, read } = table;
  const said = categoryColumns(table);
  const seen = new Map(take.filter((v) => said?.has(v) ?? true).map((v) => [v, new Set<string>()]));
  const words = new Set(said);
  const gaps = new Set<number>();
  for await (const batch of table.batches()) {
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
      asked(name, { place: columnPlace(v, columns), found, candidates });
    if (values.size > MAX_VALUES) {
      const many = `has more than ${MAX_VALUES} different values`;
      throw refuse(many, leaveOut(v, columns), naming(v, columns));
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
