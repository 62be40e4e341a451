import type { Safetensors, Tensor } from '../../formats/safetensors.ts';
import { counted } from '../../rows/counted.ts';
import { FormatError } from '../../rows/errors.ts';

/**
 * A matrix in a model file. It is stored either whole under its own name or, if that is smaller, as
 * compressed sparse rows: the nonzero entries `W.values`, their `W.columns`, and `W.starts`, where the
 * entries of each row begin (one more than there are rows). SciPy's csr_matrix((values, columns, starts)) is
 * the same matrix.
 */
export function matrixTensors(
  name: string,
  data: Float32Array,
  rows: number,
  width: number,
): [string, Tensor][] {
  let count = 0;
  for (const value of data) if (value !== 0) count++;
  const Columns = width <= 2 ** 8 ? Uint8Array : width <= 2 ** 16 ? Uint16Array : Uint32Array;
  const sparseBytes = count * (4 + Columns.BYTES_PER_ELEMENT) + 4 * (rows + 1);
  if (sparseBytes >= 4 * data.length || data.length > mostEntries(sparseBytes))
    return [[name, { type: 'F32', shape: [rows, width], data }]];
  const values = new Float32Array(count);
  const columns = new Columns(count);
  const starts = new Uint32Array(rows + 1);
  let next = 0;
  for (let k = 0; k < data.length; k++) {
    if (data[k] !== 0) {
      values[next] = data[k];
      columns[next++] = k % width;
    }
    if ((k + 1) % width === 0) starts[(k + 1) / width] = next;
  }
  const type = columns.BYTES_PER_ELEMENT === 1 ? 'U8' : columns.BYTES_PER_ELEMENT === 2 ? 'U16' : 'U32';
  return [
    [`${name}.values`, { type: 'F32', shape: [count], data: values }],
    [`${name}.columns`, { type, shape: [count], data: columns }],
    [`${name}.starts`, { type: 'U32', shape: [rows + 1], data: starts }],
  ];
}

/** The matrix called `key`, in either form, checked before anything of its size is allocated. */
export function readMatrix(
  file: Safetensors,
  key: string,
  shape: { readonly rows: number; readonly width: number },
  name: string,
): Float32Array {
  const { rows, width } = shape;
  if (file.tensors.has(key) || !file.tensors.has(`${key}.values`)) {
    return readTensor(file, key, ['F32'], [rows, width], name).data as Float32Array;
  }
  const most = mostEntries(sizeOf(file));
  if (rows * width > most) {
    const found = `stands for ${rows} x ${width} numbers, more than the ${most} that a file of its size may`;
    throw new FormatError(name, `tensor '${key}'`, found);
  }
  const count = file.tensors.get(`${key}.values`)!.shape[0] ?? 0;
  const values = readTensor(file, `${key}.values`, ['F32'], [count], name).data;
  const columns = readTensor(file, `${key}.columns`, ['U8', 'U16', 'U32'], [count], name).data;
  const starts = readTensor(file, `${key}.starts`, ['U32'], [rows + 1], name).data;
  const fail = (part: string, k: number, message: string): never => {
    throw new FormatError(name, `tensor '${key}.${part}', element ${k}`, message);
  };
  if (starts[0] !== 0) fail('starts', 0, `is ${starts[0]}, expected 0`);
  if (starts[rows] !== count)
    fail('starts', rows, `is ${starts[rows]}, expected the ${counted(count, 'value')}`);
  for (let row = 0; row < rows; row++) {
    if (starts[row + 1] < starts[row]) fail('starts', row + 1, 'is less than the one before');
  }
  const data = new Float32Array(rows * width);
  for (let row = 0; row < rows; row++) {
    let before = -1;
    for (let k = starts[row]; k < starts[row + 1]; k++) {
      const column = columns[k];
      if (column >= width) fail('columns', k, `is ${column}, but a row has ${counted(width, 'column')}`);
      if (column <= before) fail('columns', k, `is ${column} after ${before}; expected rising columns`);
      before = column;
      data[row * width + column] = values[k];
    }
  }
  return data;
}

/**
 * The most entries that a sparse matrix may claim in a file of so many bytes. Beside sparse weights, a file
 * holds their correlations whole or a mask of bits, at least a byte for eight entries. This keeps a small
 * damaged file from asking for much memory.
 */
function mostEntries(bytes: number): number {
  return 2 ** 20 + 32 * bytes;
}

function sizeOf({ tensors }: Safetensors): number {
  let bytes = 0;
  for (const { data } of tensors.values()) bytes += data.byteLength;
  return bytes;
}

/**
 * The tensor called `key`, with its type, its shape and, where required, the finiteness of its numbers
 * checked.
 */
export function readTensor(
  file: Safetensors,
  key: string,
  types: readonly string[],
  shape: readonly number[],
  name: string,
): Tensor {
  const found = file.tensors.get(key);
  if (!found) throw new FormatError(name, `tensor '${key}'`, 'is missing');
  if (!types.includes(found.type) || found.shape.join() !== shape.join()) {
    const expected = `${types.join(' or ')} of ${shape.join(' x ')}`;
    throw new FormatError(
      name,
      `tensor '${key}'`,
      `is ${found.type} of ${found.shape.join(' x ')}, expected ${expected}`,
    );
  }
  if (found.type === 'F32') checkWeights(found, key, name);
  return found;
}

/**
 * The sum of squares of numbers up to this size stays finite in float32, for as many rows as a file can hold.
 */
const MOST_WEIGHT = 1e12;

/** Refuses weights that are not finite or so large that no code can be computed with them. */
export function checkWeights({ data }: Tensor, key: string, name: string): void {
  const wrong = data.findIndex((x) => !(Math.abs(x) <= MOST_WEIGHT));
  if (wrong >= 0) {
    const place = `tensor '${key}', element ${wrong}`;
    throw new FormatError(name, place, `found ${data[wrong]}, expected at most ${MOST_WEIGHT} in size`);
  }
}
