import { badFile, FormatError } from '../../rows/errors.ts';
import type { OpenedSource } from '../options.ts';
import { isList, shown } from './cells.ts';
import { idPlace, placesOf } from './columns.ts';
import { openItems } from './long.ts';
import { type Question, say } from './question.ts';
import { type Body, reshaped, type Table } from './records.ts';
import { openWide } from './wide.ts';

/** Tables with a column of lists, which hold the items of each row or its entries. */

/**
 * Whether a table is read by its lists: a column holds lists, and the model does not ask for other columns.
 */
export function holdsLists({ columns, rows, known }: Body): boolean {
  const others = columns === undefined || placesOf(known?.columns, columns) !== undefined;
  return !others && rows.some((record) => record.some(isList));
}

/**
 * Lists of different lengths, or of words, hold items. Lists of equal length whose numbers could be entries
 * are rows; with other numbers they may be either, which is asked. The only other column, or a first column
 * of words, names the rows.
 */
export function describeList(body: Body): Body | Question {
  const { name: file, columns: names = [], rows, read, part: said } = body;
  const all = names.filter((_, v) => rows.some((record) => isList(record[v])));
  const { variable = all[0], layout } = said;
  if (!all.includes(variable)) throw badFile(file, `there is no column '${variable}' of lists`);
  if (all.length > 1 && said.variable === undefined)
    throw badFile(file, `several columns hold lists: ${all.join(', ')}. Choose one with --variable.`);
  const list = names.indexOf(variable);
  const first = rows.map((record) => record[0]);
  const words =
    list > 0 && first.every((cell) => typeof cell === 'string') && new Set(first).size === first.length;
  const idColumn = said.idColumn ?? (names.length === 2 ? names[1 - list] : words && names[0]);
  const as = (layout: Body['part']['layout']): Body => ({
    ...body,
    part: { ...said, variable, idColumn, layout },
  });
  if (idPlace(as(layout)) === list)
    throw badFile(file, `the column '${idColumn}' holds lists: it cannot name the rows`);
  if (layout) return as(layout);
  const lists = rows.map((record) => record[list]).filter(isList);
  const cells = lists.flatMap((cells) => Array.from(cells, (cell) => read(cell)));
  const even = lists.every(({ length }) => length === lists[0].length);
  if (!even || cells.includes(undefined)) return as('items');
  const small = cells.every((x) => Number.isNaN(x) || Math.abs(x!) <= 1);
  if (small || said.values !== undefined) return as('wide');
  const items = say('--layout items', 'they are the items of a row');
  const counts = say('--layout wide --values presence', 'they are the counts of a row');
  return {
    place: `column '${variable}'`,
    found: 'holds lists of numbers, all of one length',
    candidates: [items, counts],
  };
}

/** Opens a table by its lists. */
export function openList(table: Table): Promise<OpenedSource> {
  const { name, columns = [], part } = table;
  const list = columns.indexOf(part.variable!);
  const flat = reshaped(table, undefined, (record, row) => {
    const cell = record[list];
    if (isList(cell)) return Array.from(cell);
    if (cell === null || cell === undefined) return [];
    throw new FormatError(name, `row ${row}`, `found '${shown(cell)}', expected a list`);
  });
  return part.layout === 'items' ? openItems(flat) : openWide(flat);
}
