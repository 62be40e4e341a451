import { counted } from '../rows/counted.ts';
import { badFile, FormatError } from '../rows/errors.ts';
import { type Rows, rowBytes } from '../rows/rows.ts';
import type { RowSource } from '../rows/source.ts';
import { type ByteSource, joined, readRange, readStart } from './bytes.ts';
import { rowsOfColumns } from './column-major.ts';
import { denseTable } from './dense.ts';
import { type ElementType, elementBytes } from './elements.ts';
import { type NumberTable, openNumbers } from './numbers.ts';
import { MEMORY_LIMIT, type OpenedSource, type OpenOptions } from './options.ts';
import { startsLike } from './recognise.ts';
import { bitAt, unpackBits, type WriteOptions, writtenValue } from './write.ts';

/**
 * NPY, numpy's format: the magic `\x93NUMPY`, a version, a header that is a Python dictionary in text, the
 * elements. Arrays in Fortran order are turned around in memory; all others are read chunk by chunk.
 */
export async function openNpy(bytes: ByteSource, options: OpenOptions): Promise<OpenedSource> {
  const { values, ...rest } = options;
  const how =
    values === 'packed' && options.width && !(await isPacked(bytes, options.width)) ? rest : options;
  return openNumbers(await npyTable(bytes, how), how);
}

/** Whether an array of bytes holds this many bits per row, like the one that a model learned from. */
export async function isPacked(bytes: ByteSource, V: number): Promise<boolean> {
  const { descr, shape } = await npyHeader(bytes);
  return descr === '|u1' && shape.length === 2 && 8 * shape[1] === V;
}

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];

/** What the header says. `descr` is numpy's name of the element type, such as `<f4`. */
interface NpyHeader {
  readonly descr: string;
  readonly fortran: boolean;
  readonly shape: readonly number[];
  /** Where the elements start. */
  readonly offset: number;
}

export async function npyHeader(bytes: ByteSource): Promise<NpyHeader> {
  const { name } = bytes;
  const start = await readStart(bytes, 12);
  if (!startsLike('npy', start) || start.length < 10)
    throw new FormatError(name, 'byte 0', 'this is not an NPY file');
  const version = start[6];
  if (version < 1 || version > 3)
    throw new FormatError(name, 'byte 6', `NPY version ${version} is not known`);
  const view = new DataView(start.buffer, start.byteOffset, start.length);
  const from = version === 1 ? 10 : 12;
  if (start.length < from)
    throw new FormatError(name, `byte ${start.length}`, 'the file ends within its header');
  const length = version === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  if (length > 2 ** 20)
    throw new FormatError(name, 'byte 8', `a header of ${counted(length, 'byte')} is too long to be one`);
  const text = new TextDecoder('latin1').decode(await readRange(bytes, from, from + length, 'its header'));
  const descr = /'descr'\s*:\s*'([^']*)'/.exec(text)?.[1];
  const fortran = /'fortran_order'\s*:\s*(True|False)/.exec(text)?.[1];
  const shape = /'shape'\s*:\s*\(([\d\s,L]*)\)/.exec(text)?.[1];
  if (descr === undefined || fortran === undefined || shape === undefined) {
    throw new FormatError(
      name,
      `byte ${from}`,
      `the header is not that of a plain array: ${text.trim().slice(0, 80)}`,
    );
  }
  const sizes = shape.split(',').filter((part) => part.trim() !== '');
  return {
    descr,
    fortran: fortran === 'True',
    shape: sizes.map((s) => Number.parseInt(s, 10)),
    offset: from + length,
  };
}

/** The element type of a plain numeric array, and its byte order. */
export function npyElement(name: string, descr: string): { element: ElementType; littleEndian: boolean } {
  const parts = /^([<>|=])([biuf])([1248])$/.exec(descr);
  const element = parts && (parts[2] === 'b' ? 'u1' : `${parts[2]}${parts[3]}`);
  if (!parts || !element || element === 'f1' || (parts[2] === 'b' && parts[3] !== '1')) {
    throw badFile(name, `elements of type '${descr}' are not numbers that can be read`);
  }
  return { element: element as ElementType, littleEndian: parts[1] !== '>' };
}

export async function npyTable(bytes: ByteSource, options: OpenOptions): Promise<NumberTable> {
  const { name } = bytes;
  const { descr, fortran, offset, ...header } = await npyHeader(bytes);
  const { element, littleEndian } = npyElement(name, descr);
  // numpy saves weights as an array of one dimension.
  const vector = options.values === 'numbers' && header.shape.length === 1;
  const shape = vector ? [header.shape[0], 1] : header.shape;
  if (shape.length < 2) {
    throw badFile(
      name,
      `holds ${shape.length === 0 ? 'a single number' : 'an array of one dimension'}; rows need two or more: reshape it`,
    );
  }
  const type = descr.endsWith('b1') ? 'boolean' : element === 'u1' && shape.length > 2 ? 'image' : 'number';
  const table = denseTable(bytes, 'npy', { shape, offset, element, littleEndian, type });
  const rows = fortran
    ? await turned(table, bytes, { shape, offset, element, littleEndian }, options)
    : table;
  if (options.values !== 'packed') return rows;
  if (descr !== '|u1') throw badFile(name, `--values packed needs bytes (|u1), this array is ${descr}`);
  return unpacked(rows);
}

/** An array in Fortran order: the first index runs fastest. */
async function turned(
  table: NumberTable,
  bytes: ByteSource,
  layout: { shape: readonly number[]; offset: number; element: ElementType; littleEndian: boolean },
  options: OpenOptions,
): Promise<NumberTable> {
  const { n, V } = table;
  const { shape, offset, element, littleEndian } = layout;
  const size = n * V * elementBytes(element);
  if (size > (options.maxBytes ?? MEMORY_LIMIT)) {
    throw badFile(table.name, `is in Fortran order, which is read whole, and takes ${counted(size, 'byte')}`);
  }
  const raw = await readRange(bytes, offset, offset + size, 'the array');
  const places = fortranPlaces(shape);
  const columns = { bytes: raw, element, littleEndian, start: (v: number) => places[v] };
  return { ...table, chunks: (rows) => rowsOfColumns(columns, n, V, rows) };
}

/** For each entry of a row in C order, its distance from the row's first entry in Fortran order. */
function fortranPlaces(shape: readonly number[]): Float64Array {
  const V = shape.slice(1).reduce((a, b) => a * b, 1);
  return Float64Array.from({ length: V }, (_, v) => {
    let rest = v;
    let place = 0;
    let stride = shape.reduce((a, b) => a * b, 1);
    for (let d = shape.length - 1; d > 0; d--) {
      stride /= shape[d];
      place += (rest % shape[d]) * stride;
      rest = Math.floor(rest / shape[d]);
    }
    return place;
  });
}

/** Bytes of eight bits each, the first in the most significant place: what numpy.packbits makes. */
function unpacked(table: NumberTable): NumberTable {
  return {
    ...table,
    V: table.V * 8,
    type: 'boolean',
    image: undefined,
    async *chunks(size) {
      for await (const packed of table.chunks(size)) {
        const bits = new Uint8Array(packed.length * 8);
        for (let k = 0; k < bits.length; k++) bits[k] = (packed[k >> 3] >> (7 - (k & 7))) & 1;
        yield bits;
      }
    },
  };
}

/**
 * An NPY file of a source: booleans for bits, float32 for real values, where `values` asks for numbers and
 * where entries are missing: the first rows show it, or `masked` says so.
 */
export async function* encodeNpy(source: RowSource, options: WriteOptions = {}): AsyncGenerator<Uint8Array> {
  const { n, V } = source;
  let descr: '|u1' | '|b1' | '<f4' | undefined;
  let first = 0;
  for await (const rows of source.chunks(1024)) {
    if (!descr) {
      const plain = rows.kind === 'bits' && !rows.known && !options.values && !options.masked;
      descr = options.packed ? '|u1' : plain ? '|b1' : '<f4';
      yield header([n, options.packed ? rowBytes(V) : V], descr);
    }
    if (descr === '|u1') yield packBits(rows, first, options.order === 'lsb' ? 0 : 7);
    else yield descr === '|b1' ? unpackBits(rows, first) : floats(rows, options);
    first += rows.n;
  }
}

/**
 * An NPY file of plain numbers. Rows have rules of their own: theirs are bits or in [-1, 1], and a table of
 * two dimensions.
 */
export function npyFile(values: Float32Array, shape: readonly number[]): Uint8Array {
  const elements = new Uint8Array(4 * values.length);
  const view = new DataView(elements.buffer);
  for (let k = 0; k < values.length; k++) view.setFloat32(4 * k, values[k], true);
  return joined([header(shape, '<f4'), elements]);
}

/** An NPY file of a text, an array without dimensions: `str(numpy.load(file))` gives it back. */
export function npyText(text: string): Uint8Array {
  const letters = Array.from(text, (letter) => letter.codePointAt(0)!);
  const elements = new Uint8Array(4 * letters.length);
  const view = new DataView(elements.buffer);
  letters.forEach((letter, k) => {
    view.setUint32(4 * k, letter, true);
  });
  return joined([header([], `<U${letters.length}`), elements]);
}

function header(shape: readonly number[], descr: string): Uint8Array {
  // Python writes one dimension with a comma behind it.
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${sizes}), }`;
  // The elements start at a multiple of 64; the header ends with a line break.
  const length = Math.ceil((10 + text.length + 1) / 64) * 64 - 10;
  const bytes = new Uint8Array(10 + length);
  bytes.set(MAGIC);
  bytes[6] = 1;
  new DataView(bytes.buffer).setUint16(8, length, true);
  bytes.set(new TextEncoder().encode(`${text.padEnd(length - 1)}\n`), 10);
  return bytes;
}

/** Eight bits to a byte, the first of them in the place given, 0 or 7. */
function packBits(rows: Rows, first: number, place: number): Uint8Array {
  const stride = rowBytes(rows.V);
  const packed = new Uint8Array(rows.n * stride);
  for (let i = 0; i < rows.n; i++) {
    for (let v = 0; v < rows.V; v++)
      packed[i * stride + (v >> 3)] |= bitAt(rows, i, v, first) << ((v & 7) ^ place);
  }
  return packed;
}

function floats(rows: Rows, options: WriteOptions): Uint8Array {
  const bytes = new Uint8Array(rows.n * rows.V * 4);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < rows.n; i++) {
    for (let v = 0; v < rows.V; v++)
      view.setFloat32(4 * (i * rows.V + v), writtenValue(rows, i, v, options), true);
  }
  return bytes;
}
