import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryBytes } from '../../src/formats/bytes.ts';
import { encodeNpy, openNpy } from '../../src/formats/npy.ts';
import { openBytes } from '../../src/formats/open.ts';
import { memorySource } from '../../src/rows/memory.ts';
import { holds } from '../property.ts';
import { concat, signs, survivesDamage, tableOf, text } from './helpers.ts';

/** An NPY file as numpy writes it. */
function npy(
  descr: string,
  shape: readonly number[],
  data: ArrayLike<number>,
  fortran = 'False',
): Uint8Array {
  const size = Number(descr.slice(2));
  const head = `{'descr': '${descr}', 'fortran_order': ${fortran}, 'shape': (${shape.join(', ')},), }\n`;
  const bytes = new Uint8Array(10 + head.length + data.length * size);
  const view = new DataView(bytes.buffer);
  bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0]);
  view.setUint16(8, head.length, true);
  bytes.set(new TextEncoder().encode(head), 10);
  const little = descr[0] !== '>';
  Array.from(data).forEach((x, k) => {
    const at = 10 + head.length + k * size;
    if (descr.endsWith('f4')) view.setFloat32(at, x, little);
    else if (descr.endsWith('f8')) view.setFloat64(at, x, little);
    else if (size === 2) view.setUint16(at, x, little);
    else if (size === 4) view.setInt32(at, x, little);
    else if (size === 8) view.setBigInt64(at, BigInt(x), little);
    else view.setInt8(at, x);
  });
  return bytes;
}

const open = (bytes: Uint8Array, options = {}) => openNpy(memoryBytes('a.npy', bytes), options);

describe('NPY', () => {
  test.each(['|b1', '|u1', '|i1', '<i2', '>i2', '<i4', '>i4', '<i8', '>u8', '<f4', '>f4', '<f8', '>f8'])(
    'reads bits stored as %s',
    async (descr) => {
      const source = await open(npy(descr, [2, 3], [0, 1, 1, 1, 0, 0]));
      expect(source).toMatchObject({ n: 2, V: 3, schema: { values: 'bits', kind: 'bits' } });
      expect(await tableOf(source)).toEqual(
        signs([
          [0, 1, 1],
          [1, 0, 0],
        ]),
      );
    },
  );

  test('reads half precision', async () => {
    const source = await open(npy('<f2', [1, 4], [0x3800, 0x3c00, 0x0001, 0x7e00]));
    const [row] = await tableOf(source);
    expect(row.slice(0, 2)).toEqual([0, 1]);
    expect(row[2]).toBeCloseTo(2 * 2 ** -24 - 1, 7);
    expect(row[3]).toBeNaN();
  });

  test('signs, missing entries and Fortran order', async () => {
    const source = await open(npy('<f4', [2, 3], [-1, 1, 1, Number.NaN, 1, -1], 'True'));
    expect(source).toMatchObject({ schema: { values: 'signs', kind: 'bits' } });
    expect(await tableOf(source)).toEqual(
      signs([
        [0, 1, 1],
        [1, null, 0],
      ]),
    );
  });

  test('Fortran order with more dimensions', async () => {
    // element (i, j, k) of a 2 x 2 x 2 array is stored at i + 2 j + 4 k
    const source = await open(npy('<f4', [2, 2, 2], [0, 1, 0, 1, 1, 0, 0, 1], 'True'));
    expect(await tableOf(source)).toEqual(
      signs([
        [0, 1, 0, 0],
        [1, 0, 1, 1],
      ]),
    );
  });

  test('bytes in two dimensions are ambiguous, and the error says what to do', async () => {
    const bytes = npy('|u1', [1, 2], [0b10100000, 3]);
    await expect(open(bytes)).rejects.toThrow('--values packed');
    const packed = await open(bytes, { values: 'packed' });
    expect(packed).toMatchObject({ V: 16, schema: { values: 'packed', kind: 'bits' } });
    expect(await tableOf(packed)).toEqual(signs([[1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]]));
    expect(await open(bytes, { values: 'bytes' })).toMatchObject({ V: 2, schema: { binarize: 'sample' } });
    expect(await open(npy('|u1', [1, 1, 2], [9, 3]))).toMatchObject({
      schema: { values: 'bytes' },
      image: { height: 1, width: 2 },
    });
  });

  test('columns that are left out may hold anything', async () => {
    const bytes = npy('<f4', [2, 4], [0, 1, 1, 57, 1, 0, 0, -8]);
    const hint = "--columns 'all but 3', which counts columns from 0";
    await expect(open(bytes)).rejects.toThrow('row 2, column 4: -8 is neither');
    await expect(open(bytes)).rejects.toThrow(hint);
    const source = await open(bytes, { columns: 'all but 3' });
    expect(source).toMatchObject({ n: 2, V: 3, schema: { values: 'bits', kind: 'bits' } });
    expect(await tableOf(source)).toEqual(
      signs([
        [0, 1, 1],
        [1, 0, 0],
      ]),
    );
    const turned = await open(bytes, { columns: '2,0', values: 'bits', rows: '1' });
    expect(await tableOf(turned)).toEqual(signs([[0, 1]]));
    // Messages and advice count the columns of the file, not the chosen ones.
    await expect(open(bytes, { columns: '2:' })).rejects.toThrow('row 2, column 4: -8');
    await expect(open(bytes, { columns: '2:' })).rejects.toThrow(hint);
    const late = open(bytes, { columns: '2:', values: 'bits' }).then(tableOf);
    await expect(late).rejects.toThrow('row 1, column 4: found 57');
  });

  test('what is drawn for an entry does not depend on which columns are chosen', async () => {
    const grey = Array.from({ length: 400 }, (_, k) => (37 * k) % 256);
    for (const shape of [
      [20, 20],
      [20, 4, 5],
    ]) {
      const bytes = npy('|u1', shape, grey);
      const all = await tableOf(await open(bytes, { values: 'bytes' }));
      const some = await tableOf(await open(bytes, { values: 'bytes', columns: '15:,3' }));
      expect(some).toEqual(all.map((row) => [...row.slice(15), row[3]]));
    }
  });

  test('a picture is grey as a whole, whatever part of it is chosen', async () => {
    const bytes = npy('|u1', [2, 1, 3], [0, 1, 200, 1, 0, 90]);
    expect(await open(bytes, { columns: '0:2' })).toMatchObject({
      V: 2,
      image: undefined,
      schema: { values: 'bytes' },
    });
  });

  test('refuses what is not a table of numbers', async () => {
    await expect(open(npy('<f4', [3], [1, 0, 1]))).rejects.toThrow('one dimension; rows need two or more');
    await expect(open(npy('|O8', [1, 1], [1]))).rejects.toThrow("'|O8'");
    await expect(open(npy('<f4', [2, 9_000_000], [1]))).rejects.toThrow('claims 2 x 9000000');
    await expect(open(npy('<f4', [0, 4], []))).rejects.toThrow('empty');
    await expect(open(new Uint8Array(3))).rejects.toThrow('not an NPY');
  });

  test('what is written is read again', async () => {
    await holds(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 20 }),
        fc.boolean(),
        async (n, V, packed) => {
          const rows = await open(
            npy(
              '|b1',
              [n, V],
              Array.from({ length: n * V }, (_, k) => ((k * k * 7 + k) % 3) & 1),
            ),
          );
          const written = await concat(encodeNpy(rows, { packed }));
          expect((written.length - n * (packed ? Math.ceil(V / 8) : V)) % 64).toBe(0);
          const again = await open(written, packed ? { values: 'packed', columns: `0:${V}` } : {});
          expect(await tableOf(again)).toEqual(await tableOf(rows));
        },
      ),
      { numRuns: 40, seed: 5 },
    );
    const values = Float32Array.from([-0.5, 0.25, Number.NaN, 1]);
    const real = memorySource({ kind: 'real', n: 2, V: 2, values });
    const again = await open(await concat(encodeNpy(real)), { values: 'signs' });
    expect(await tableOf(again)).toEqual([
      [-0.5, 0.25],
      [Number.NaN, 1],
    ]);
    const unit = await open(await concat(encodeNpy(real, { values: 'unit' })));
    expect(await tableOf(unit)).toEqual([
      [-0.5, 0.25],
      [Number.NaN, 1],
    ]);
  });

  test('missing entries that come late need to be announced', async () => {
    const lines = Array.from({ length: 1100 }, (_, i) => (i === 1030 ? ',1' : `${i & 1},1`));
    const source = await openBytes(text('a.csv', `${lines.join('\n')}\n`), {});
    await expect(concat(encodeNpy(source))).rejects.toThrow('row 1031, column 1: only bits can be written');
    const written = await open(await concat(encodeNpy(source, { masked: true })));
    expect(await tableOf(written)).toEqual(await tableOf(source));
  });

  test('survives damage', async () => {
    await survivesDamage(npy('<f4', [2, 3], [0, 1, 1, 1, 0, 0]), 'x.npy', (bytes) => openNpy(bytes, {}), 500);
    await survivesDamage(npy('|u1', [3, 2], [1, 1, 0, 1, 0, 0], 'True'), 'x.npy', (bytes) =>
      openNpy(bytes, {}),
    );
  });
});
