import { zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { memoryBytes } from '../../src/formats/bytes.ts';
import { encodeNpy } from '../../src/formats/npy.ts';
import { openNpz } from '../../src/formats/npz.ts';
import { memorySource } from '../../src/rows/memory.ts';
import { concat, inPieces, signs, survivesDamage, tableOf } from './helpers.ts';

/** An NPY file of one dimension (of none for text, as numpy stores the word `csr`). */
function vector(descr: '<i4' | '<f8' | '|S3', data: readonly number[] | string): Uint8Array {
  const shape = typeof data === 'string' ? '()' : `(${data.length},)`;
  const head = new TextEncoder().encode(
    `{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}, }\n`,
  );
  const body =
    typeof data === 'string'
      ? new TextEncoder().encode(data)
      : new Uint8Array((descr === '<i4' ? Int32Array.from(data) : Float64Array.from(data)).buffer);
  const start = Uint8Array.from([
    0x93,
    0x4e,
    0x55,
    0x4d,
    0x50,
    0x59,
    1,
    0,
    head.length & 255,
    head.length >> 8,
  ]);
  return new Uint8Array(Buffer.concat([start, head, body]));
}

const open = (files: Record<string, Uint8Array>, options = {}, level: 0 | 6 = 6) =>
  openNpz(inPieces(memoryBytes('a.npz', zipSync(files, { level })), 50), options);

// [[0, 1, 1], [0, 0, 0], [1, 0, 0]]
const csr = {
  'format.npy': vector('|S3', 'csr'),
  'shape.npy': vector('<i4', [3, 3]),
  'data.npy': vector('<f8', [1, 1, 1]),
  'indices.npy': vector('<i4', [2, 1, 0]),
  'indptr.npy': vector('<i4', [0, 2, 2, 3]),
};
const dense = signs([
  [0, 1, 1],
  [0, 0, 0],
  [1, 0, 0],
]);

describe('NPZ', () => {
  test('dense arrays, stored and deflated; one is taken, of several one has to be chosen', async () => {
    const one = await concat(
      encodeNpy(memorySource({ kind: 'bits', n: 2, V: 3, bits: Uint8Array.of(5, 2) })),
    );
    for (const level of [0, 6] as const) {
      expect(await tableOf(await open({ 'x.npy': one }, {}, level))).toEqual(
        signs([
          [1, 0, 1],
          [0, 1, 0],
        ]),
      );
      const two = { 'x.npy': one, 'y.npy': vector('<i4', [1]) };
      await expect(open(two, {}, level)).rejects.toThrow('holds 2 arrays: x, y');
      expect((await open(two, { variable: 'x' }, level)).n).toBe(2);
      await expect(open(two, { variable: 'z' }, level)).rejects.toThrow("no array 'z'");
    }
  });

  test('scipy matrices: csr, csc, coo', async () => {
    expect(await tableOf(await open(csr))).toEqual(dense);
    const csc = {
      ...csr,
      'format.npy': vector('|S3', 'csc'),
      'indices.npy': vector('<i4', [2, 0, 0]),
      'indptr.npy': vector('<i4', [0, 1, 2, 3]),
    };
    expect(await tableOf(await open(csc))).toEqual(dense);
    const coo = {
      ...csr,
      'format.npy': vector('|S3', 'coo'),
      'row.npy': vector('<i4', [2, 0, 0]),
      'col.npy': vector('<i4', [0, 2, 1]),
    };
    expect(await tableOf(await open(coo))).toEqual(dense);
  });

  test('counts need a word, signs make no sense', async () => {
    const counts = { ...csr, 'data.npy': vector('<f8', [1, 7, 1]) };
    await expect(open(counts)).rejects.toThrow('--values presence');
    expect(await tableOf(await open(counts, { values: 'presence' }))).toEqual(dense);
    await expect(open(counts, { values: 'bits' })).rejects.toThrow('row 1, column 2: found 7');
    await expect(open(csr, { values: 'signs' })).rejects.toThrow('leaves out zeros');
  });

  test('indices that do not fit are refused', async () => {
    await expect(open({ ...csr, 'indices.npy': vector('<i4', [2, 3, 0]) })).rejects.toThrow(
      'outside the 3 x 3',
    );
    await expect(open({ ...csr, 'indptr.npy': vector('<i4', [0, 3, 2, 3]) })).rejects.toThrow(
      'must not fall',
    );
    await expect(open({ ...csr, 'indptr.npy': vector('<i4', [0, 3]) })).rejects.toThrow(
      '4 numbers from 0 to 3',
    );
    await expect(open({ ...csr, 'shape.npy': vector('<i4', [3, -3]) })).rejects.toThrow(
      'claims 3 rows of -3',
    );
    const { 'indptr.npy': _, ...without } = csr;
    await expect(open(without)).rejects.toThrow("without 'indptr'");
  });

  test('the limit of memory holds for all arrays of a matrix together', async () => {
    await expect(open(csr, { maxBytes: 40 })).rejects.toThrow('more than the memory that is allowed');
    expect((await open(csr, { maxBytes: 400 })).n).toBe(3);
  });

  test('spreadsheets, and archives of other files, are told what to do', async () => {
    const file = new Uint8Array(3);
    for (const name of ['xl/workbook.xml', 'content.xml']) {
      await expect(open({ [name]: file })).rejects.toThrow(
        'is a spreadsheet, which is not read. Save the sheet as CSV',
      );
    }
    await expect(open({ 'table.csv': file })).rejects.toThrow('without arrays (.npy): unpack it');
  });

  test('a member whose checksum does not fit is refused, however little of it is read', async () => {
    const values = new Uint8Array(5000).fill(1);
    const table = vector('<f8', []);
    const head = new TextEncoder().encode("{'descr': '|b1', 'fortran_order': False, 'shape': (1000, 5), }\n");
    const npy = new Uint8Array(
      Buffer.concat([table.subarray(0, 8), Uint8Array.of(head.length, 0), head, values]),
    );
    for (const [level, place] of [
      [0, 3000],
      [6, 16],
    ] as const) {
      const archive = zipSync({ 'x.npy': npy }, { level });
      // Stored: a bit of the array. Deflated: the checksum itself, in the directory.
      if (level === 0) archive[place] ^= 1;
      else archive[archive.length - 22 - 46 - 'x.npy'.length + place] ^= 1;
      const damaged = memoryBytes('a.npz', archive);
      await expect(openNpz(damaged, {}).then(tableOf)).rejects.toThrow('a.npz[x.npy]: is damaged');
      await expect(openNpz(damaged, { rows: [0] })).rejects.toThrow('a.npz[x.npy]: is damaged');
    }
  });

  test('survives damage', async () => {
    await survivesDamage(zipSync(csr, { level: 0 }), 'x.npz', (bytes) => openNpz(bytes, {}), 500);
    await survivesDamage(zipSync(csr, { level: 9 }), 'x.npz', (bytes) => openNpz(bytes, {}), 500);
  });
});
