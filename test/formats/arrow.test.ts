import {
  bool,
  CompressionType,
  float32,
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
        kind: 'bits',
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

  test('what is compressed is refused with advice', async () => {
    setCompressionCodec(CompressionType.LZ4_FRAME, {
      encode: (bytes) => bytes.slice(0, -1),
      decode: (bytes) => bytes,
    });
    const table = tableFromArrays({ a: [true, false] }, { types: { a: bool() } });
    const file = tableToIPC(table, { format: 'file', codec: CompressionType.LZ4_FRAME })!.slice();
    setCompressionCodec(CompressionType.LZ4_FRAME, undefined as never);
    await expect(openArrow(memoryBytes('x.feather', file), {})).rejects.toThrow(
      /^x\.feather: is compressed with LZ4_FRAME.*Parquet.*uncompressed/,
    );
  });

  test('survives damage', async () => {
    for (const format of ['file', 'stream'] as const) {
      await survivesDamage(ipc(wide, types, format), 'x.arrow', (bytes) => openArrow(bytes, {}), 1000);
    }
  });
});
