import { describe, expect, test } from 'vitest';
import { encodeBits, openBits } from '../../src/formats/bits.ts';
import { memoryBytes } from '../../src/formats/bytes.ts';
import { crc32 } from '../../src/formats/crc32.ts';
import { FormatError } from '../../src/rows/errors.ts';
import { memorySource } from '../../src/rows/memory.ts';
import { concat, inPieces, signs, spelled, survivesDamage, tableOf } from './helpers.ts';

const rows = { kind: 'bits', n: 3, V: 10, bits: Uint8Array.from([1, 2, 128, 1, 255, 3]) } as const;
const masked = { ...rows, known: Uint8Array.from([255, 3, 254, 3, 255, 1]) } as const;

describe('.bits', () => {
  test('has the documented layout', async () => {
    const file = await concat(encodeBits(memorySource(rows)));
    expect(new TextDecoder().decode(file.subarray(0, 8))).toBe('PCAEBITS');
    expect(Array.from(file.subarray(8, 36))).toEqual([
      1, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ]);
    expect(Array.from(file.subarray(40, 46))).toEqual(Array.from(rows.bits));
    expect(new DataView(file.buffer).getUint32(46, true)).toBe(crc32(rows.bits));
    expect(file.length).toBe(50);
  });

  test('keeps bits, missing entries and names', async () => {
    const names = { columns: Array.from('abcdefghiß'), ids: ['x', 'y', 'z'], image: { height: 2, width: 5 } };
    for (const source of [memorySource(rows, names), memorySource(masked, names)]) {
      const file = await concat(encodeBits(source, { masked: true }));
      const again = await openBits(inPieces(memoryBytes('a', file), 7), {});
      expect(spelled(again)).toMatchObject({ n: 3, V: 10, ...names });
      expect(await tableOf(again)).toEqual(await tableOf(source));
    }
    await expect(concat(encodeBits(memorySource(masked)))).rejects.toThrow('is missing');
  });

  test('keeps the names of many rows, with and without others', async () => {
    const n = 10_000;
    const ids = Array.from({ length: n }, (_, i) => `"row" ${i} ß`);
    for (const columns of [undefined, ['a', 'b', 'c']]) {
      const source = memorySource({ kind: 'bits', n, V: 3, bits: new Uint8Array(n) }, { ids, columns });
      const again = await openBits(memoryBytes('a', await concat(encodeBits(source))), {});
      expect(spelled(again)).toMatchObject({ n, ids });
      expect(again.columns).toEqual(columns);
    }
  });

  test('real values that are bits fit, others do not', async () => {
    const values = Float32Array.from([1, -1, -1, 1]);
    const file = await concat(encodeBits(memorySource({ kind: 'real', n: 2, V: 2, values })));
    expect(await tableOf(await openBits(memoryBytes('a', file), {}))).toEqual(
      signs([
        [1, 0],
        [0, 1],
      ]),
    );
    const grey = memorySource({ kind: 'real', n: 1, V: 2, values: Float32Array.from([1, 0.5]) });
    await expect(concat(encodeBits(grey))).rejects.toThrow('row 1, column 2');
  });

  /** The file of the rows with these names, whatever they are, and checksums that fit. */
  const withNames = async (names: unknown) => {
    const file = await concat(encodeBits(memorySource(rows)));
    const json = new TextEncoder().encode(JSON.stringify(names));
    const named = new Uint8Array(Buffer.concat([file.subarray(0, 40), json, file.subarray(40)]));
    const view = new DataView(named.buffer);
    view.setUint32(32, json.length, true);
    view.setUint32(36, crc32(json, crc32(named.subarray(0, 36))), true);
    return memoryBytes('a.bits', named);
  };

  test.each([
    [{ columns: ['a'] }, '1 column names were given for 10 columns'],
    [{ ids: ['x', 'y', 'z', 'z'] }, '4 row names were given for 3 rows'],
    [{ columns: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] }, 'columns, 0'],
    [{ columns: { length: 10 } }, 'columns'],
    [{ ids: 'xyz' }, 'ids'],
    [{ image: { height: 2, width: 6 } }, '2 x 6 pictures have 12 entries, not 10'],
    [{ image: { height: -2, width: -5 } }, 'image, height'],
    [null, 'the names are not as they should be'],
    ['names', 'the names are not as they should be'],
  ])('names that do not fit are refused: %j', async (names, message) => {
    const opening = openBits(await withNames(names), {});
    await expect(opening).rejects.toThrow(FormatError);
    await expect(opening).rejects.toThrow(`a.bits, byte 40: `);
    await expect(opening).rejects.toThrow(message);
  });

  test('names that do not fit are not written', async () => {
    const source = { ...memorySource(rows), columns: ['a', 'b'] };
    await expect(concat(encodeBits(source))).rejects.toThrow('2 column names were given for 10 columns');
  });

  test('every changed byte is noticed', async () => {
    const file = await concat(encodeBits(memorySource(masked, { ids: ['x', 'y', 'z'] }), { masked: true }));
    for (let k = 0; k < file.length; k++) {
      const damaged = file.slice();
      damaged[k] ^= 16;
      const read = async () => tableOf(await openBits(memoryBytes('damaged', damaged), {}));
      await expect(read(), `byte ${k}`).rejects.toThrow('damaged');
    }
  });

  test('survives damage', async () => {
    const file = await concat(encodeBits(memorySource(rows)));
    await survivesDamage(file, 'x.bits', (bytes) => openBits(bytes, {}), 500);
  });
});
