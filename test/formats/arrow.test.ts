import {
  bool,
  CompressionType,
  float32,
  getCompressionCodec,
  int32,
  list,
  setCompressionCodec,
  tableFromArrays,
  tableToIPC,
  utf8,
} from '@uwdata/flechette';
import { describe, expect, test } from 'vitest';
import { openArrow } from '../../src/formats/arrow.ts';
import { memoryBytes } from '../../src/formats/bytes.ts';
import { signs, spelled, survivesDamage, tableOf } from './helpers.ts';
import { packLz4, packZstd } from './pack.ts';

type Types = NonNullable<Parameters<typeof tableFromArrays>[1]>['types'];
function ipc(arrays: Record<string, unknown[]>, types: Types, format: 'file' | 'stream'): Uint8Array {
  return tableToIPC(tableFromArrays(arrays, { types }), { format })!.slice();
}

const wide = { id: ['x', 'y'], a: [true, false], b: [1, null], c: [0, 1] };
const types = { id: utf8(), a: bool(), b: int32(), c: float32() };

describe('Arrow', () => {
  test('columns of bits, as file and as stream', async () => {
    for (const format of ['file', 'stream'] as const) {
      const source = await openArrow(memoryBytes('a', ipc(wide, types, format)), {});
      expect(spelled(source)).toMatchObject({
        n: 2,
        V: 3,
        columns: ['a', 'b', 'c'],
        ids: ['x', 'y'],
        schema: { kind: 'bits' },
      });
      expect(await tableOf(source)).toEqual(
        signs([
          [1, 1, 0],
          [0, null, 1],
        ]),
      );
    }
  });

  test('lists of items and of numbers', async () => {
    const items = ipc({ codes: [[3, 5], [], [5]] }, { codes: list(int32()) }, 'file');
    const source = await openArrow(memoryBytes('a', items), {});
    expect(source.columns).toEqual(['3', '5']);
    expect(await tableOf(source)).toEqual(
      signs([
        [1, 1],
        [0, 0],
        [0, 1],
      ]),
    );
    const rows = ipc(
      {
        x: [
          [0, 0.5],
          [1, 0],
        ],
      },
      { x: list(float32()) },
      'file',
    );
    expect(await tableOf(await openArrow(memoryBytes('a', rows), {}))).toEqual([
      [-1, 0],
      [1, -1],
    ]);
  });

  const many = Array.from({ length: 5000 }, (_, i) => i % 7 === 0);
  const compressed = (type: 0 | 1, pack: (bytes: Uint8Array) => Uint8Array) => {
    setCompressionCodec(type, { encode: pack, decode: (bytes) => bytes });
    const arrays = { a: many, b: many.map(() => true), c: many.map(() => 0) };
    const table = tableFromArrays(arrays, { types: { a: bool(), b: bool(), c: float32() } });
    const file = tableToIPC(table, { format: 'file', codec: type })!.slice();
    setCompressionCodec(type, undefined as never);
    return file;
  };
  const packings = [
    ['LZ4', CompressionType.LZ4_FRAME, packLz4],
    ['zstd', CompressionType.ZSTD, packZstd],
  ] as const;

  test.each(packings)('compressed with %s', async (_, type, pack) => {
    const file = compressed(type, pack);
    const source = await openArrow(memoryBytes('x.feather', file), {});
    expect(source).toMatchObject({ n: 5000, V: 3, schema: { kind: 'bits' } });
    expect(await tableOf(source)).toEqual(signs(many.map((bit) => [Number(bit), 1, 0])));
    expect(getCompressionCodec(type)).toBeNull();
    await survivesDamage(file, 'x.arrow', (bytes) => openArrow(bytes, {}), 200);
  });

  test.each(packings)('what %s unpacks to is limited', async (_, type, pack) => {
    const file = compressed(type, pack);
    await expect(openArrow(memoryBytes('x', file), { maxBytes: file.length + 100 })).rejects.toThrow(
      /^x: .*unpacks to more than the/,
    );
    // A length that so few bytes cannot unpack to.
    const claim = new DataView(file.buffer);
    for (let at = 0; at + 8 < file.length; at += 8)
      if (claim.getBigInt64(at, true) === 20_000n) claim.setBigInt64(at, 2n ** 31n, true);
    await expect(openArrow(memoryBytes('x', file), {})).rejects.toThrow('claim to unpack to 2147483648');
  });

  test('survives damage', async () => {
    for (const format of ['file', 'stream'] as const) {
      await survivesDamage(ipc(wide, types, format), 'x.arrow', (bytes) => openArrow(bytes, {}), 1000);
    }
  });
});
