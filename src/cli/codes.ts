import type { ByteSource } from '../formats/bytes.ts';
import { readRange, readStart } from '../formats/bytes.ts';
import { cellNumber, looksLikeHeader } from '../formats/cells.ts';
import { decodeElements, elementBytes } from '../formats/elements.ts';
import { gunzip, isGzip } from '../formats/gzip.ts';
import { lineBlocks } from '../formats/lines.ts';
import { fileBytes } from '../formats/node/file.ts';
import { stdinBytes } from '../formats/node/stdin.ts';
import { isNpy, npyElement, npyHeader, npyTable } from '../formats/npy.ts';
import { FormatError } from '../rows/errors.ts';
import { type NameList, PackedNames } from '../rows/names.ts';
import { entry, rowBytes } from '../rows/rows.ts';
import { noBits, openBits } from './packed-codes.ts';

/** Codes in a file: numbers of any size, which is why they are not rows. */
export interface CodeSource {
  readonly n: number;
  readonly ids?: NameList;
  /** All codes in order, `size` at a time, each H numbers. */
  chunks(size: number): AsyncIterable<Float32Array>;
}

/**
 * Opens codes of H numbers as `encode` writes them: an NPY file, or a text table with commas or tabs. With `bits` they
 * are codes of true bits, which it writes as 0 and 1, perhaps packed, and which stand for -1 and 1.
 */
export async function openCodes(path: string, H: number, bits = false): Promise<CodeSource> {
  if (bits) return bitCodes(path, H);
  const file = path === '-' ? await stdinBytes() : await fileBytes(path);
  const bytes = isGzip(await readStart(file, 2)) ? gunzip(file) : file;
  return isNpy(await readStart(bytes, 6)) ? npyCodes(bytes, H) : textCodes(bytes, H);
}

async function bitCodes(path: string, H: number): Promise<CodeSource> {
  const bytes = 8 * rowBytes(H);
  const source = await openBits(path, { valuesIfUnclear: 'packed', width: bytes });
  const { n, ids, name } = source;
  if (source.V !== (source.values === 'packed' ? bytes : H)) throw wrongWidth(name, '', source.V, H);
  if (source.kind === 'real') throw noBits(name);
  return {
    n,
    ids,
    async *chunks(size) {
      let row = 0;
      for await (const rows of source.chunks(size)) {
        const codes = Float32Array.from({ length: rows.n * H }, (_, k) =>
          entry(rows, Math.floor(k / H), k % H),
        );
        yield finite(codes, name, H, row);
        row += rows.n;
      }
    },
  };
}

async function npyCodes(bytes: ByteSource, H: number): Promise<CodeSource> {
  const vector = H === 1 ? await npyVector(bytes) : undefined;
  if (vector) return vector;
  const table = await npyTable(bytes, {});
  if (table.V !== H) throw wrongWidth(bytes.name, '', table.V, H);
  return {
    n: table.n,
    async *chunks(size) {
      for await (const numbers of table.chunks(size)) yield finite(Float32Array.from(numbers), bytes.name, H);
    },
  };
}

/** An array of one dimension, as numpy saves weights: one number a row. Undefined where it has more. */
async function npyVector(bytes: ByteSource): Promise<CodeSource | undefined> {
  const { descr, shape, offset } = await npyHeader(bytes);
  if (shape.length !== 1) return undefined;
  const { element, littleEndian } = npyElement(bytes.name, descr);
  const [n] = shape;
  const raw = await readRange(bytes, offset, offset + n * elementBytes(element), 'its numbers');
  const numbers = finite(Float32Array.from(decodeElements(raw, element, littleEndian)), bytes.name, 1);
  return {
    n,
    async *chunks(size) {
      for (let i = 0; i < n; i += size) yield numbers.subarray(i, i + size);
    },
  };
}

async function textCodes(bytes: ByteSource, H: number): Promise<CodeSource> {
  const { name } = bytes;
  let first: string[] | undefined;
  let second: string[] | undefined;
  let lines = 0;
  for await (const block of lineBlocks(bytes)) {
    for (const line of block) {
      if (line.trim() === '') continue;
      if (lines < 2) [first, second] = first ? [first, cells(line)] : [cells(line), undefined];
      lines++;
    }
  }
  if (!first) throw new FormatError(name, '', 'is empty');
  const header = looksLikeHeader(first, second);
  const sample = header ? second : first;
  if (!sample) throw new FormatError(name, '', 'has names of columns but no codes');
  // One cell more than a code has: the name of the row.
  const named = sample.length === H + 1;
  const skip = named ? 1 : 0;
  if (sample.length - skip !== H) throw wrongWidth(name, 'row 1', sample.length, H);
  const records = () => textRecords(bytes, header);
  const ids = named ? new PackedNames() : undefined;
  if (ids) for await (const record of records()) ids.push(record[0]);
  return {
    n: lines - (header ? 1 : 0),
    ids,
    async *chunks(size) {
      let codes = new Float32Array(size * H);
      let filled = 0;
      let row = 0;
      for await (const record of records()) {
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

async function* textRecords(bytes: ByteSource, header: boolean): AsyncGenerator<string[]> {
  let skipped = !header;
  for await (const block of lineBlocks(bytes)) {
    for (const line of block) {
      if (line.trim() === '') continue;
      if (skipped) yield cells(line);
      skipped = true;
    }
  }
}

function cells(line: string): string[] {
  return line.split(/[,\t;]/).map((cell) => cell.trim());
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

/** How many numbers the codes in a file have. */
export async function widthOfCodes(path: string): Promise<number> {
  const file = await fileBytes(path);
  const bytes = isGzip(await readStart(file, 2)) ? gunzip(file) : file;
  if (isNpy(await readStart(bytes, 6))) return (await npyTable(bytes, {})).V;
  let record: string[] | undefined;
  let first: string[] | undefined;
  for await (const cellsOf of textRecords(bytes, false)) {
    if (!first) first = cellsOf;
    else {
      record = looksLikeHeader(first, cellsOf) ? cellsOf : first;
      break;
    }
  }
  record ??= first;
  if (!record) throw new FormatError(path, '', 'is empty');
  // A word before the numbers names the row.
  return record.length - (cellNumber(record[0]) === undefined ? 1 : 0);
}
