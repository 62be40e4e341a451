import { FormatError } from '../../rows/errors.ts';
import { type NameList, PackedNames } from '../../rows/names.ts';
import { cellReader, isList } from './cells.ts';
import { hasHeader } from './header.ts';
import { type Cells, mapRecords, type RecordSource, takeSample, withHeader } from './records.ts';

/** A table of plain numbers of any size, none missing: codes, weights. */
export interface PlainTable {
  readonly name: string;
  readonly n: number;
  /** How many numbers each row has. */
  readonly width: number;
  readonly ids?: NameList;
  /** All numbers in order, those of `size` rows at a time. */
  chunks(size: number): AsyncIterable<Float32Array>;
}

/**
 * Reads a table of `width` numbers a row, or of as many as its first row has. One cell more names the row; without a
 * width, so does a first cell that is a word, or whose column is not called after a unit of a code, where others are.
 */
export async function openPlain(given: RecordSource, asked?: number): Promise<PlainTable> {
  const { name } = given;
  const read = cellReader({ missing: [] });
  const flat = mapRecords(given, given.columns, flatCells);
  const sample = await takeSample(flat);
  const header = given.format === 'csv' && hasHeader(sample, read);
  const source = header ? withHeader(flat, sample[0].map(String)) : flat;
  const first = sample[header ? 1 : 0];
  if (!first) throw new FormatError(name, '', header ? 'has names of columns but no rows' : 'is empty');
  const isWord = read(first[0]) === undefined || (given.format !== 'csv' && typeof first[0] === 'string');
  const named = asked === undefined ? isWord || isBesideUnits(source.columns) : first.length === asked + 1;
  const skip = named ? 1 : 0;
  const width = asked ?? first.length - skip;
  const ids = named ? new PackedNames(source.columns?.[0]) : undefined;
  let n = 0;
  for await (const batch of source.batches()) {
    for (const record of batch) {
      if (record.length - skip !== width) throw wrongWidth(name, `row ${n + 1}`, record.length - skip, width);
      ids?.push(String(record[0]));
      n++;
    }
  }
  async function* chunks(size: number): AsyncGenerator<Float32Array> {
    let numbers = new Float32Array(size * width);
    let filled = 0;
    let row = 0;
    for await (const batch of source.batches()) {
      for (const record of batch) {
        for (let h = 0; h < width; h++) numbers[filled * width + h] = read(record[h + skip]) ?? Number.NaN;
        row++;
        if (++filled < size) continue;
        yield finite(numbers, name, width, row - filled);
        numbers = new Float32Array(size * width);
        filled = 0;
      }
    }
    if (filled > 0) yield finite(numbers.subarray(0, filled * width), name, width, row - filled);
  }
  return { name, n, width, ids, chunks };
}

/** The cells of a record, those of a list among them. */
function flatCells(record: Cells): unknown[] {
  return Array.from(record).flatMap((cell) => (isList(cell) ? Array.from(cell) : [cell]));
}

/** Whether all columns but the first are called h1, h2 and so on, as `encode` calls the units of a code. */
function isBesideUnits(columns: readonly string[] = []): boolean {
  const [first, ...others] = columns;
  return others.length > 0 && others.every((name, h) => name === `h${h + 1}`) && !/^h\d+$/.test(first);
}

export function finite(numbers: Float32Array, name: string, width: number, firstRow: number): Float32Array {
  const k = numbers.findIndex((x) => !Number.isFinite(x));
  if (k < 0) return numbers;
  const place = `row ${firstRow + Math.floor(k / width) + 1}, column ${(k % width) + 1}`;
  throw new FormatError(name, place, `holds no number: expected are ${width} in each row, none missing`);
}

export function wrongWidth(name: string, place: string, found: number, width: number): FormatError {
  return new FormatError(name, place, `holds ${found} numbers a row, expected ${width}`);
}
