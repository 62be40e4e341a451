import { describe, expect, test } from 'vitest';
import { encodeBits, openBits } from '../../src/formats/bits.ts';
import { memoryBytes } from '../../src/formats/bytes.ts';
import { crc32 } from '../../src/formats/crc32.ts';
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
