import { FormatError } from '../../rows/errors.ts';
import type { OpenedSource, OpenOptions } from '../options.ts';
import { type CellReader, isList, label, shown } from './cells.ts';
import { idPlace, type Known, placesOf } from './columns.ts';
import type { Body, TablePart } from './describe.ts';
import { openItems } from './long.ts';
import type { Question } from './question.ts';
import { mapRecords, type RecordSource } from './records.ts';
import { openWide } from './wide.ts';

/** Tables with a column of lists: of the items of each row, or of its entries. */

/** Whether a table is read by lists: it holds some, and a model does not know other columns of it. */
export function holdsLists(
  rows: readonly (readonly unknown[])[],
  names: readonly string[] | undefined,
  known: Known | undefined,
): boolean {
  if (placesOf(known?.columns, names) ?? placesOf(known?.spread, names)) return false;
  return rows.some((record) => record.some(isList));
}

/**
 * Lists of several lengths, or of words, hold items; lists of one length that could be entries are rows. Lists of one
 * length with other numbers may be either.
 */
export function describeList({ file, names, rows, read }: Body, said: TablePart): TablePart | Question {
  const columns = rows[0].map((_, v) => v).filter((v) => rows.some((record) => isList(record[v])));
  const list = listPlace(file, names, columns, said.variable);
  const lists = rows.map((record) => record[list]).filter(isList);
  const part = {
    ...said,
    ...(names && columns.length > 1 && { variable: names[list] }),
    idColumn: said.idColumn ?? concludeId(names, rows, list),
  };
  if (idPlace(file, names, rows[0].length, part.idColumn) === list)
    throw new FormatError(file, '', `the column '${part.idColumn}' holds lists: it cannot name the rows`);
  if (said.layout) return part;
  const cells = lists.flatMap((cells) => Array.from(cells, (cell) => read(cell)));
  const even = lists.every(({ length }) => length === lists[0].length);
  if (!even || cells.some((x) => x === undefined)) return { ...part, layout: 'items' };
  const small = cells.every((x) => Number.isNaN(x) || Math.abs(x!) <= 1);
  if (small || said.values !== undefined) return { ...part, layout: 'wide' };
  return {
    place: names ? `column '${names[list]}'` : '',
    found: 'holds lists of numbers, all of one length',
    candidates: [
      { flags: '--layout items', reading: 'they are the items of a row' },
      { flags: '--layout wide --values presence', reading: 'they are the counts of a row' },
    ],
  };
}

/** The only other column, or a first one of words, no two the same. */
function concludeId(
  names: readonly string[] | undefined,
  rows: readonly (readonly unknown[])[],
  list: number,
): string | number | false {
  const first = rows.map((record) => record[0]);
  const words = first.every((cell) => typeof cell === 'string') && new Set(first).size === first.length;
  const id = rows[0].length === 2 ? 1 - list : words && list > 0 ? 0 : undefined;
  return id === undefined ? false : (names?.[id] ?? id);
}

/** The column that holds the lists: the only one, or the one that is said. */
function listPlace(
  file: string,
  names: readonly string[] | undefined,
  lists: readonly number[],
  variable: string | undefined,
): number {
  if (variable !== undefined) {
    const v = names?.indexOf(variable) ?? -1;
    if (lists.includes(v)) return v;
    throw new FormatError(file, '', `there is no column '${variable}' of lists`);
  }
  if (lists.length === 1) return lists[0];
  const all = lists.map((v) => names?.[v] ?? v).join(', ');
  throw new FormatError(file, '', `several columns hold lists: ${all}. Choose one with --variable.`);
}

/** Opens a table by its lists. */
export function openList(
  source: RecordSource,
  sample: readonly (readonly unknown[])[],
  part: TablePart,
  options: OpenOptions,
  read: CellReader,
): Promise<OpenedSource> {
  const { name, columns } = source;
  const width = sample[0].length;
  const lists = sample[0].map((_, v) => v).filter((v) => sample.some((record) => isList(record[v])));
  const list = listPlace(name, columns, lists, part.variable);
  const id = idPlace(name, columns, width, part.idColumn);
  const heading = id === undefined ? undefined : columns?.[id];
  const cellsOf = (cell: unknown, row: number): ArrayLike<unknown> => {
    if (isList(cell)) return cell;
    if (cell === null || cell === undefined) return [];
    throw new FormatError(name, `row ${row}`, `found '${shown(cell)}', expected a list`);
  };
  if (part.layout === 'items') {
    const rows = mapRecords(source, undefined, (record, row) => [
      id === undefined ? undefined : label(record[id], name, row),
      cellsOf(record[list], row),
    ]);
    return openItems(rows, id !== undefined, heading, options);
  }
  const rows = mapRecords(source, undefined, (record, row) => {
    const cells = Array.from(cellsOf(record[list], row));
    return id === undefined ? cells : [record[id], ...cells];
  });
  const first = Array.from(cellsOf(sample[0][list], 1));
  const flat = [id === undefined ? first : [sample[0][id], ...first]];
  const wide = { ...part, idColumn: id === undefined ? false : 0 };
  return openWide(rows, flat, wide, options, read, heading);
}

/** Opens a text whose lines list the items of a row each; `idColumn` says that the first cell of a line is its name. */
export function openLines(
  source: RecordSource,
  { idColumn }: TablePart,
  options: OpenOptions,
): Promise<OpenedSource> {
  const named = idColumn !== undefined && idColumn !== false;
  if (named && idColumn !== true && Number(idColumn) !== 0)
    throw new FormatError(source.name, '', 'only the first cell of a line can name its row: --id-column 0');
  const rows = mapRecords(source, undefined, (record, row) => {
    const cells = Array.from(record);
    return named ? [label(cells[0], source.name, row), cells.slice(1)] : [undefined, cells];
  });
  return openItems(rows, named, undefined, options);
}
