import type { BitOrder } from '../bits/pack.ts';
import { type ByteSource, readRange, readStart } from '../formats/bytes.ts';
import { cellNumber, isIdName, isList, looksLikeHeader } from '../formats/cells.ts';
import { decodeElements, elementBytes } from '../formats/elements.ts';
import { gunzip, isGzip } from '../formats/gzip.ts';
import { fileBytes } from '../formats/node/file.ts';
import { stdinBytes } from '../formats/node/stdin.ts';
import { isNpy, npyElement, npyHeader, npyTable } from '../formats/npy.ts';
import { openTable } from '../formats/open.ts';
import type { FormatName, OpenOptions } from '../formats/options.ts';
import type { Cells, RecordSource } from '../formats/records.ts';
import { FormatError } from '../rows/errors.ts';
import { type NameList, PackedNames } from '../rows/names.ts';
import { entry, rowBytes } from '../rows/rows.ts';
import { noBits, openBits } from './packed-codes.ts';

/** Codes in a file: numbers of any size, which is why they are not rows. */
export interface CodeSource {
  readonly n: number;
  readonly H: number;
  readonly ids?: NameList;
  /** All codes in order, `size` at a time, each H numbers. */
  chunks(size: number): AsyncIterable<Float32Array>;
}

/**
 * Opens codes as `encode` writes them: an NPY file, a text table, JSON lines or Parquet. H is how many numbers each must
 * have; without it, as many as the first one has.
 */
export async function openCodes(path: string, H?: number): Promise<CodeSource> {
  const file = path === '-' ? await stdinBytes() : await fileBytes(path);
  const bytes = isGzip(await readStart(file, 2)) ? gunzip(file) : file;
  return isNpy(await readStart(bytes, 6)) ? npyCodes(bytes, H) : tableCodes(bytes, H);
}

/**
 * The same for codes of true bits, which are written as 0 and 1 and stand for -1 and 1. In an NPY file they may be packed,
 * and `order` says where the first bit of a byte is.
 */
export async function openBitCodes(path: string, H: number, order: BitOrder): Promise<CodeSource> {
  const bytes = 8 * rowBytes(H);
  const how: OpenOptions = { valuesIfUnclear: 'packed', width: bytes };
  const found = await openBits(path, how);
  // One bit more than a code has: names of rows that could be bits, as those of the first two rows may be.
  const named = found.V === H + 1 && found.schema.values !== 'packed' && path !== '-';
  const source = named ? await openBits(path, { ...how, idColumn: true }) : found;
  const { n, ids, name } = source;
  if (source.V !== (source.schema.values === 'packed' ? bytes : H)) throw wrongWidth(name, '', source.V, H);
  if (source.schema.kind === 'real') throw noBits(name);
  // Packed bits are read as numpy.packbits packs them.
  const flip = source.schema.values === 'packed' && order === 'lsb' ? 7 : 0;
  return {
    n,
    H,
    ids,
    async *chunks(size) {
      let row = 0;
      for await (const rows of source.chunks(size)) {
        const codes = Float32Array.from({ length: rows.n * H }, (_, k) =>
          entry(rows, Math.floor(k / H), (k % H) ^ flip),
        );
        yield finite(codes, name, H, row);
        row += rows.n;
      }
    },
  };
}

async function npyCodes(bytes: ByteSource, asked?: number): Promise<CodeSource> {
  const vector = await npyVector(bytes);
  const { n, V: H, chunks } = vector ?? (await npyTable(bytes, {}));
  if (asked !== undefined && H !== asked) throw wrongWidth(bytes.name, '', H, asked);
  return {
    n,
    H,
    async *chunks(size) {
      let row = 0;
      for await (const numbers of chunks(size)) {
        yield finite(Float32Array.from(numbers), bytes.name, H, row);
        row += numbers.length / H;
      }
    },
  };
}

/** An array of one dimension, as numpy saves weights: one number a row. Undefined where it has more. */
async function npyVector(bytes: ByteSource) {
  const { descr, shape, offset } = await npyHeader(bytes);
  if (shape.length !== 1) return undefined;
  const { element, littleEndian } = npyElement(bytes.name, descr);
  const [n] = shape;
  const raw = await readRange(bytes, offset, offset + n * elementBytes(element), 'its numbers');
  const numbers = decodeElements(raw, element, littleEndian);
  return {
    n,
    V: 1,
    async *chunks(size: number) {
      for (let i = 0; i < n; i += size) yield numbers.subarray(i, i + size);
    },
  };
}

async function tableCodes(bytes: ByteSource, asked?: number): Promise<CodeSource> {
  const { name } = bytes;
  // Single numbers may look like bits that are written together.
  const source = await openTable(bytes, {
    delimiter: asked === 1 && (await isOneColumn(bytes)) ? ',' : undefined,
  });
  const [first, second] = await firstTwo(source);
  if (!first) throw new FormatError(name, '', 'is empty');
  const header = source.format === 'csv' && looksLikeHeader(first, second);
  const sample = header ? second : first;
  if (!sample) throw new FormatError(name, '', 'has names of columns but no codes');
  const columns = header ? first.map(String) : source.columns;
  const named = isNamed(sample, asked, columns, source.format);
  const skip = named ? 1 : 0;
  const H = asked ?? sample.length - skip;
  if (sample.length - skip !== H) throw wrongWidth(name, 'row 1', sample.length - skip, H);
  const ids = named ? new PackedNames(columns?.[0]) : undefined;
  let n = 0;
  for await (const record of records(source, header)) {
    ids?.push(String(record[0]));
    n++;
  }
  return {
    n,
    H,
    ids,
    async *chunks(size) {
      let codes = new Float32Array(size * H);
      let filled = 0;
      let row = 0;
      for await (const record of records(source, header)) {
        row++;
        if (record.length - skip !== H) throw wrongWidth(name, `row ${row}`, record.length - skip, H);
        for (let h = 0; h < H; h++) codes[filled * H + h] = cellNumber(record[h + skip]) ?? Number.NaN;
        if (++filled < size) continue;
        yield finite(codes, name, H, row - filled);
        codes = new Float32Array(size * H);
        filled = 0;
      }
      if (filled > 0) yield finite(codes.subarray(0, filled * H), name, H, row - filled);
    },
  };
}

async function isOneColumn(bytes: ByteSource): Promise<boolean> {
  const start = new TextDecoder().decode(await readStart(bytes, 4096));
  return !/[,;|\t ]/.test(start.trim().split('\n')[0].trim());
}

/**
 * Whether the first cell names the row: there is one more than a code has or, of codes of any length, it is no number, or
 * its column is not one of theirs. Text may hold numbers as words; where a format tells the two apart, a word is a name.
 */
function isNamed(
  sample: readonly unknown[],
  H: number | undefined,
  columns: readonly string[] | undefined,
  format: FormatName,
): boolean {
  if (H !== undefined) return sample.length === H + 1;
  if (cellNumber(sample[0]) === undefined || (format !== 'csv' && typeof sample[0] === 'string')) return true;
  if (!columns) return false;
  const [first, ...others] = columns;
  // As `encode` calls the columns of codes.
  const units = others.length > 0 && others.every((name, h) => name === `h${h + 1}`);
  return isIdName(first) || (units && !/^h\d+$/.test(first));
}

async function firstTwo(source: RecordSource): Promise<unknown[][]> {
  const found: unknown[][] = [];
  for await (const record of records(source, false)) {
    found.push(record);
    if (found.length === 2) break;
  }
  return found;
}

/** The cells of each record, those of a list among them; without the first record where that is a header. */
async function* records(source: RecordSource, header: boolean): AsyncGenerator<unknown[]> {
  let skip = header;
  for await (const batch of source.batches()) {
    for (const record of batch) {
      if (!skip) yield flat(record);
      skip = false;
    }
  }
}

function flat(record: Cells): unknown[] {
  return Array.from(record).flatMap((cell) => (isList(cell) ? Array.from(cell) : [cell]));
}

function finite(codes: Float32Array, name: string, H: number, firstRow = 0): Float32Array {
  const k = codes.findIndex((x) => !Number.isFinite(x));
  if (k < 0) return codes;
  const place = `row ${firstRow + Math.floor(k / H) + 1}, column ${(k % H) + 1}`;
  throw new FormatError(name, place, 'holds no number: a code is H numbers, none missing');
}

function wrongWidth(name: string, place: string, found: number, H: number): FormatError {
  return new FormatError(name, place, `holds ${found} numbers a row, but the model's codes are ${H}`);
}
