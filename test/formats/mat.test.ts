import { zlibSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { memoryBytes } from '../../src/formats/bytes.ts';
import { openMat } from '../../src/formats/mat.ts';
import { signs, survivesDamage, tableOf } from './helpers.ts';

/** One element: tag, data, padding; up to four bytes in the short form, as MATLAB does. */
function element(type: number, data: Uint8Array | number[]): Uint8Array {
  const short = data.length > 0 && data.length <= 4;
  const bytes = new Uint8Array(short ? 8 : 8 + Math.ceil(data.length / 8) * 8);
  const view = new DataView(bytes.buffer);
  if (short) view.setUint32(0, type | (data.length << 16), true);
  else {
    view.setUint32(0, type, true);
    view.setUint32(4, data.length, true);
  }
  bytes.set(data, short ? 4 : 8);
  return bytes;
}

const int32 = (data: number[]) => new Uint8Array(Int32Array.from(data).buffer);
const float64 = (data: number[]) => new Uint8Array(Float64Array.from(data).buffer);
const letters = (text: string) => new TextEncoder().encode(text);
const joined = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts));

function matrix(name: string, kind: number, shape: number[], ...data: Uint8Array[]): Uint8Array {
  const parts = [element(6, int32([kind, 0])), element(5, int32(shape)), element(1, letters(name)), ...data];
  return element(14, joined(...parts));
}

function file(...elements: Uint8Array[]): Uint8Array {
  const head = new Uint8Array(128);
  head.set(letters('MATLAB 5.0 MAT-file'));
  head.set([0, 1, 0x49, 0x4d], 124);
  return joined(head, ...elements);
}

const compressed = (inner: Uint8Array) => {
  const packed = zlibSync(inner);
  const tag = int32([15, packed.length]);
  return joined(tag, packed);
};

const bits = matrix('X', 6, [2, 3], element(9, float64([0, 1, 1, 0, 1, 1])));
const rows = signs([
  [0, 1, 1],
  [1, 0, 1],
]);
const open = (bytes: Uint8Array, options = {}) => openMat(memoryBytes('a.mat', bytes), options);

describe('MATLAB level 5', () => {
  test('dense matrices, plain and compressed', async () => {
    expect(await tableOf(await open(file(bits)))).toEqual(rows);
    expect(await tableOf(await open(file(compressed(bits))))).toEqual(rows);
  });

  test('doubles stored as bytes, logicals', async () => {
    const small = matrix('X', 6, [2, 2], element(2, [1, 0, 0, 1]));
    expect(await tableOf(await open(file(small)))).toEqual(
      signs([
        [1, 0],
        [0, 1],
      ]),
    );
    const logical = matrix('X', 9 | 0x200, [2, 2], element(2, [1, 0, 0, 1]));
    expect(await tableOf(await open(file(logical)))).toEqual(
      signs([
        [1, 0],
        [0, 1],
      ]),
    );
  });

  test('sparse matrices', async () => {
    const parts = [
      element(5, int32([1, 0, 1])),
      element(5, int32([0, 1, 2, 3])),
      element(9, float64([1, 1, 1])),
    ];
    const sparse = matrix('S', 5, [2, 3], ...parts);
    expect(await tableOf(await open(file(sparse)))).toEqual(
      signs([
        [0, 1, 0],
        [1, 0, 1],
      ]),
    );
  });

  test('the variable is chosen, or the only table is taken', async () => {
    const label = matrix('y', 6, [1, 2], element(9, float64([1, 2])));
    expect((await open(file(label, bits))).V).toBe(3);
    await expect(open(file(bits, matrix('Z', 6, [2, 2], element(9, float64([1, 0, 1, 1])))))).rejects.toThrow(
      '--variable: X (2 x 3), Z (2 x 2)',
    );
    expect((await open(file(bits, label), { variable: 'X' })).n).toBe(2);
    await expect(open(file(bits), { variable: 'Q' })).rejects.toThrow("no matrix 'Q'");
  });

  test('refuses lengths that do not fit, complex numbers and other versions', async () => {
    await expect(open(file(matrix('X', 6, [2, 9], element(9, float64([1, 1])))))).rejects.toThrow('needs 18');
    await expect(open(file(matrix('X', 6 | 0x800, [2, 2], element(9, float64([1])))))).rejects.toThrow(
      'complex',
    );
    await expect(open(file(bits).subarray(0, 180))).rejects.toThrow('beyond its end');
    await expect(open(new Uint8Array(500))).rejects.toThrow('level 5');
  });

  test('a compressed matrix may not unpack beyond the limit, nor be damaged', async () => {
    const zeros = compressed(matrix('X', 9, [1000, 1000], element(2, new Uint8Array(1e6))));
    await expect(open(file(zeros), { maxBytes: 10_000 })).rejects.toThrow('limit of 10000');
    const damaged = file(compressed(bits));
    damaged[damaged.length - 1] ^= 1;
    await expect(open(damaged)).rejects.toThrow('damaged');
  });

  test('of several compressed matrices only the one that is wanted is unpacked whole', async () => {
    const size = 3_000_000;
    const zeros = (name: string) => matrix(name, 9, [3000, 1000], element(2, new Uint8Array(size)));
    const large = file(
      compressed(zeros('A')),
      compressed(zeros('B')),
      compressed(bits),
      compressed(zeros('C')),
    );
    expect(await tableOf(await open(large, { variable: 'X', maxBytes: 20_000 }))).toEqual(rows);
    await expect(open(large, { maxBytes: 20_000 })).rejects.toThrow(
      '--variable: A (3000 x 1000), B (3000 x 1000), X (2 x 3), C (3000 x 1000)',
    );
    await expect(open(large, { variable: 'C', maxBytes: 20_000 })).rejects.toThrow('limit of 20000');
    expect((await open(large, { variable: 'C', maxBytes: 2 * size })).n).toBe(3000);
  });

  test('other matrices need not be readable', async () => {
    const complex = matrix('Z', 6 | 0x800, [2, 2], element(9, float64([1, 0, 1, 1])));
    expect(await tableOf(await open(file(complex, bits), { variable: 'X' }))).toEqual(rows);
  });

  test('survives damage', async () => {
    await survivesDamage(file(bits, compressed(bits)), 'x.mat', (b) => openMat(b, { variable: 'X' }), 1000);
  });
});
