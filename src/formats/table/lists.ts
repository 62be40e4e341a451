import { FormatError } from '../../rows/errors.ts';
import type { OpenedSource, OpenOptions } from '../options.ts';
import { type CellReader, isList, label, shown } from './cells.ts';
import { idPlace, type Known, placesOf } from './columns.ts';
import type { TablePart } from './describe.ts';
import { openItems } from './long.ts';
import { type Body, type Question, say } from './question.ts';
import { mapRecords, type RecordSource, type Row } from './records.ts';
import { openWide } from './wide.ts';

/** Tables with a column of lists: of the items of each row, or of its entries. */

/** Whether a table is read by lists: it has columns, one of lists, and a model does not know others of it. */
export function holdsLists(
  rows: readonly Row[],
  names: readonly string[] | undefined,
  known: Known | undefined,
): boolean {
  return (
    names !== undefined && !placesOf(known?.columns, names) && rows.some((record) => record.some(isList))
  );
}

/**
 * Lists of several lengths, or of words, hold items; lists of one length that could be entries are rows. Lists of one
 * length with other numbers may be either. The only other column, or a first one of words, names the rows.
 */
export function describeList({ file, names = [], rows, read }: Body, said: TablePart): TablePart | Question {
  const all = names.filter((_, v) => rows.some((record) => isList(record[v])));
  const { variable = all[0], layout } = said;
  if (!all.includes(variable)) throw new FormatError(file, '', `there is no column '${variable}' of lists`);
  if (all.length > 1 && said.variable === undefined)
    throw new FormatError(
      file,
      '',
      `several columns hold lists: ${all.join(', ')}. Choose one with --variable.`,
    );
  const list = names.indexOf(variable);
  const first = rows.map((record) => record[0]);
  const words =
    list > 0 && first.every((cell) => typeof cell === 'string') && new Set(first).size === first.length;
  const idColumn = said.idColumn ?? (names.length === 2 ? names[1 - list] : words && names[0]);
  const part = { ...said, variable, idColumn };
  if (idPlace(file, names, names.length, idColumn) === list)
    throw new FormatError(file, '', `the column '${idColumn}' holds lists: it cannot name the rows`);
  if (layout) return part;
  const lists = rows.map((record) => record[list]).filter(isList);
  const cells = lists.flatMap((cells) => Array.from(cells, (cell) => read(cell)));
  const even = lists.every(({ length }) => length === lists[0].length);
  if (!even || cells.includes(undefined)) return { ...part, layout: 'items' };
  const small = cells.every((x) => Number.isNaN(x) || Math.abs(x!) <= 1);
  if (small || said.values !== undefined) return { ...part, layout: 'wide' };
  const items = say('--layout items', 'they are the items of a row');
  const counts = say('--layout wide --values presence', 'they are the counts of a row');
  return {
    place: `column '${variable}'`,
    found: 'holds lists of numbers, all of one length',
    candidates: [items, counts],
  };
}

/** Opens a table by its lists. */
export function openList(
  source: RecordSource,
  [first]: readonly Row[],
  part: TablePart,
  options: OpenOptions,
  read: CellReader,
): Promise<OpenedSource> {
  const { name, columns = [] } = source;
  const list = columns.indexOf(part.variable!);
  const id = idPlace(name, columns, columns.length, part.idColumn);
  const heading = id === undefined ? undefined : columns[id];
  const cellsOf = (cell: unknown, row: number): unknown[] => {
    if (isList(cell)) return Array.from(cell);
    if (cell === null || cell === undefined) return [];
    throw new FormatError(name, `row ${row}`, `found '${shown(cell)}', expected a list`);
  };
  if (part.layout === 'items') {
    const named = (record: ArrayLike<unknown>, row: number) =>
      id !== undefined && label(record[id], name, row);
    const rows = mapRecords(source, undefined, (record, row) => [
      named(record, row),
      cellsOf(record[list], row),
    ]);
    return openItems(rows, id !== undefined, heading, options);
  }
  const flat = (record: ArrayLike<unknown>, row: number) => [
    ...(id === undefined ? [] : [record[id]]),
    ...cellsOf(record[list], row),
  ];
  const wide = { ...part, idColumn: id === undefined ? false : 0 };
  return openWide(mapRecords(source, undefined, flat), [flat(first, 1)], wide, options, read, { heading });
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
