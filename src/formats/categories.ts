import type { ColumnGroup } from '../rows/about.ts';
import { FormatError } from '../rows/errors.ts';
import { categoryOf, groupOfColumn } from '../rows/groups.ts';
import { entry } from '../rows/rows.ts';
import { resolveSelection, type Selection } from '../rows/select.ts';
import type { RowSource } from '../rows/source.ts';
import { answerBit, cellNumber, holdsIds, isIdName } from './cells.ts';
import { columnsBeside, findIds, speaksOf } from './ids.ts';
import { placesOf } from './like.ts';
import { markAdvice, markBit } from './marks.ts';
import type { OpenOptions } from './options.ts';
import type { Cells, RecordSource } from './records.ts';
import { idHeading, numberText, quoted, type WriteOptions, writtenValue } from './write.ts';

/** A table whose columns of words became groups of bits; `id` says whether the first column names the rows. */
export interface ExpandedTable {
  readonly table: RecordSource;
  readonly groups: readonly ColumnGroup[];
  readonly id: boolean;
}

/**
 * Categories as bits: a column of words becomes one column `name=value` for each value, 1 where the row has it and 0
 * otherwise; an empty cell leaves all of them unknown. Values are those that occur, in alphabetical order, or those of
 * the groups given, which a model brings along.
 */
export async function expandCategories(
  source: RecordSource,
  sample: readonly (readonly unknown[])[],
  options: OpenOptions,
): Promise<ExpandedTable> {
  const names = source.columns ?? sample[0].map((_, v) => String(v));
  const looks = () => looksLikeIds(names, sample, options);
  const id = findIds({ ...source, columns: names }, names.length, options, tableColumns(options), looks);
  const data = Array.from(names.keys()).filter((v) => v !== id);
  const dataNames = data.map((v) => names[v]);
  const chosen =
    options.columns === undefined
      ? placesOf(tableColumns(options), dataNames)
      : resolveSelection(options.columns, data.length, 'column', dataNames);
  const take = chosen ? Array.from(chosen, (k) => data[k]) : data;
  const found = await valuesOf(source, take, names, options);
  const groups: ColumnGroup[] = [];
  const columns: string[] = [];
  for (const v of take) {
    const values = found.get(v);
    if (values) groups.push({ name: names[v], first: columns.length, values });
    columns.push(...(values ? values.map((value) => `${names[v]}=${value}`) : [names[v]]));
  }
  const places = new Map(take.map((v) => [v, new Map(found.get(v)?.map((value, k) => [value, k]))]));
  let row = 0;
  const expand = (record: Cells): unknown[] => {
    row++;
    const cells: unknown[] = id === undefined ? [] : [record[id]];
    for (const v of take) {
      const values = found.get(v);
      if (!values) cells.push(record[v]);
      else
        cells.push(
          ...oneHot(
            record[v],
            values.length,
            places.get(v)!,
            () => unknownValue(source, names[v], row, record[v], values),
            options,
          ),
        );
    }
    return cells;
  };
  const table: RecordSource = {
    ...source,
    columns: [...(id === undefined ? [] : [names[id]]), ...columns],
    async *batches() {
      row = 0;
      for await (const batch of source.batches()) yield batch.map(expand);
    },
  };
  return { table, groups, id: id !== undefined };
}

/** The columns that a model's came from: one for each of its categories. */
function tableColumns({ vocabulary, groups = [] }: OpenOptions): string[] | undefined {
  if (!vocabulary) return undefined;
  const group = groupOfColumn(groups, vocabulary.length);
  return vocabulary.flatMap((name, v) => {
    if (!group[v]) return name;
    return group[v].first === v ? group[v].name : [];
  });
}

/** More values than a category has: such a column names things. */
const MAX_VALUES = 1000;

function oneHot(
  cell: unknown,
  count: number,
  places: ReadonlyMap<string, number>,
  refuse: () => never,
  options: OpenOptions,
): unknown[] {
  const value = wordIn(cell, options);
  const found = value === undefined ? undefined : places.get(value);
  const unknown = value === undefined || (found === undefined && options.ignoreUnknown);
  if (unknown) return new Array<unknown>(count).fill(null);
  const place = found ?? refuse();
  const cells = new Array<unknown>(count).fill(0);
  cells[place] = 1;
  return cells;
}

/** The word in a cell, undefined where it is missing. */
function wordIn(cell: unknown, options: OpenOptions): string | undefined {
  const missing = options.missing === undefined ? undefined : String(options.missing);
  const number = cellNumber(cell);
  const word = String(cell).trim();
  if (cell === missing || word === missing || (number !== undefined && Number.isNaN(number)))
    return undefined;
  return word;
}

/** The values of each column that is a category. */
async function valuesOf(
  source: RecordSource,
  take: readonly number[],
  names: readonly string[],
  options: OpenOptions,
): Promise<Map<number, readonly string[]>> {
  if (options.groups) {
    const known = new Map(options.groups.map((group) => [group.name, group.values]));
    return new Map(take.flatMap((v) => (known.has(names[v]) ? [[v, known.get(names[v])!] as const] : [])));
  }
  const { categorical } = options;
  const asked = typeof categorical === 'boolean' ? undefined : chosen(categorical!, take, names);
  const seen = new Map(take.filter((v) => !asked || asked.has(v)).map((v) => [v, new Set<string>()]));
  const words = new Set(asked);
  const gaps = new Set<number>();
  for await (const batch of source.batches()) {
    for (const record of batch) {
      for (const [v, values] of seen) {
        const value = wordIn(record[v], options);
        if (value === undefined) gaps.add(v);
        if (value === undefined) continue;
        if (cellNumber(value) === undefined && answerBit(value) === undefined) words.add(v);
        if (values.size <= MAX_VALUES) values.add(value);
      }
    }
  }
  const found = new Map<number, readonly string[]>();
  for (const [v, values] of seen) {
    if (!words.has(v)) continue;
    if (!asked && gaps.has(v) && [...values].every((value) => markBit(value, 'x') === 1)) {
      const found = `holds nothing but '${[...values][0]}' and empty cells, which is no category.`;
      const place = `column '${names[v]}'`;
      throw new FormatError(source.name, place, found + markAdvice([...values][0]));
    }
    if (values.size > MAX_VALUES) {
      throw new FormatError(
        source.name,
        `column '${names[v]}'`,
        `has more than ${MAX_VALUES} different values. Leave it out with --columns, or make it the names of the rows with --id-column.`,
      );
    }
    found.set(v, [...values].sort());
  }
  return found;
}

function chosen(selection: Selection, take: readonly number[], names: readonly string[]): Set<number> {
  const picked = resolveSelection(
    selection,
    take.length,
    'column',
    take.map((v) => names[v]),
  );
  return new Set(Array.from(picked, (k) => take[k]));
}

/**
 * In a table of words the first column names the rows if nobody called it a category and it is called so, or no two rows
 * share a word in it; if it holds numbers, none of them may come twice.
 */
function looksLikeIds(
  names: readonly string[],
  sample: readonly (readonly unknown[])[],
  { categorical, columns, missing }: OpenOptions,
): boolean {
  const asked = typeof categorical === 'boolean' ? undefined : categorical;
  if (speaksOf(asked, names, 0)) return false;
  if (isIdName(names[0])) return true;
  const first = sample.map((record) => record[0]);
  if (first.length < 3 || names.length < 2 || new Set(first).size < first.length) return false;
  if (first.every((cell) => cellNumber(cell) === undefined)) return true;
  if (!columnsBeside(0, names, names.length, columns)) return false;
  return holdsIds(names[0], first, missing);
}

function unknownValue(
  source: RecordSource,
  column: string,
  row: number,
  cell: unknown,
  values: readonly string[],
): never {
  const some = values.slice(0, 5).join(', ');
  throw new FormatError(
    source.name,
    `row ${row}, column '${column}'`,
    `found '${String(cell).slice(0, 40)}', which the training rows did not have; they had ${some}${values.length > 5 ? ', …' : ''}. ` +
      'Say --missing with this word to take it as unknown, or --ignore-unknown to take all such words so.',
  );
}

/**
 * A CSV text in which the columns of each group are one column of words again, the most likely value of each. Other
 * columns are bits, the likelier one, or numbers where `values` says so.
 */
export async function* encodeCategories(
  source: RowSource,
  options: WriteOptions & { readonly delimiter?: string } = {},
): AsyncGenerator<Uint8Array> {
  const { delimiter = ',' } = options;
  const { ids, groups = [], V } = source;
  const names = source.columns ?? Array.from({ length: V }, (_, v) => String(v));
  const group = groupOfColumn(groups, V);
  const kept = Array.from({ length: V }, (_, v) => v).filter((v) => !group[v] || group[v].first === v);
  const encoder = new TextEncoder();
  const columns = kept.map((v) => group[v]?.name ?? names[v]);
  const heads = [...(ids ? [idHeading(ids, columns)] : []), ...columns];
  yield encoder.encode(`${heads.map(quoted).join(delimiter)}\n`);
  let row = 0;
  for await (const rows of source.chunks(1024)) {
    let text = '';
    for (let i = 0; i < rows.n; i++, row++) {
      const cells = kept.map((v) => {
        const within = group[v];
        if (within) return quoted(categoryOf(rows, i, within) ?? '');
        if (options.values === undefined) return bitText(entry(rows, i, v));
        const x = writtenValue(rows, i, v, options);
        return Number.isNaN(x) ? '' : numberText(x);
      });
      text += `${ids ? quoted(ids.at(row) ?? '') + delimiter : ''}${cells.join(delimiter)}\n`;
    }
    yield encoder.encode(text);
  }
}

/** The likelier value of a bit, as words are the most likely of theirs. */
function bitText(x: number): string {
  if (Number.isNaN(x)) return '';
  return x > 0 ? '1' : '0';
}
