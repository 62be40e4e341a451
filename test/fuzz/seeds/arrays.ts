import { zlibSync } from 'fflate';
import { concat, plain, type Seed } from './seed.ts';

const letters = (text: string) => new TextEncoder().encode(text);
export const int32 = (...data: number[]) => new Uint8Array(Int32Array.from(data).buffer);
export const float64 = (...data: number[]) => new Uint8Array(Float64Array.from(data).buffer);

/** An NPY file with a header as given. */
export function npy(
  descr: string,
  shape: string,
  body: Uint8Array,
  fortran = false,
  version = 1,
): Uint8Array {
  const order = fortran ? 'True' : 'False';
  const head = letters(`{'descr': '${descr}', 'fortran_order': ${order}, 'shape': ${shape}, }\n`);
  const length = version === 1 ? [head.length & 255, head.length >> 8] : [...int32(head.length)];
  return concat(Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, version, 0, ...length), head, body);
}

/** An element of a MATLAB file: tag, data, padding; up to four bytes in the short form. */
function element(type: number, data: Uint8Array): Uint8Array {
  const short = data.length > 0 && data.length <= 4;
  const bytes = new Uint8Array(short ? 8 : 8 + Math.ceil(data.length / 8) * 8);
  bytes.set(short ? int32(type | (data.length << 16)) : int32(type, data.length));
  bytes.set(data, short ? 4 : 8);
  return bytes;
}

function matrix(name: string, kind: number, shape: number[], ...data: Uint8Array[]): Uint8Array {
  const head = [element(6, int32(kind, 0)), element(5, int32(...shape)), element(1, letters(name))];
  return element(14, concat(...head, ...data));
}

function matFile(...elements: readonly Uint8Array[]): Uint8Array {
  const head = new Uint8Array(128);
  head.set(letters('MATLAB 5.0 MAT-file'));
  head.set([0, 1, 0x49, 0x4d], 124);
  return concat(head, ...elements);
}

const dense = matrix('X', 6, [2, 3], element(9, float64(0, 1, 1, 0, 1, 1)));
const logical = matrix('Y', 9 | 0x200, [2, 2], element(2, Uint8Array.of(1, 0, 0, 1)));
const sparse = matrix(
  'S',
  5,
  [3, 2],
  element(5, int32(0, 2)),
  element(5, int32(0, 1, 2)),
  element(9, float64(1, 1)),
);

/** The matrix within compression is the part. */
const packedMat: Seed = {
  format: 'mat',
  name: 'packed.mat',
  parts: [dense],
  build: ([inner]) => {
    const packed = zlibSync(inner);
    return matFile(concat(int32(15, packed.length), packed));
  },
};

const grid = Uint8Array.of(0, 255, 0, 51, 102, 255);

/** Numbers in arrays: IDX, NPY, MATLAB. */
export const arraySeeds: Seed[] = [
  plain('idx', 'a.idx', Uint8Array.of(0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, ...grid)),
  plain('idx', 'train-images-idx3-ubyte', Uint8Array.of(0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 2, 0, 1, 1, 1)),
  plain('idx', 'c.idx', concat(Uint8Array.of(0, 0, 13, 2, 0, 0, 0, 1, 0, 0, 0, 2), new Uint8Array(8))),
  plain('npy', 'a.npy', npy('|b1', '(2, 3)', Uint8Array.of(0, 1, 1, 1, 0, 0))),
  plain('npy', 'b.npy', npy('<f8', '(2, 2)', float64(0, 0.5, 1, Number.NaN))),
  plain('npy', 'c.npy', npy('|u1', '(3, 2)', Uint8Array.of(0, 1, 1, 0, 0, 1), true)),
  plain('npy', 'd.npy', npy('<i4', '(2, 2, 2)', int32(0, 1, 1, 0, 1, 1, 0, 0), true, 2)),
  plain('mat', 'a.mat', matFile(dense)),
  plain('mat', 'b.mat', matFile(logical)),
  plain('mat', 'c.mat', matFile(sparse)),
  packedMat,
];
