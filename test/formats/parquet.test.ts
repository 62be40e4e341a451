import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, test } from 'vitest';
import { memoryBytes } from '../../src/formats/bytes.ts';
import { encodeParquet, openParquet } from '../../src/formats/parquet.ts';
import { memorySource } from '../../src/rows/memory.ts';
import { concat, inPieces, signs, spelled, survivesDamage, tableOf } from './helpers.ts';

type Columns = Parameters<typeof parquetWriteBuffer>[0]['columnData'];
const file = (columnData: Columns) => new Uint8Array(parquetWriteBuffer({ columnData, rowGroupSize: 2 }));
const open = (columns: Columns, options = {}) =>
  openParquet(inPieces(memoryBytes('a', file(columns)), 99), options);

const wide: Columns = [
  { name: 'id', data: ['x', 'y', 'z'], type: 'STRING' },
  { name: 'a', data: [true, false, true], type: 'BOOLEAN' },
  { name: 'b', data: [1, null, 0], type: 'INT32' },
  { name: 'c', data: [0n, 1n, 1n], type: 'INT64' },
  { name: 'd', data: [0, 1, 0], type: 'DOUBLE' },
];

const listFile = new Uint8Array(
  parquetWriteBuffer({
    columnData: [{ name: 'codes', data: [[3, 5], [], null, [40, 5]] }],
    schema: [
      { name: 'root', num_children: 1 },
      { name: 'codes', repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      { name: 'element', repetition_type: 'OPTIONAL', type: 'INT32' },
    ],
  }),
);

describe('Parquet', () => {
  test('columns of bits of several types, with names, over several row groups', async () => {
    const source = await open(wide);
    expect(spelled(source)).toMatchObject({
      n: 3,
      V: 4,
      columns: ['a', 'b', 'c', 'd'],
      ids: ['x', 'y', 'z'],
      schema: { kind: 'bits' },
    });
    expect(await tableOf(source)).toEqual(
      signs([
        [1, 1, 0, 0],
        [0, null, 1, 1],
        [1, 0, 1, 0],
      ]),
    );
  });

  test('two columns of rows and items', async () => {
    const pairs: Columns = [
      { name: 'patient', data: [7, 7, 8], type: 'INT32' },
      { name: 'code', data: ['E11', 'I10', 'I10'], type: 'STRING' },
    ];
    await expect(open(pairs)).rejects.toThrow('--layout long');
    const source = await open(pairs, { layout: 'long' });
    expect(spelled(source)).toMatchObject({ n: 2, columns: ['E11', 'I10'], ids: ['7', '8'] });
    expect(await tableOf(source)).toEqual(
      signs([
        [1, 1],
        [0, 1],
      ]),
    );
  });

  test('lists in JSON columns: items, or rows of numbers', async () => {
    const items = await open([{ name: 'words', data: [['tea'], ['milk', 'tea'], []], type: 'JSON' }]);
    expect(items.columns).toEqual(['milk', 'tea']);
    expect(await tableOf(items)).toEqual(
      signs([
        [0, 1],
        [1, 1],
        [0, 0],
      ]),
    );
    const rows = await open([
      {
        name: 'bits',
        data: [
          [0, 1, 1],
          [1, 0, 0],
        ],
        type: 'JSON',
      },
    ]);
    expect(await tableOf(rows)).toEqual(
      signs([
        [0, 1, 1],
        [1, 0, 0],
      ]),
    );
  });

  test('columns of lists', async () => {
    const source = await openParquet(memoryBytes('a', listFile), {});
    expect(source).toMatchObject({ n: 4, V: 3, columns: ['3', '5', '40'] });
    expect(await tableOf(source)).toEqual(
      signs([
        [1, 1, 0],
        [0, 0, 0],
        [0, 0, 0],
        [0, 1, 1],
      ]),
    );
  });

  test('what is written is read again', async () => {
    const rows = {
      kind: 'bits',
      n: 3,
      V: 3,
      bits: Uint8Array.of(5, 2, 7),
      known: Uint8Array.of(7, 6, 7),
    } as const;
    const source = memorySource(rows, { columns: ['p', 'q', 'r'], ids: ['1', '2', '3'] });
    const again = await openParquet(memoryBytes('a', await concat(encodeParquet(source))), {});
    expect(spelled(again)).toMatchObject({ columns: source.columns, ids: source.ids });
    expect(await tableOf(again)).toEqual(await tableOf(source));
    const many = memorySource({
      kind: 'real',
      n: 2500,
      V: 2,
      values: Float32Array.from({ length: 5000 }, (_, k) => (k % 5) / 4),
    });
    const written = await concat(encodeParquet({ ...many, chunks: () => many.chunks(1000) }));
    const back = await openParquet(memoryBytes('a', written), { values: 'signs' });
    expect(back).toMatchObject({ n: 2500, columns: ['v0', 'v1'] });
    expect(await tableOf(back)).toEqual(await tableOf(many));
  });

  test('a few bytes that stand for very many values are refused by what they would take', async () => {
    const data = new Array<boolean>(200_000).fill(true);
    const small = new Uint8Array(parquetWriteBuffer({ columnData: [{ name: 'a', data, type: 'BOOLEAN' }] }));
    expect(small.length).toBeLessThan(40_000);
    await expect(openParquet(memoryBytes('a', small), { maxBytes: 2 ** 20 })).rejects.toThrow(
      /^a: a row group of \d+ rows takes \d+ bytes, more than the limit of 1048576/,
    );
  });

  test('a description that claims lists within lists is refused before anything is made of it', async () => {
    // Lists of 2^24 lists, 20 deep: each would be allocated before the next is read.
    const lists = new Array(20).fill([0xf9, 0x80, 0x80, 0x80, 0x08]).flat();
    const footer = Uint8Array.of(0x19, ...lists, 0);
    const letters = new TextEncoder().encode('PAR1');
    const length = new Uint8Array(Uint32Array.of(footer.length).buffer);
    const damaged = new Uint8Array(Buffer.concat([letters, footer, length, letters]));
    await expect(openParquet(memoryBytes('a', damaged), {})).rejects.toThrow(
      'a: cannot be read as a Parquet file (a description lists 16777216 entries)',
    );
  });

  test('survives damage', async () => {
    await survivesDamage(file(wide), 'x.parquet', (bytes) => openParquet(bytes, {}), 1000);
    const lists = file([{ name: 'words', data: [['tea'], ['milk', 'tea'], []], type: 'JSON' }]);
    await survivesDamage(listFile, 'x.parquet', (bytes) => openParquet(bytes, {}), 500);
    await survivesDamage(lists, 'x.parquet', (bytes) => openParquet(bytes, {}), 300);
  });
});
