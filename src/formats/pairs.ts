import { FormatError } from '../rows/errors.ts';
import { answerBit, cellNumber, isEntry } from './cells.ts';
import { findIds } from './ids.ts';
import type { OpenOptions } from './options.ts';
import type { RecordSource } from './records.ts';

/**
 * A long table with its row first, then its item and perhaps a value, and the options that are left. In a wider table
 * `idColumn` names the column of the rows, and `columns` that of the items and perhaps that of the values; names of no
 * columns choose among the items.
 */
export function pairsOf(
  source: RecordSource,
  sample: readonly (readonly unknown[])[],
  options: OpenOptions,
): { pairs: RecordSource; rest: OpenOptions } {
  const width = sample[0].length;
  const named = namesIn(source.columns, options.columns);
  const index = named || options.idColumn !== undefined ? 0 : leadingIndex(source, sample);
  const all = Array.from({ length: width }, (_, v) => v).slice(index);
  const others = named?.map((name) => source.columns!.indexOf(name)) ?? all;
  const isFree = (v: number) => !named || !others.includes(v);
  const row = findIds(source, width, options, named, () => index === 0) ?? all.find(isFree);
  if (row === undefined)
    throw new FormatError(source.name, '', 'has no column left for the rows: --id-column');
  const places = [row, ...others.filter((v) => v !== row)];
  const rest = named ? { ...options, columns: undefined } : options;
  if (places.length === width && places.every((v, k) => v === k)) return { pairs: source, rest };
  return { pairs: withPlaces(source, width, places), rest };
}

/** The columns that a selection names, where it names nothing else. */
function namesIn(
  columns: readonly string[] | undefined,
  selection: OpenOptions['columns'],
): string[] | undefined {
  if (!columns || selection === undefined || selection instanceof Uint32Array) return undefined;
  const parts = typeof selection === 'string' ? selection.split(',') : selection;
  const names = Array.from(parts, (part) => String(part).trim());
  return names.every((name) => columns.includes(name)) ? names : undefined;
}

/** 1 where a column without a name counts the lines, as R and pandas write them, before two or three others. */
function leadingIndex({ columns }: RecordSource, sample: readonly (readonly unknown[])[]): number {
  if (columns?.[0] !== '' || columns.length < 3) return 0;
  // A third column of numbers holds the values: then the first one names the rows, though it has no name itself.
  const numbers = sample.every((record) => cellNumber(record[2]) !== undefined);
  return columns.length > 3 || !numbers ? 1 : 0;
}

function withPlaces(source: RecordSource, width: number, places: readonly number[]): RecordSource {
  const { name, columns } = source;
  return {
    ...source,
    columns: columns && places.map((v) => columns[v]),
    async *batches() {
      let line = 0;
      for await (const batch of source.batches()) {
        yield batch.map((record) => {
          line++;
          if (record.length === width) return places.map((v) => record[v]);
          throw new FormatError(name, `row ${line}`, `has ${record.length} cells, expected ${width}`);
        });
      }
    },
  };
}

/**
 * What to say of a table that is read as wide but looks long: few columns, of which one holds words and the first the
 * same name again and again, and at most one holds nothing but bits.
 */
export function longAdvice(sample: readonly (readonly unknown[])[]): string {
  const width = sample[0].length;
  if (width < 3 || width > 12) return '';
  const columns = Array.from({ length: width }, (_, v) => sample.map((record) => record[v]));
  const isWord = (cell: unknown) => cellNumber(cell) === undefined && answerBit(cell) === undefined;
  const words = columns.slice(1).some((cells) => cells.every(isWord));
  const bits = columns.slice(1).filter((cells) => cells.every((cell) => isEntry(cell))).length;
  if (!words || bits > 1 || new Set(columns[0]).size === sample.length) return '';
  const which = width > 3 ? ' with --id-column and --columns for the names of these two columns' : '';
  return ` If each line holds a row and one of its items, say --layout long${which}.`;
}
