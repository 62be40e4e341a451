import { FormatError } from '../rows/errors.ts';
import { type NameList, PackedNames } from '../rows/names.ts';
import { SparseBuilder } from '../rows/sparse.ts';
import { cellNumber, isList } from './cells.ts';
import { ownText } from './lines.ts';
import { checkShape, MAX_IDS, MEMORY_LIMIT, type OpenedSource, type OpenOptions } from './options.ts';
import type { RecordSource } from './records.ts';
import { openSparse } from './sparse.ts';

/**
 * A line `row,item` (or `row,item,value`) for each one: who bought what, which patient has which code. Rows come
 * in the order in which they first appear, columns in the order of their names, or as `vocabulary` says.
 */
export async function openPairs(source: RecordSource, options: OpenOptions): Promise<OpenedSource> {
  const { name } = source;
  const rows = new Names();
  const items = new Items(name, options);
  const builder = new SparseBuilder(name, options.maxBytes ?? MEMORY_LIMIT);
  let line = 0;
  for await (const batch of source.batches()) {
    for (const record of batch) {
      line++;
      if (record.length !== 2 && record.length !== 3) {
        throw new FormatError(
          name,
          `row ${line}`,
          `has ${record.length} cells, expected row,item or row,item,value: --id-column ROW --columns ITEM says which, by name or number`,
        );
      }
      const value = record.length === 3 ? cellNumber(record[2], options.missing) : 1;
      if (value === undefined || Number.isNaN(value)) {
        throw new FormatError(
          name,
          `row ${line}`,
          `found '${String(record[2])}', expected the value of the item, a number: --id-column ROW --columns ITEM leaves others out`,
        );
      }
      const row = rows.number(label(record[0]));
      if (isNothing(record[1])) continue;
      const item = items.number(label(record[1]), `row ${line}`);
      if (item !== undefined && value !== 0) builder.add(row, item, value);
    }
  }
  const ids = PackedNames.from(rows.list, source.columns?.[0]);
  return finishItems(source, builder, items, ids, ids.length, options);
}

/** A column of lists: each holds the items that are on in its row. */
export async function openItems(
  source: RecordSource,
  list: number,
  id: number | undefined,
  options: OpenOptions,
): Promise<OpenedSource> {
  const { name } = source;
  const items = new Items(name, options);
  const builder = new SparseBuilder(name, options.maxBytes ?? MEMORY_LIMIT);
  let ids = id === undefined ? undefined : new PackedNames(source.columns?.[id]);
  let row = 0;
  for await (const batch of source.batches()) {
    for (const record of batch) {
      const cells = record[list];
      if (isList(cells)) {
        for (let k = 0; k < cells.length; k++) {
          if (isNothing(cells[k])) continue;
          const item = items.number(label(cells[k]), `row ${row + 1}`);
          if (item !== undefined) builder.add(row, item);
        }
      } else if (cells !== null && cells !== undefined) {
        throw new FormatError(
          name,
          `row ${row + 1}`,
          `found '${String(cells).slice(0, 40)}', expected a list of items`,
        );
      }
      if (id !== undefined) ids?.push(label(record[id]));
      row++;
      if (row > MAX_IDS) ids = undefined;
    }
  }
  return finishItems(source, builder, items, ids, row, options);
}

function finishItems(
  source: RecordSource,
  builder: SparseBuilder,
  items: Items,
  ids: NameList | undefined,
  n: number,
  options: OpenOptions,
): OpenedSource {
  const { columns, place } = items.inOrder();
  checkShape(source.name, n, columns.length);
  const sparse = builder.build(n, columns.length, (item) => place[item]);
  return openSparse(sparse, source.format, source.name, options, { columns, ids });
}

/** Whether a cell names no item: its row is there all the same. */
function isNothing(cell: unknown): boolean {
  return cell === null || cell === undefined || label(cell) === '';
}

function label(cell: unknown): string {
  return String(cell).trim();
}

/** Numbers for names, in the order in which they appear. */
class Names {
  readonly list: string[] = [];
  private readonly known = new Map<string, number>();

  number(name: string): number {
    let k = this.known.get(name);
    if (k === undefined) {
      k = this.list.length;
      const own = ownText(name);
      this.known.set(own, k);
      this.list.push(own);
    }
    return k;
  }

  has(name: string): boolean {
    return this.known.has(name);
  }
}

/** The items: those of a vocabulary and no others, or all that appear. */
class Items {
  private readonly file: string;
  private readonly names = new Names();
  private readonly fixed: boolean;
  private readonly ignoreUnknown: boolean;

  constructor(file: string, { vocabulary, ignoreUnknown = false }: OpenOptions) {
    this.file = file;
    this.fixed = vocabulary !== undefined;
    this.ignoreUnknown = ignoreUnknown;
    for (const name of vocabulary ?? []) this.names.number(name);
  }

  /** The number of an item; undefined where it is not known and that does not matter. */
  number(name: string, place: string): number | undefined {
    if (this.fixed && !this.names.has(name)) {
      if (this.ignoreUnknown) return undefined;
      throw new FormatError(
        this.file,
        place,
        `the item '${name}' is not among the ${this.names.list.length} known ones; --ignore-unknown leaves such out`,
      );
    }
    return this.names.number(name);
  }

  /** The names of the columns in order, and for each item its column. */
  inOrder(): { columns: readonly string[]; place: ArrayLike<number> } {
    const { list } = this.names;
    const order = list.map((_, k) => k);
    if (!this.fixed) order.sort((a, b) => compareNames(list[a], list[b]));
    const place = new Uint32Array(list.length);
    order.forEach((item, column) => {
      place[item] = column;
    });
    return { columns: order.map((k) => list[k]), place };
  }
}

/** Numbers by size and before words, words by their letters' code points: the same everywhere. */
function compareNames(a: string, b: string): number {
  const [x, y] = [a === '' ? Number.NaN : Number(a), b === '' ? Number.NaN : Number(b)];
  if (!Number.isNaN(x) && !Number.isNaN(y) && x !== y) return x - y;
  if (Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1;
  return a < b ? -1 : a > b ? 1 : 0;
}
