import { FormatError } from '../rows/errors.ts';
import { resolveSelection } from '../rows/select.ts';
import { answerBit, cellNumber, holdsIds, isEntry } from './cells.ts';
import { findIds, tried } from './ids.ts';
import type { OpenOptions } from './options.ts';
import type { RecordSource } from './records.ts';

/**
 * Where a long table has its row, its item and perhaps a value, and the options that are left. In a wider table `idColumn`
 * says which column holds the rows, and `columns` which the items and perhaps the values. Two columns, or three with
 * numbers in the last, need nobody to say it: there `columns` means items, unless it names columns.
 */
export function pairPlaces(
  source: RecordSource,
  sample: readonly (readonly unknown[])[],
  options: OpenOptions,
): { places: number[]; rest: OpenOptions } {
  const { columns, idColumn } = options;
  const width = sample[0].length;
  const chosen = (names = source.columns) => columns && tried(columns, names, width);
  const named = chosen([]) ? undefined : chosen();
  const index = named || idColumn !== undefined ? 0 : leadingIndex(source, sample);
  const last = width - index < 3 ? [] : sample.map((record) => record[index + 2]);
  const plain = width - index < 4 && last.every((cell) => cellNumber(cell) !== undefined);
  const places =
    plain || columns === undefined ? named : resolveSelection(columns, width, 'column', source.columns);
  const all = Array.from({ length: width }, (_, v) => v).slice(index);
  const others = places ? Array.from(places) : all;
  const isFree = (v: number) => !places || !others.includes(v);
  const row = findIds(source, width, options, undefined, () => index === 0 && isFree(0)) ?? all.find(isFree);
  if (row === undefined)
    throw new FormatError(source.name, '', 'has no column left for the rows: --id-column');
  return {
    places: [row, ...others.filter((v) => v !== row)],
    rest: places ? { ...options, columns: undefined } : options,
  };
}

/** 1 where a column without a name counts the lines, as R and pandas write them, before two or three others. */
function leadingIndex({ columns }: RecordSource, sample: readonly (readonly unknown[])[]): number {
  if (columns?.[0] !== '' || columns.length < 3) return 0;
  // A third column of numbers holds the values: then the first one names the rows, though it has no name itself.
  const numbers = sample.every((record) => cellNumber(record[2]) !== undefined);
  return columns.length > 3 || !numbers ? 1 : 0;
}

/** The same table with nothing but these columns. */
export function withPlaces(source: RecordSource, width: number, places: readonly number[]): RecordSource {
  const { name, columns } = source;
  if (places.length === width && places.every((v, k) => v === k)) return source;
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
 * What to say of a table that is read as wide but looks long: few columns, of which the first holds the same name again and
 * again, another one words, or numbers called after names as those of the first are, and at most one nothing but bits.
 */
export function longAdvice(sample: readonly (readonly unknown[])[], names?: readonly string[]): string {
  const width = sample[0].length;
  if (width < 3 || width > 12) return '';
  const columns = Array.from({ length: width }, (_, v) => sample.map((record) => record[v]));
  const isWord = (cell: unknown) => cellNumber(cell) === undefined && answerBit(cell) === undefined;
  const isNamed = (v: number) => names !== undefined && holdsIds(names[v], columns[v]);
  const items = columns.some((cells, v) => v > 0 && (cells.every(isWord) || (isNamed(0) && isNamed(v))));
  const bits = columns.slice(1).filter((cells) => cells.every((cell) => isEntry(cell))).length;
  if (!items || bits > 1 || new Set(columns[0]).size === sample.length) return '';
  const which = width > 3 ? ' with --id-column and --columns for the names of these two columns' : '';
  return ` If each line holds a row and one of its items, say --layout long${which}.`;
}
