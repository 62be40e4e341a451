import { counted } from '../rows/counted.ts';
import { badFile, FormatError } from '../rows/errors.ts';
import { SparseBuilder } from '../rows/sparse.ts';
import type { Numbers } from '../rows/values.ts';
import { type ByteSource, readAll } from './bytes.ts';
import { type ColumnMajor, rowsOfColumns } from './column-major.ts';
import { decodeElements, type ElementType, elementBytes } from './elements.ts';
import { unzlib, unzlibStart } from './inflate.ts';
import { openNumbers } from './numbers.ts';
import { checkShape, checkSparseRows, MEMORY_LIMIT, type OpenedSource, type OpenOptions } from './options.ts';
import { openSparse } from './sparse.ts';

/**
 * MATLAB files, level 5 (what `save` writes up to version 7): numeric and logical matrices, dense or sparse,
 * compressed or not. Every length is checked against the bytes that are there before it is believed. Of
 * compressed matrices only the beginnings are unpacked, and whole the one that is wanted.
 */
export async function openMat(bytes: ByteSource, options: OpenOptions): Promise<OpenedSource> {
  const { name } = bytes;
  const maxBytes = options.maxBytes ?? MEMORY_LIMIT;
  const file = await readAll(bytes, maxBytes);
  const found = pick(name, findMatrices(name, file, maxBytes, options.signal), options.variable);
  const matrix = await readMatrix(name, found);
  const [n, V] = [matrix.shape[0], matrix.shape.slice(1).reduce((a, b) => a * b, 1)];
  checkShape(name, n, V);
  if ('sparse' in matrix) {
    checkSparseRows(name, n, bytes.size);
    const rows = sparseRows(name, matrix, n, V, maxBytes);
    return openSparse({ name, format: 'mat', rows }, options);
  }
  const { dense, shape } = matrix;
  const picture = shape.length === 3 ? { height: shape[1], width: shape[2] } : undefined;
  const type = matrix.logical ? 'boolean' : matrix.kind === BYTES && picture ? 'image' : 'number';
  return openNumbers(
    {
      name,
      format: 'mat',
      n,
      V,
      type,
      image: picture,
      chunks: (size) => rowsOfColumns({ ...dense, start: (v) => v * n }, n, V, size),
    },
    options,
  );
}

/** What a matrix says of itself before its values. */
interface Head {
  readonly name: string;
  readonly shape: readonly number[];
  readonly kind: number;
  readonly complex: boolean;
  readonly logical: boolean;
}

/** A matrix of the file, not read yet. */
interface Found extends Head {
  /** All of it, unpacked; the reader stands before its head. */
  open(): Promise<ElementReader>;
}

interface DenseMatrix extends Head {
  readonly dense: StoredNumbers;
}

interface SparseMatrix extends Head {
  /** The row of each value, and where each column starts. */
  readonly sparse: { readonly rows: Numbers; readonly starts: Numbers; readonly values: Numbers };
}

type StoredNumbers = Omit<ColumnMajor, 'start'>;

function sparseRows(name: string, matrix: SparseMatrix, n: number, V: number, maxBytes: number) {
  const { rows, starts, values } = matrix.sparse;
  const builder = new SparseBuilder(name, maxBytes);
  for (let v = 0; v < V; v++) {
    for (let k = starts[v]; k < starts[v + 1]; k++) {
      if (!(rows[k] >= 0 && rows[k] < n))
        throw new FormatError(name, matrix.name, `row ${rows[k]} is outside the matrix`);
      builder.add(rows[k], v, values[k]);
    }
  }
  return builder.build(n, V);
}

function pick(file: string, matrices: readonly Found[], variable: string | undefined): Found {
  const list = matrices.map((m) => `${m.name} (${m.shape.join(' x ')})`).join(', ') || 'none';
  if (variable !== undefined) {
    const matrix = matrices.find((m) => m.name === variable);
    if (!matrix) throw badFile(file, `there is no matrix '${variable}'; there are: ${list}`);
    return matrix;
  }
  const tables = matrices.filter((m) => m.shape.every((size) => size > 1));
  if (tables.length === 1) return tables[0];
  throw badFile(file, `choose one of its matrices with --variable: ${list}`);
}

function findMatrices(
  name: string,
  file: Uint8Array<ArrayBuffer>,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Found[] {
  const order = String.fromCharCode(file[126], file[127]);
  if (file.length < 136 || (order !== 'IM' && order !== 'MI')) {
    const hint = isHdf5(file) ? ' It is of version 7.3: save it again with -v7.' : '';
    throw new FormatError(name, 'byte 126', `this is not a MATLAB file of level 5.${hint}`);
  }
  const little = order === 'IM';
  if (new DataView(file.buffer).getUint16(124, little) !== 0x0100) {
    throw new FormatError(name, 'byte 124', 'only MATLAB files of level 5 are read: save it again with -v7');
  }
  const read = (bytes: Uint8Array<ArrayBuffer>, from = 0) => new ElementReader(name, bytes, little, from);
  const matrices: Found[] = [];
  const reader = read(file, 128);
  while (reader.more()) {
    const { type, data } = reader.next();
    const packed = type === COMPRESSED;
    const start = packed ? read(unzlibStart(data, name, HEAD_BYTES)).next('cut') : { type, data };
    if (start.type !== MATRIX || start.data.length === 0) continue;
    const head = readHead(read(start.data));
    const open = async () =>
      read(packed ? read(await unzlib(data, name, maxBytes, signal)).next().data : data);
    if (head) matrices.push({ ...head, open });
  }
  return matrices;
}

function isHdf5(file: Uint8Array): boolean {
  return file[512] === 0x89 && file[513] === 0x48 && file[514] === 0x44 && file[515] === 0x46;
}

/** More than flags, sizes and name take. */
const HEAD_BYTES = 4096;
/** Classes of matrices that are looked at: sparse ones, and ones of bytes. */
const SPARSE = 5;
const BYTES = 9;
const MATRIX = 14;
const COMPRESSED = 15;
const ELEMENTS: Record<number, ElementType> = {
  1: 'i1',
  2: 'u1',
  3: 'i2',
  4: 'u2',
  5: 'i4',
  6: 'u4',
  7: 'f4',
  9: 'f8',
  12: 'i8',
  13: 'u8',
};

/** Elements one after the other: a tag (type and length), the data, padding to a multiple of eight bytes. */
class ElementReader {
  private at: number;
  private readonly name: string;
  private readonly bytes: Uint8Array<ArrayBuffer>;
  private readonly view: DataView;
  private readonly little: boolean;

  constructor(name: string, bytes: Uint8Array<ArrayBuffer>, little: boolean, start = 0) {
    this.name = name;
    this.at = start;
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.little = little;
  }

  more(): boolean {
    return this.at + 8 <= this.bytes.length;
  }

  /** `cut`: as much of the data as is there. */
  next(extent: 'whole' | 'cut' = 'whole'): { type: number; data: Uint8Array<ArrayBuffer> } {
    const { at, view, little } = this;
    if (!this.more()) throw new FormatError(this.name, `byte ${at}`, 'the file ends within a matrix');
    const word = view.getUint32(at, little);
    // A short element has its length in the upper half of the first word, and its data in the second.
    const short = word >>> 16 !== 0;
    const type = short ? word & 0xffff : word;
    const length = short ? word >>> 16 : view.getUint32(at + 4, little);
    const start = at + (short ? 4 : 8);
    if ((extent === 'whole' && start + length > this.bytes.length) || (short && length > 4)) {
      throw new FormatError(
        this.name,
        `byte ${at}`,
        `an element of ${counted(length, 'byte')} goes beyond its end`,
      );
    }
    const padded = type === COMPRESSED ? length : Math.ceil(length / 8) * 8;
    this.at = short ? at + 8 : start + padded;
    return { type, data: this.bytes.subarray(start, start + length) };
  }

  /** The next element as numbers, as they are stored. */
  stored(): StoredNumbers {
    const { type, data } = this.next();
    const element = ELEMENTS[type];
    if (!element) throw badFile(this.name, `elements of type ${type} are not numbers`);
    const bytes = data.subarray(0, data.length - (data.length % elementBytes(element)));
    return { bytes, element, littleEndian: this.little };
  }

  numbers(): Numbers {
    const { bytes, element, littleEndian } = this.stored();
    return decodeElements(bytes, element, littleEndian);
  }
}

/** The head of a numeric matrix; cells, structures, text and objects (types 1 to 4, above 15) are none. */
function readHead(reader: ElementReader): Head | undefined {
  const flags = reader.numbers()[0] >>> 0;
  const kind = flags & 255;
  if (kind < 5 || kind > 15) return undefined;
  const shape = Array.from(reader.numbers());
  const name = new TextDecoder().decode(reader.next().data);
  return { name, shape, kind, complex: (flags & 0x800) !== 0, logical: (flags & 0x200) !== 0 };
}

async function readMatrix(file: string, found: Found): Promise<DenseMatrix | SparseMatrix> {
  const { name, shape, kind, complex } = found;
  if (complex) throw new FormatError(file, name, 'complex matrices are not read');
  if (shape.length < 2 || shape.some((x) => !(x >= 0)))
    throw new FormatError(file, name, `has the shape ${shape.join(' x ')}`);
  const reader = await found.open();
  readHead(reader);
  if (kind === SPARSE) {
    const sparse = { rows: reader.numbers(), starts: reader.numbers(), values: reader.numbers() };
    checkSparse(file, name, shape, sparse);
    return { ...found, sparse };
  }
  const dense = reader.stored();
  const size = shape.reduce((a, b) => a * b, 1);
  const count = dense.bytes.length / elementBytes(dense.element);
  if (count !== size)
    throw new FormatError(
      file,
      name,
      `has ${counted(count, 'value')}, its shape ${shape.join(' x ')} needs ${size}`,
    );
  return { ...found, dense };
}

function checkSparse(
  file: string,
  name: string,
  shape: readonly number[],
  { rows, starts, values }: SparseMatrix['sparse'],
): void {
  const V = shape[1];
  const used = starts[V];
  let sound = shape.length === 2 && starts.length === V + 1 && used <= rows.length && used <= values.length;
  for (let v = 0; v < V && sound; v++) sound = starts[v] >= 0 && starts[v] <= starts[v + 1];
  if (!sound)
    throw new FormatError(file, name, 'the sparse matrix is damaged: its columns do not fit its entries');
}
