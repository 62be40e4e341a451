import type { BitOrder } from '../bits/pack.ts';
import { type ByteSource, readRange, readStart } from '../formats/bytes.ts';
import { decodeElements, elementBytes } from '../formats/elements.ts';
import { gunzip, isGzip } from '../formats/gzip.ts';
import { fileBytes } from '../formats/node/file.ts';
import { stdinBytes } from '../formats/node/stdin.ts';
import { npyElement, npyHeader, npyTable } from '../formats/npy.ts';
import { openBytes, openTable } from '../formats/open.ts';
import { startsLike } from '../formats/recognise.ts';
import { finite, openPlain, type PlainTable, wrongWidth } from '../formats/table/plain.ts';
import { FormatError } from '../rows/errors.ts';
import { entry, rowBytes } from '../rows/rows.ts';
import { bitsOnly, noBits } from './packed-codes.ts';

/** Opens numbers of any size, as `encode` writes codes and people write weights: NPY, text, JSON lines, Parquet or Arrow. */
export async function openCodes(path: string, width?: number): Promise<PlainTable> {
  const file = path === '-' ? await stdinBytes() : await fileBytes(path);
  const bytes = isGzip(await readStart(file, 2)) ? gunzip(file) : file;
  if (startsLike('npy', await readStart(bytes, 6))) return npyCodes(bytes, width);
  const table = await openTable(bytes);
  if (table) return openPlain(table, width);
  throw new FormatError(
    path,
    '',
    'is no table of numbers: expected is NPY, text, JSON lines, Parquet or Arrow',
  );
}

/**
 * The same for codes of true bits, which are written as 0 and 1 and stand for -1 and 1. In an NPY file they may be packed,
 * and `order` says where the first bit of a byte is.
 */
export async function openBitCodes(path: string, H: number, order: BitOrder): Promise<PlainTable> {
  const bytes = path === '-' ? await stdinBytes() : await fileBytes(path);
  const table = await openTable(bytes);
  if (!table) return binaryCodes(bytes, H, order);
  const numbers = await openPlain(table, H);
  return {
    ...numbers,
    async *chunks(size) {
      for await (const part of numbers.chunks(size)) {
        if (part.some((x) => x !== 0 && x !== 1 && x !== -1)) throw noBits(path);
        yield part.map((x) => (x > 0 ? 1 : -1));
      }
    },
  };
}

async function binaryCodes(bytes: ByteSource, H: number, order: BitOrder): Promise<PlainTable> {
  const { name } = bytes;
  const width = 8 * rowBytes(H);
  const source = await bitsOnly(name, openBytes(bytes, { values: 'packed', width }));
  const packed = source.schema.values === 'packed' && source.format === 'npy';
  if (source.V !== (packed ? width : H)) throw wrongWidth(name, '', source.V, H);
  if (source.schema.kind === 'real') throw noBits(name);
  // Packed bits are read as numpy.packbits packs them.
  const flip = packed && order === 'lsb' ? 7 : 0;
  return {
    name,
    n: source.n,
    width: H,
    ids: source.ids,
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

async function npyCodes(bytes: ByteSource, asked?: number): Promise<PlainTable> {
  const { name } = bytes;
  const { n, V: width, chunks } = (await npyVector(bytes)) ?? (await npyTable(bytes, {}));
  if (asked !== undefined && width !== asked) throw wrongWidth(name, '', width, asked);
  return {
    name,
    n,
    width,
    async *chunks(size) {
      let row = 0;
      for await (const numbers of chunks(size)) {
        yield finite(Float32Array.from(numbers), name, width, row);
        row += numbers.length / width;
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
