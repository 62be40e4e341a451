import type { BitOrder } from '../bits/pack.ts';
import { type ByteSource, readStart } from '../formats/bytes.ts';
import { gunzip } from '../formats/gzip.ts';
import { fileBytes } from '../formats/node/file.ts';
import { stdinBytes } from '../formats/node/stdin.ts';
import { isPacked } from '../formats/npy.ts';
import { openBytes } from '../formats/open.ts';
import type { OpenOptions } from '../formats/options.ts';
import { isGzip, startsLike } from '../formats/recognise.ts';
import { counted } from '../rows/counted.ts';
import { entriesOf } from '../rows/entries.ts';
import { badFile } from '../rows/errors.ts';
import type { NameList } from '../rows/names.ts';
import { type Rows, rowBytes } from '../rows/rows.ts';
import { noBits } from './packed-codes.ts';
import { refuseMissing } from './refuse-first.ts';

/** A table of numbers of any size, none missing: codes, weights, masks. */
interface NumberRows {
  readonly name: string;
  readonly n: number;
  /** How many numbers each row has. */
  readonly width: number;
  readonly ids?: NameList;
  /** All numbers in order, those of `size` rows at a time. */
  chunks(size: number): AsyncIterable<Float32Array>;
}

/**
 * Opens a table of numbers, such as codes or weights, with `width` per row if that is known. With `escapes` a
 * whole row may be missing: its code is NaN, as `encode --escape` writes it.
 */
export async function openCodes(path: string, width?: number, { escapes = false } = {}): Promise<NumberRows> {
  return openNumberRows(await bytesOf(path), { values: 'numbers', width }, escapes);
}

/** The same in memory, with `n` rows of `width` numbers if these are known. */
export async function readCodes(
  path: string,
  n: number,
  of: string,
  width?: number,
): Promise<{ readonly numbers: Float32Array; readonly width: number }> {
  const source = await openCodes(path, width);
  if (source.n !== n)
    throw badFile(
      path,
      `holds ${counted(source.n, 'row')}, expected one for each of the ${n} ${of} of the data`,
    );
  const numbers = new Float32Array(n * source.width);
  let at = 0;
  for await (const part of source.chunks(4096)) {
    numbers.set(part, at);
    at += part.length;
  }
  return { numbers, width: source.width };
}

/**
 * Opens codes of true bits, which are written as 0 and 1 and stand for -1 and 1. In an NPY file they may be
 * packed, and `order` says where the first bit of a byte is. Otherwise a whole row may be missing, as in
 * `openCodes`.
 */
export async function openBitCodes(path: string, H: number, order: BitOrder): Promise<NumberRows> {
  const bytes = await bytesOf(path);
  const whole = 8 * rowBytes(H);
  const packed = startsLike('npy', await readStart(bytes, 6)) && (await isPacked(bytes, whole));
  const values = packed ? 'packed' : 'numbers';
  const numbers = await openNumberRows(bytes, { values, width: packed ? whole : H }, !packed);
  const { width } = numbers;
  // Packed bits are read as numpy.packbits packs them.
  const flip = packed && order === 'lsb' ? 7 : 0;
  return {
    ...numbers,
    width: H,
    async *chunks(size) {
      for await (const part of numbers.chunks(size)) {
        if (part.some((x) => x !== 0 && x !== 1 && x !== -1 && !Number.isNaN(x))) throw noBits(path);
        yield Float32Array.from({ length: (part.length / width) * H }, (_, k) => {
          const x = part[Math.floor(k / H) * width + ((k % H) ^ flip)];
          return Number.isNaN(x) ? x : x > 0 ? 1 : -1;
        });
      }
    },
  };
}

async function bytesOf(path: string): Promise<ByteSource> {
  const file = path === '-' ? await stdinBytes() : await fileBytes(path);
  return isGzip(await readStart(file, 2)) ? gunzip(file) : file;
}

/** The same numbers, with 0 for rows that are missing as a whole. */
function withoutEscapes(numbers: Float32Array, width: number): Float32Array {
  const rest = numbers.slice();
  for (let at = 0; at < rest.length; at += width) {
    const row = rest.subarray(at, at + width);
    if (row.every(Number.isNaN)) row.fill(0);
  }
  return rest;
}

async function openNumberRows(bytes: ByteSource, options: OpenOptions, escapes = false): Promise<NumberRows> {
  const source = await openBytes(bytes, options);
  const { name, n, V: width, ids } = source;
  if (options.width !== undefined && width !== options.width)
    throw badFile(name, `holds ${counted(width, 'number')} per row, expected ${options.width}`);
  return {
    name,
    n,
    width,
    ids,
    async *chunks(size) {
      let done = 0;
      for await (const rows of source.chunks(size)) {
        // Formats of bits have no other numbers.
        const plain = rows.kind === 'real' && source.schema.values === 'numbers';
        const numbers = plain ? rows.values : zerosAndOnes(rows);
        refuseMissing(name, escapes ? withoutEscapes(numbers, width) : numbers, width, done);
        done += rows.n;
        yield numbers;
      }
    },
  };
}

function zerosAndOnes(rows: Rows): Float32Array {
  return entriesOf(rows).map((x) => (1 + x) / 2);
}
