import { FormatError } from '../rows/errors.ts';
import { isEntry, isIdName, isList } from './cells.ts';
import { findIds } from './ids.ts';
import { openItems } from './long.ts';
import type { OpenedSource, OpenOptions } from './options.ts';
import type { RecordSource } from './records.ts';
import { openWide } from './wide.ts';

/** Tables whose rows list their items: a line of them for each row, or a column that holds lists. */

/** Lines of many lengths are no table, but may list items. */
export function isRagged(
  { columns }: RecordSource,
  sample: readonly unknown[][],
  { layout, categorical, groups }: OpenOptions,
): boolean {
  if (columns || layout || categorical || groups) return false;
  return new Set(sample.map((record) => record.length)).size > 2;
}

export function refuseLists(name: string, sample: readonly unknown[][]): never {
  const lengths = [...new Set(sample.map((record) => record.length))];
  throw new FormatError(
    name,
    '',
    `its lines have ${lengths.slice(0, 3).join(', ')}${lengths.length > 3 ? ', …' : ''} cells, where those of a table have as ` +
      'many each. If each line lists the items of a row, say --layout items.',
  );
}

/** Pairs that may be a row and its item, or two items of a row, as the lines of a model's rows listed them. */
export function refuseBaskets(
  { name }: RecordSource,
  records: readonly unknown[][],
  { layout, layoutIfUnclear, vocabulary }: OpenOptions,
): void {
  const known = new Set(vocabulary);
  const item = records.find(([first]) => known.has(String(first).trim()))?.[0];
  if (layout || layoutIfUnclear !== 'items' || item === undefined) return;
  const found = `its lines have two cells, and '${item}' in the first is an item that the model knows`;
  throw new FormatError(
    name,
    '',
    `${found}: say --layout items if each line lists the items of a row, or --layout long`,
  );
}

/** A line for each row, which lists its items; `idColumn` says that the first cell is its name. */
export async function openLines(
  source: RecordSource,
  { idColumn, ...options }: OpenOptions,
): Promise<OpenedSource> {
  const named = idColumn !== undefined && idColumn !== false;
  if (named && idColumn !== true && Number(idColumn) !== 0)
    throw new FormatError(source.name, '', 'only the first cell of a line can name its row: --id-column 0');
  const lists: RecordSource = {
    ...source,
    async *batches() {
      for await (const batch of source.batches()) {
        yield batch.map((record) => {
          const cells = Array.from(record);
          return named ? [cells.slice(1), cells[0]] : [cells];
        });
      }
    },
  };
  const opened = await openItems(lists, 0, named ? 1 : undefined, options);
  return { ...opened, schema: { ...opened.schema, layout: 'items' } };
}

/** The column that holds lists, if there is one. */
export function findList(
  source: RecordSource,
  sample: readonly unknown[][],
  options: OpenOptions,
): number | undefined {
  const { name, columns } = source;
  const lists = sample[0].map((_, v) => v).filter((v) => sample.some((record) => isList(record[v])));
  if (options.variable !== undefined) {
    const v = columns?.indexOf(options.variable) ?? -1;
    if (v < 0) throw new FormatError(name, '', `there is no column '${options.variable}'`);
    return lists.includes(v) ? v : undefined;
  }
  if (lists.length < 2) return lists[0];
  const names = lists.map((v) => columns?.[v] ?? v).join(', ');
  throw new FormatError(name, '', `several columns hold lists: ${names}. Choose one with --variable.`);
}

/** Lists of one length that could be entries are rows themselves; others list the items that are on. */
export function openList(
  source: RecordSource,
  sample: readonly unknown[][],
  list: number,
  options: OpenOptions,
): Promise<OpenedSource> {
  const lists = sample.map((record) => record[list]).filter(isList);
  const dense = lists.every((cells) => cells.length === lists[0].length && Array.from(cells).every(isEntry));
  const id = idsBeside(list, source, sample[0].length, options);
  if (!(options.layout ? options.layout === 'wide' : dense || options.values !== undefined)) {
    return openItems(source, list, id, options);
  }
  const rows: RecordSource = {
    name: source.name,
    format: source.format,
    idColumn: id === undefined ? undefined : source.columns?.[id],
    async *batches() {
      for await (const batch of source.batches()) {
        yield batch.map((record) => {
          const cells = isList(record[list]) ? Array.from(record[list]) : [];
          return id === undefined ? cells : [record[id], ...cells];
        });
      }
    },
  };
  const first = lists[0] ? Array.from(lists[0]) : [];
  const flat = [id === undefined ? first : [sample[0][id], ...first]];
  return openWide(rows, flat, { ...options, idColumn: id === undefined ? false : 0 });
}

/** The column that names the rows beside one of lists: the one asked for, the only other one, or a first one called so. */
function idsBeside(
  list: number,
  source: RecordSource,
  width: number,
  { columns: _, ...options }: OpenOptions,
): number | undefined {
  const { name, columns } = source;
  if (width === 2 && (options.idColumn === undefined || options.idColumn === true)) return 1 - list;
  const looks = () => list > 0 && columns !== undefined && isIdName(columns[0]);
  const id = findIds(source, width, options, undefined, looks);
  if (id !== list) return id;
  throw new FormatError(name, '', `the column '${columns?.[id] ?? id}' holds lists: it cannot name the rows`);
}
