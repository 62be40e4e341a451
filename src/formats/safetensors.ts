import type { Bytes } from '../rows/bytes.ts';
import { counted } from '../rows/counted.ts';
import { FormatError } from '../rows/errors.ts';

/**
 * safetensors: the length of the header (8 bytes, little-endian), the header (JSON, padded with spaces), the
 * tensors one after the other. What Python's safetensors writes is read, and what is written it reads.
 *
 * A file is checked completely before anything is made of it: types, shapes, offsets without gap or overlap.
 */
export type TensorType = 'F32' | 'F64' | 'U8' | 'I8' | 'U16' | 'I16' | 'U32' | 'I32' | 'BOOL';

type TensorData =
  | Float32Array
  | Float64Array
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array;

export interface Tensor {
  readonly type: TensorType;
  readonly shape: readonly number[];
  readonly data: TensorData;
}

export interface Safetensors {
  readonly tensors: ReadonlyMap<string, Tensor>;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Reads a file. `name` is what errors call it. */
export function readSafetensors(bytes: Uint8Array, name = 'safetensors'): Safetensors {
  const { entries, metadata, start } = readHeader(bytes, name);
  const tensors = new Map<string, Tensor>();
  for (const { key, type, shape, from, to } of entries) {
    tensors.set(key, { type, shape, data: readData(bytes.subarray(start + from, start + to), type) });
  }
  return { tensors, metadata };
}

/** The metadata of a file, without its tensors. */
export function safetensorsMetadata(bytes: Uint8Array, name = 'safetensors'): Safetensors['metadata'] {
  return readHeader(bytes, name).metadata;
}

/** Writes a file: the tensors in order of decreasing element size and then of name, as the reference does. */
export function writeSafetensors(
  tensors: Iterable<readonly [string, Tensor]>,
  metadata: Readonly<Record<string, string>> = {},
): Bytes {
  const sorted = [...tensors].sort(([a, x], [b, y]) => WIDTH[y.type] - WIDTH[x.type] || (a < b ? -1 : 1));
  const header: Record<string, unknown> = {};
  if (Object.keys(metadata).length > 0) header.__metadata__ = metadata;
  let size = 0;
  for (const [key, { type, shape, data }] of sorted) {
    if (key === '__metadata__' || key in header)
      throw new RangeError(`the name '${key}' of a tensor is taken`);
    const length = shape.reduce((a, b) => a * b, 1);
    if (length !== data.length || data.BYTES_PER_ELEMENT !== WIDTH[type]) {
      throw new RangeError(
        `tensor '${key}' has ${data.length} elements, type ${type} and shape ${shape.join(' x ')}`,
      );
    }
    const end = size + length * WIDTH[type];
    header[key] = { dtype: type, shape, data_offsets: [size, end] };
    size = end;
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const padded = Math.ceil(text.length / 8) * 8;
  const bytes = new Uint8Array(8 + padded + size).fill(32, 8, 8 + padded);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(padded), true);
  bytes.set(text, 8);
  let at = 8 + padded;
  for (const [, { data }] of sorted) {
    bytes.set(littleEndian(data), at);
    at += data.byteLength;
  }
  return bytes;
}

/** Throws where a tensor holds a number that is not finite. */
export function checkFinite(tensor: Tensor, key: string, name = 'safetensors'): void {
  const { data } = tensor;
  for (let k = 0; k < data.length; k++) {
    if (!Number.isFinite(data[k]))
      throw new FormatError(name, `tensor '${key}', element ${k}`, `found ${data[k]}`);
  }
}

const WIDTH: Record<TensorType, number> = {
  F64: 8,
  F32: 4,
  U32: 4,
  I32: 4,
  U16: 2,
  I16: 2,
  U8: 1,
  I8: 1,
  BOOL: 1,
};

/** The reference refuses longer headers too. */
const MAX_HEADER = 100_000_000;

interface Entry {
  readonly key: string;
  readonly type: TensorType;
  readonly shape: readonly number[];
  readonly from: number;
  readonly to: number;
}

function readHeader(bytes: Uint8Array, name: string) {
  const fail = (place: string, message: string): never => {
    throw new FormatError(name, place, message);
  };
  if (bytes.length < 8) fail('byte 0', 'is too short to be a safetensors file');
  const length = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  if (length > MAX_HEADER)
    fail('byte 0', `claims a header of ${counted(length, 'byte')}; this is not a safetensors file`);
  if (8 + length > bytes.length)
    fail('byte 8', `the header should be ${counted(length, 'byte')} long, but the file ends before`);
  const header =
    parseObject(bytes.subarray(8, 8 + length)) ?? fail('byte 8', 'the header is not a JSON object');
  const start = 8 + length;
  const entries = Object.entries(header)
    .filter(([key]) => key !== '__metadata__')
    .map(([key, value]) => readEntry(key, value, name))
    .sort((a, b) => a.from - b.from || a.to - b.to);
  let end = 0;
  for (const { key, from, to } of entries) {
    if (from !== end) fail(`tensor '${key}'`, `starts at ${from}, but the one before ends at ${end}`);
    end = to;
  }
  if (start + end !== bytes.length) {
    fail('', `should be ${counted(start + end, 'byte')} long by its header, but is ${bytes.length}`);
  }
  return { entries, metadata: readMetadata(header.__metadata__, name), start };
}

function parseObject(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readMetadata(value: unknown, name: string): Record<string, string> {
  if (value === undefined) return {};
  if (!isObject(value) || Object.values(value).some((text) => typeof text !== 'string')) {
    throw new FormatError(name, '__metadata__', 'must be texts by name');
  }
  return value as Record<string, string>;
}

function readEntry(key: string, value: unknown, name: string): Entry {
  const { dtype, shape, data_offsets: offsets } = (isObject(value) ? value : {}) as Record<string, unknown>;
  const place = `tensor '${key}'`;
  if (typeof dtype !== 'string' || !Object.hasOwn(WIDTH, dtype)) {
    throw new FormatError(
      name,
      place,
      `has the type ${JSON.stringify(dtype)}; known are ${Object.keys(WIDTH).join(', ')}`,
    );
  }
  if (!isSizes(shape) || !isSizes(offsets) || offsets.length !== 2) {
    throw new FormatError(name, place, 'must have a shape and two offsets, all whole numbers from 0');
  }
  const [from, to] = offsets;
  const size = shape.reduce((a, b) => a * b, WIDTH[dtype as TensorType]);
  if (to - from !== size) {
    throw new FormatError(
      name,
      place,
      `has ${counted(to - from, 'byte')}, its shape ${shape.join(' x ')} of ${dtype} needs ${size}`,
    );
  }
  return { key, type: dtype as TensorType, shape, from, to };
}

function isSizes(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((x) => Number.isSafeInteger(x) && x >= 0);
}

const LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** The bytes of some numbers, turned around on the rare machine that is not little-endian. */
function littleEndian(data: TensorData): Uint8Array {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (LITTLE_ENDIAN || data.BYTES_PER_ELEMENT === 1) return bytes;
  const turned = Uint8Array.from(bytes);
  for (let at = 0; at < turned.length; at += data.BYTES_PER_ELEMENT) {
    turned.subarray(at, at + data.BYTES_PER_ELEMENT).reverse();
  }
  return turned;
}

function readData(bytes: Uint8Array, type: TensorType): TensorData {
  const make = {
    F64: Float64Array,
    F32: Float32Array,
    U32: Uint32Array,
    I32: Int32Array,
    U16: Uint16Array,
    I16: Int16Array,
    U8: Uint8Array,
    I8: Int8Array,
    BOOL: Uint8Array,
  }[type];
  // The copy starts where numbers of any size may start.
  // Uint8Array.from always copies; a Node Buffer's slice would be a view on a larger piece of memory.
  const data = new make(Uint8Array.from(bytes).buffer);
  if (LITTLE_ENDIAN) return data;
  return new make(littleEndian(data).buffer as ArrayBuffer);
}
