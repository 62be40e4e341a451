import {
  type Batch,
  batchType,
  bool,
  Column,
  CompressionType,
  columnFromArray,
  decimal128,
  dictionary,
  fixedSizeList,
  float16,
  float32,
  float64,
  int8,
  int16,
  int32,
  int64,
  largeList,
  largeUtf8,
  list,
  map,
  nullType,
  setCompressionCodec,
  struct,
  tableFromArrays,
  tableFromColumns,
  tableFromIPC,
  tableToIPC,
  uint8,
  uint16,
  uint32,
  utf8,
  utf8View,
} from '@uwdata/flechette';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arrowRecords, openArrow } from '../../src/formats/arrow.ts';
import { memoryBytes } from '../../src/formats/bytes.ts';
import { holds } from '../property.ts';
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

  test('values of every type are those of the library that wrote them', async () => {
    const column = <T>(value: fc.Arbitrary<T>, type: unknown) =>
      fc.tuple(fc.array(fc.option(value, { freq: 5 }), { minLength: 4, maxLength: 4 }), fc.constant(type));
    const whole = (bits: number) => fc.integer({ min: -(2 ** (bits - 1)), max: 2 ** (bits - 1) - 1 });
    const safe = fc.maxSafeInteger();
    const words = dictionary(utf8());
    const word = fc.string({ unit: 'grapheme' });
    const columns = fc.array(
      fc.oneof(
        ...[int8(), int16(), int32()].map((type, k) => column(whole(8 << k), type)),
        ...[uint8(), uint16(), uint32()].map((type, k) =>
          column(fc.nat(2 ** Math.min(31, 8 << k) - 1), type),
        ),
        column(safe, int64()),
        column(fc.integer({ min: -2048, max: 2048 }), float16()),
        column(fc.float({ noNaN: true }), float32()),
        column(fc.double({ noNaN: true }), float64()),
        column(fc.boolean(), bool()),
        column(word, utf8()),
        column(word, largeUtf8()),
        column(fc.constantFrom('a', 'b', 'ß'), words),
        column(fc.constant(null), nullType()),
        column(fc.integer({ min: -9999, max: 9999 }), decimal128(12, 3)),
        column(fc.array(fc.option(whole(32))), list(int32())),
        column(fc.array(word), largeList(utf8())),
        column(
          fc.array(fc.double({ noNaN: true }), { minLength: 3, maxLength: 3 }),
          fixedSizeList(float64(), 3),
        ),
        column(fc.array(fc.array(whole(8))), list(list(int8()))),
      ),
      { minLength: 1, maxLength: 5 },
    );
    await holds(
      fc.asyncProperty(
        columns,
        fc.constantFrom('file' as const, 'stream' as const),
        async (given, format) => {
          // The library cannot read two dictionaries of one type that it wrote.
          fc.pre(given.filter(([, type]) => type === words).length < 2);
          const arrays = Object.fromEntries(given.map(([values], k) => [`c${k}`, values]));
          const types = Object.fromEntries(given.map(([, type], k) => [`c${k}`, type])) as Types;
          const file = ipc(arrays, types, format);
          const table = tableFromIPC(file);
          const { columns, batches } = await arrowRecords(memoryBytes('a', file), {});
          expect(columns).toEqual(table.names);
          const rows: unknown[][] = [];
          for await (const part of batches()) rows.push(...part.map((cells) => Array.from(cells)));
          const plain = (value: unknown): unknown =>
            ArrayBuffer.isView(value) || Array.isArray(value)
              ? Array.from(value as unknown as ArrayLike<unknown>, plain)
              : value;
          const expected = Array.from({ length: 4 }, (_, i) =>
            table.children.map((child) => plain(child.at(i))),
          );
          expect(rows).toEqual(expected);
        },
      ),
      { seed: 5, numRuns: 200 },
    );
  });

  test('texts in views, short ones in place and long ones in a buffer of their own', async () => {
    const texts = ['short', 'a text that is longer than twelve', 'another of that kind'];
    const letters = new TextEncoder().encode(texts.slice(1).join(''));
    const values = new Uint8Array(16 * texts.length);
    const view = new DataView(values.buffer);
    texts.forEach((text, i) => {
      view.setInt32(16 * i, text.length, true);
      values.set(new TextEncoder().encode(text.length > 12 ? text.slice(0, 4) : text), 16 * i + 4);
      if (i > 0) view.setInt32(16 * i + 12, i === 1 ? 0 : texts[1].length, true);
    });
    const type = utf8View();
    const parts = { length: 3, nullCount: 0, type, validity: new Uint8Array(0), values, data: [letters] };
    const Views = batchType(type) as unknown as new (from: typeof parts) => Batch<string>;
    const column = new Column([new Views(parts)]);
    const file = tableToIPC(tableFromColumns({ id: column, a: columnFromArray([true, false, true]) }), {
      format: 'file',
    })!.slice();
    const source = await openArrow(memoryBytes('a', file), {});
    expect(spelled(source)).toMatchObject({ ids: texts, columns: ['a'] });
    view.setInt32(16 + 12, 1000, true);
    const damaged = tableToIPC(tableFromColumns({ id: column, a: columnFromArray([true, false, true]) }), {
      format: 'file',
    })!.slice();
    await expect(openArrow(memoryBytes('a', damaged), {})).rejects.toThrow('row 2 goes beyond its buffer');
  });

  test('columns of other types stand beside those that are read', async () => {
    const file = ipc(
      { s: [{ a: 1 }, { a: 2 }], m: [new Map([['k', 1]]), null], a: [0, 1], b: [1, 1] },
      { s: struct({ a: int32() }), m: map(utf8(), int32()), a: int8(), b: int8() },
      'file',
    );
    const source = await openArrow(memoryBytes('a', file), { columns: ['a', 'b'] }).catch(() => undefined);
    const { batches } = await arrowRecords(memoryBytes('a', file), {});
    for await (const part of batches())
      expect(part.map((row) => [row[2], row[3]])).toEqual([
        [0, 1],
        [1, 1],
      ]);
    if (source)
      expect(await tableOf(source)).toEqual(
        signs([
          [0, 1],
          [1, 1],
        ]),
      );
  });

  /** Where a column of lists says how many values its lists are made of, and where its second list ends. */
  const lists = ipc({ codes: [[3, 5], [7, 9], [11]] }, { codes: list(int32()) }, 'file');

  test('a length is believed only with the bytes for it: lists of a billion values that are not there', async () => {
    const view = new DataView(lists.buffer.slice(lists.byteOffset, lists.byteOffset + lists.length));
    let [lengths, ends] = [0, 0];
    for (let at = 0; at + 16 <= view.byteLength; at += 8) {
      // The node of the values: a length of 5 and no nulls. The offsets: 0, 2, 4, 5.
      if (view.getBigInt64(at, true) === 5n && view.getBigInt64(at + 8, true) === 0n) {
        view.setBigInt64(at, 2n ** 30n, true);
        lengths++;
      }
      if (
        view.getInt32(at, true) === 0 &&
        view.getInt32(at + 4, true) === 2 &&
        view.getInt32(at + 12, true) === 5
      ) {
        view.setInt32(at + 12, 2 ** 30, true);
        ends++;
      }
    }
    expect([lengths, ends]).toEqual([1, 1]);
    const file = memoryBytes('x.arrow', new Uint8Array(view.buffer));
    await expect(openArrow(file, {})).rejects.toThrow(/^x.arrow: .*where values need 4294967296/);
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
