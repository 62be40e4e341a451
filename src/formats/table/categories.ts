import type { ColumnGroup } from '../../rows/about.ts';
import { type Candidate, FormatError } from '../../rows/errors.ts';
import { tableColumns } from '../../rows/groups.ts';
import { columnPlace } from '../../rows/values.ts';
import type { Alike } from '../like.ts';
import { type CellReader, shown } from './cells.ts';
import { categoryColumns, takenColumns } from './columns.ts';
import { asked, leaveOut, MARK, naming, say, wordFlag } from './question.ts';
import { reshaped, type Table } from './records.ts';

/** A table whose columns of words became groups of bits. */
interface ExpandedTable {
  readonly table: Table;
  readonly groups: readonly ColumnGroup[];
}

/**
 * Categories as bits: a column of words becomes one column `name=value` for each value, 1 where the row has
 * it and 0 otherwise; an empty cell leaves all of them unknown. Values are those that occur, in alphabetical
 * order, or those of the groups that a model brings along.
 */
export async function expandCategories(table: Table): Promise<ExpandedTable> {
  const { name, part, read, options } = table;
  const names = table.columns ?? Array.from(table.rows[0], (_, v) => String(v));
  const { take } = takenColumns(table);
  const { like } = options;
  const found = like?.groups ? knownValues(take, names, like) : await valuesOf(table, take);
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

/**
 * The values of the categories that a model knows: found by name and, of columns with the same name, in
 * order.
 */
function knownValues(
  take: readonly number[],
  names: readonly string[],
  { columns, groups = [] }: Alike,
): Map<number, readonly string[]> {
  const known = new Map<string, (ColumnGroup | undefined)[]>();
  const all = columns ? tableColumns(columns, groups) : groups.map((group) => ({ name: group.name, group }));
  for (const { name, group } of all) known.set(name, [...(known.get(name) ?? []), group]);
  return new Map(
    take.flatMap((v) => {
      const group = known.get(names[v])?.shift();
      return group ? [[v, group.values] as const] : [];
    }),
  );
}

/**
 * More values than a category has: such a column names things. So does one of so many rows that never repeats
 * a value.
 */
const [MAX_VALUES, MAX_UNREPEATED] = [1000, 20];

/** The word in a cell, undefined where it is missing. */
function wordIn(cell: unknown, read: CellReader): string | undefined {
  const word = cell === null || cell === undefined ? '' : shown(cell).trim();
  return word === '' || Number.isNaN(read(cell)) ? undefined : word;
}

/**
 * The values of each column that is a category: of those that are said, or of all that hold words or whole
 * numbers beside bits.
 */
async function valuesOf(table: Table, take: readonly number[]): Promise<Map<number, readonly string[]>> {
  const { name, columns, read, part } = table;
  const said = categoryColumns(table);
  const seen = new Map(take.filter((v) => said?.has(v) ?? true).map((v) => [v, new Set<string>()]));
  const words = new Set(said);
  const [counts, fractions] = [new Set<number>(), new Set<number>()];
  const [gaps, repeats] = [new Set<number>(), new Set<number>()];
  for await (const batch of table.batches()) {
    for (const record of batch) {
      for (const [v, values] of seen) {
        const value = wordIn(record[v], read);
        if (value === undefined) gaps.add(v);
        else if (values.has(value)) repeats.add(v);
        else if (values.size <= MAX_VALUES) values.add(value);
        const x = read(record[v]);
        if (x === undefined) words.add(v);
        else if (Number.isInteger(x) && Math.abs(x) > 1) counts.add(v);
        else if (x % 1) fractions.add(v);
      }
    }
  }
  if (part.values === undefined) for (const v of counts) if (!fractions.has(v)) words.add(v);
  const found = new Map<number, readonly string[]>();
  for (const [v, values] of seen) {
    if (!words.has(v)) continue;
    const refuse = (found: string, ...candidates: Candidate[]) =>
      asked(name, { place: columnPlace(v, columns), found, candidates });
    const unrepeated = values.size > MAX_UNREPEATED && !repeats.has(v) && !said;
    if (values.size > MAX_VALUES || unrepeated) {
      const many = unrepeated
        ? 'has a different value in every row'
        : `has more than ${MAX_VALUES} different values`;
      throw refuse(many, naming(v, columns), leaveOut(v, columns));
    }
    const [first] = values;
    if (!said && values.size === 1 && gaps.has(v)) {
      const mark = say(`--ones ${wordFlag(first)} --zeros ''`, MARK);
      throw refuse(`holds nothing but '${first}' and empty cells`, mark, leaveOut(v, columns));
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
