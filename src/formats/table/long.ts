import { counted } from '../../rows/counted.ts';
import { badFile, FormatError } from '../../rows/errors.ts';
import { type NameList, PackedNames } from '../../rows/names.ts';
import { SparseBuilder } from '../../rows/sparse.ts';
import { ownText } from '../lines.ts';
import { checkShape, MAX_IDS, MEMORY_LIMIT, type OpenedSource, type OpenOptions } from '../options.ts';
import { openSparse } from '../sparse.ts';
import { label, shown } from './cells.ts';
import { chosenColumns, idPlace } from './columns.ts';
import type { Table } from './records.ts';

/**
 * Opens a table with a line `row,item` (or `row,item,value`) for each one: who bought what, which patient has
 * which code. Rows are in order of first appearance, columns in order of their names or as in the model.
 */
export async function openPairs(table: Table): Promise<OpenedSource> {
  const { name, columns, options, read } = table;
  const width = table.rows[0].length;
  const [rowPlace, itemPlace, valuePlace] = pairPlaces(table);
  const rows = new Names(name);
  const items = new Names(name, options);
  const builder = new SparseBuilder(name, options.maxBytes ?? MEMORY_LIMIT);
  let line = 0;
  for await (const batch of table.batches()) {
    for (const record of batch) {
      const place = `row ${++line}`;
      if (record.length !== width)
        throw new FormatError(name, place, `has ${counted(record.length, 'cell')}, expected ${width}`);
      const value = valuePlace === undefined ? 1 : read(record[valuePlace]);
      if (value === undefined || Number.isNaN(value)) {
        const found = `found '${shown(record[valuePlace!])}', expected the value of the item, a number`;
        throw new FormatError(name, place, `${found}: --id-column ROW --columns ITEM leaves it out`);
      }
      const row = rows.number(record[rowPlace], line);
      if (isEmpty(record[itemPlace])) continue;
      const item = items.number(record[itemPlace], line);
      if (item !== undefined) builder.add(row!, item, value);
    }
  }
  const ids = PackedNames.from(rows.list, columns?.[rowPlace]);
  const plain = { ...table, options: { ...options, columns: undefined } };
  return finishItems(plain, builder, items, { n: ids.length, ids });
}

/** The columns with the rows, the items and perhaps their values: those declared, or the first ones. */
function pairPlaces(table: Table): number[] {
  const { name, columns, rows, part } = table;
  const all = Array.from(rows[0], (_, v) => v);
  const said = part.columns === undefined ? undefined : chosenColumns(part.columns, all.length, columns);
  const row = idPlace(table) ?? all.find((v) => !said?.includes(v));
  const rest = (said ?? all).filter((v) => v !== row);
  if (row !== undefined && rest.length > 0 && rest.length < 3) return [row, ...rest];
  throw badFile(name, 'a long table has a column of rows, one of items, and perhaps one of values');
}

/**
 * Opens a table whose lines list the items of a row; with `idColumn`, the first cell is the name of the row.
 */
export async function openItems(table: Table): Promise<OpenedSource> {
  const { name, part, heading, options } = table;
  const { idColumn = false } = part;
  if (idColumn !== false && idColumn !== true && Number(idColumn) !== 0)
    throw badFile(name, 'only the first cell of a line can name its row: --id-column 0');
  const items = new Names(name, options);
  const builder = new SparseBuilder(name, options.maxBytes ?? MEMORY_LIMIT);
  let ids = idColumn === false ? undefined : new PackedNames(heading);
  let row = 0;
  for await (const batch of table.batches()) {
    for (const record of batch) {
      for (let k = idColumn === false ? 0 : 1; k < record.length; k++) {
        const item = isEmpty(record[k]) ? undefined : items.number(record[k], row + 1);
        if (item !== undefined) builder.add(row, item);
      }
      row++;
      ids?.push(label(record[0], name, row));
      if (row > MAX_IDS) ids = undefined;
    }
  }
  return finishItems(table, builder, items, { n: row, ids });
}

function finishItems(
  { name, format, options }: Table,
  builder: SparseBuilder,
  items: Names,
  { n, ids }: { readonly n: number; readonly ids?: NameList },
): OpenedSource {
  const { columns, place } = items.inOrder();
  checkShape(name, n, columns.length);
  const rows = builder.build(n, columns.length, (item) => place[item]);
  return openSparse({ name, format, columns, ids, rows }, options);
}

/** Whether a cell names no item; its row still counts. */
function isEmpty(cell: unknown): boolean {
  return cell === null || cell === undefined || (typeof cell === 'string' && cell.trim() === '');
}

/** Numbers names in order of appearance. With a model, only the items that it knows have numbers. */
class Names {
  readonly list: string[] = [];
  private readonly known = new Map<string, number>();
  private readonly file: string;
  private readonly fixed: boolean;
  private readonly ignoreUnknown: boolean;

  constructor(file: string, { like, ignoreUnknown = false }: OpenOptions = {}) {
    this.file = file;
    this.ignoreUnknown = ignoreUnknown;
    for (const name of like?.columns ?? []) this.add(name);
    this.fixed = like?.columns !== undefined;
  }

  /** The number of a name; undefined if it is unknown and unknown items are ignored. */
  number(cell: unknown, row: number): number | undefined {
    const name = label(cell, this.file, row);
    const k = this.known.get(name);
    if (k !== undefined || (this.fixed && this.ignoreUnknown)) return k;
    if (!this.fixed) return this.add(ownText(name));
    const advice = `is not among the ${this.list.length} known ones; --ignore-unknown leaves such out`;
    throw new FormatError(this.file, `row ${row}`, `the item '${name}' ${advice}`);
  }

  /** The names in the order of columns, and the column of each. */
  inOrder(): { columns: readonly string[]; place: ArrayLike<number> } {
    const { list } = this;
    const order = list.map((_, k) => k);
    if (!this.fixed) order.sort((a, b) => compareNames(list[a], list[b]));
    const place = new Uint32Array(list.length);
    for (const [column, item] of order.entries()) place[item] = column;
    return { columns: order.map((k) => list[k]), place };
  }

  private add(name: string): number {
    this.known.set(name, this.list.length);
    return this.list.push(name) - 1;
  }
}

/** Sorts numbers by size and before words, and words by code points, which is the same in every locale. */
function compareNames(a: string, b: string): number {
  const [x, y] = [a === '' ? Number.NaN : Number(a), b === '' ? Number.NaN : Number(b)];
  if (!Number.isNaN(x) && !Number.isNaN(y) && x !== y) return x - y;
  if (Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1;
  return a < b ? -1 : a > b ? 1 : 0;
}
