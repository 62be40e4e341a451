import { describe, expect, test } from 'vitest';
import { encodeBits } from '../../src/formats/bits.ts';
import { memoryBytes } from '../../src/formats/bytes.ts';
import { openBytes } from '../../src/formats/open.ts';
import type { OpenOptions } from '../../src/formats/options.ts';
import { encodeParquet } from '../../src/formats/parquet.ts';
import { collect, memorySource } from '../../src/rows/memory.ts';
import { concat, signs, tableOf, text } from './helpers.ts';

const open = (content: string, options: OpenOptions = {}, name = 'table.csv') =>
  openBytes(text(name, content), options);
const like = await open('milk,tea,beer\n1,0,1\n0,0,1\n');

describe('rows that are opened like others', () => {
  test('have the same columns in the same order, whatever their own', async () => {
    const source = await open('beer,milk,tea\n0,1,1\n1,0,0\n', { like });
    expect(source.columns).toEqual(like.columns);
    expect(await tableOf(source)).toEqual(
      signs([
        [1, 1, 0],
        [0, 0, 1],
      ]),
    );
  });

  test('may have other columns, which need not be bits', async () => {
    const tables = {
      'table.csv': 'age,notes,beer,milk,tea\n31,often,0,1,1\n80,,1,0,0\n',
      'table.jsonl':
        '{"beer":0,"milk":1,"tea":1,"notes":["a","b"]}\n{"beer":1,"milk":0,"tea":0,"age":80,"notes":[]}\n',
    };
    for (const [name, content] of Object.entries(tables)) {
      const source = await open(content, { like }, name);
      expect(source.schema.kind).toBe('bits');
      expect(await tableOf(source)).toEqual(
        signs([
          [1, 1, 0],
          [0, 0, 1],
        ]),
      );
    }
    const numbers = {
      kind: 'real',
      n: 2,
      V: 4,
      values: Float32Array.of(0.3, 1, 0, 1, 0.8, 0, 1, 0),
    } as const;
    const parquet = await concat(
      encodeParquet(memorySource(numbers, { columns: ['age', 'beer', 'tea', 'milk'] }), { values: 'signs' }),
    );
    expect(await tableOf(await openBytes(memoryBytes('t.parquet', parquet), { like }))).toEqual(
      signs([
        [1, 0, 1],
        [0, 1, 0],
      ]),
    );
  });

  test('keep a first column that could name the rows, where the others have it', async () => {
    const narrow = { V: 2, columns: ['name', 'tea'] };
    expect((await open('name,tea\n1,0\n0,1\n', { like: narrow })).ids).toBeUndefined();
  });

  test('are named by the column that named the others, wherever it is', async () => {
    const named = await open('member,milk,tea\nx1,1,0\nx2,0,1\n');
    const content = 'age,tea,member,milk\n31,0,b7,1\n80,0,b8,1\n';
    const source = await open(content, { like: named });
    expect([...source.ids!]).toEqual(['b7', 'b8']);
    expect(await tableOf(source)).toEqual(
      signs([
        [1, 0],
        [1, 0],
      ]),
    );
    expect((await open(content, { like: named, idColumn: false })).ids).toBeUndefined();
    const { columns, V } = named;
    const { ids } = await open(content, { like: { columns, V, schema: named.schema } });
    expect(ids?.heading).toBe('member');
    // Models learned before this was remembered do not say it.
    expect((await open(content, { like: { columns, V } })).ids).toBeUndefined();
    expect((await open('1,0\n0,1\n')).schema.idColumn).toBe(false);
  });

  test('have names beside columns that are not theirs, where they are words or somebody says so', async () => {
    const content = 'customer,age,beer,milk,tea\n1001,31,0,1,1\n1002,31,0,1,1\n1003,80,1,0,0\n';
    expect((await open(content, { like })).ids).toBeUndefined();
    const ids = ['1001', '1002', '1003'];
    expect([...(await open(content, { like, idColumn: 'customer' })).ids!]).toEqual(ids);
    const words = content.replaceAll(/^1/gm, 'c1');
    expect([...(await open(words, { like })).ids!]).toEqual(ids.map((id) => `c${id}`));
  });

  test('are refused where columns are missing, or are not as many', async () => {
    await expect(open('milk,tea,wine\n1,0,1\n', { like })).rejects.toThrow(
      'lacks columns of the training rows: beer',
    );
    const bare = '1,0\n0,1\n';
    await expect(open(bare, { like })).rejects.toThrow(
      'milk, tea, beer. Use --no-header if its first line is a row',
    );
    await expect(open(bare, { like, header: false })).rejects.toThrow(
      'has 2 columns; the training rows have 3',
    );
  });

  test('are found by name in a table without the columns that the selection left out', async () => {
    const table = 'a,b,c,d\n0,1,x,1\n1,0,y,1\n0,1,z,0\n';
    for (const columns of ['all but c', 'a,b,d', '0,1,3']) {
      const like = await open(table, { columns });
      const expected = await tableOf(like);
      expect(await tableOf(await open(table, { like }))).toEqual(expected);
      expect(await tableOf(await open('d,a,b\n1,0,1\n1,1,0\n0,0,1\n', { like }))).toEqual(expected);
      const more = 'e,d,a,b\nq,1,0,1\nr,1,1,0\nq,0,0,1\n';
      expect(await tableOf(await open(more, { like }))).toEqual(expected);
      await expect(open('a,b\n0,1\n', { like })).rejects.toThrow('lacks columns of the training rows: d');
      // Without names, the selection is all that tells them.
      const bare = '0,1,x,1\n1,0,y,1\n0,1,z,0\n';
      if (columns === '0,1,3')
        expect(await tableOf(await open(bare, { like, header: false }))).toEqual(expected);
    }
  });

  test('are refused where a column is there twice, unless somebody says which is meant', async () => {
    const twice = 'beer,milk,tea,milk\n1,1,0,0\n0,1,1,0\n';
    await expect(open(twice, { like })).rejects.toThrow("has more than one column 'milk'");
    expect(await tableOf(await open(twice, { like, columns: '0:3' }))).toEqual(
      signs([
        [1, 0, 1],
        [1, 1, 0],
      ]),
    );
    // Others may be there as often as they like.
    expect(await open('beer,milk,tea,x,x\n1,1,0,7,8\n', { like })).toMatchObject({ n: 1, V: 3 });
    const twins = await open('a,a\n1,0\n');
    expect(await tableOf(await open('a,a\n0,1\n', { like: twins }))).toEqual([[-1, 1]]);
    const answers = 'q,q,q\nx,0,1\ny,1,2\nx,1,3\n';
    const both = await open(answers, { categorical: true });
    expect(await tableOf(await open(answers, { like: both }))).toEqual(await tableOf(both));
    const people = await open('colour,early\nblue,1\nred,0\nred,0\n', { categorical: true });
    await expect(open('colour,early,colour\nblue,1,red\n', { like: people })).rejects.toThrow("'colour'");
    const bits = { n: 1, V: 2, columns: ['a', 'b'] };
    const file = await concat(
      encodeBits(
        memorySource({ kind: 'bits', n: 1, V: 3, bits: Uint8Array.of(3) }, { columns: ['b', 'a', 'a'] }),
      ),
    );
    await expect(openBytes(memoryBytes('t.bits', file), { like: bits })).rejects.toThrow("'a'");
  });

  test('are told which columns are missing, whatever else the table holds', async () => {
    const words = 'person,age,milk,tea\nann,31,1,0\nann,80,0,1\n';
    await expect(open(words, { like })).rejects.toThrow('lacks columns of the training rows: beer');
    const none = 'city,age,street\nBonn,31,Ring\nBonn,80,Weg\n';
    await expect(open(none, { like })).rejects.toThrow('training rows: milk, tea, beer');
    const people = await open('colour,drink,early\nblue,tea,1\nred,milk,0\nred,tea,0\n', {
      categorical: true,
    });
    const lacks = 'person,drink\np1,tea\n';
    await expect(open(lacks, { like: people })).rejects.toThrow('training rows: colour, early');
    // Bits of categories, as they are written, are all there; one without the others is not.
    const bits = 'colour=blue,colour=red,early,drink\n1,0,1,tea\n';
    expect(await tableOf(await open(bits, { like: people }))).toEqual([[1, -1, -1, 1, 1]]);
    await expect(open('colour=blue,early,drink\n1,1,tea\n', { like: people })).rejects.toThrow(
      'training rows: colour',
    );
  });

  test('have the same categories, found in a table with other words too', async () => {
    const people = await open('colour,early\nblue,1\nred,0\nblue,0\n', { categorical: true });
    const source = await open('city,early,colour\nBonn,1,red\nPrag,0,blue\nBonn,0,red\n', { like: people });
    expect(source.columns).toEqual(['colour=blue', 'colour=red', 'early']);
    expect(source.groups).toEqual(people.groups);
    expect((await tableOf(source))[0]).toEqual([-1, 1, 1]);
    // All words differ, as names of rows would: they are a category all the same.
    const few = await open('colour,early\nblue,1\nred,0\n', { like: people });
    expect(few.ids).toBeUndefined();
    expect((await collect(few)).n).toBe(2);
  });

  test('have their numbers read alike, unless the options say how', async () => {
    const bytes = await open('0,255,17\n3,80,2\n', { values: 'bytes', binarize: 'threshold' });
    const unclear = '2,0,3\n1,1,2\n';
    await expect(open(unclear)).rejects.toThrow('whole numbers up to 3');
    expect(await open(unclear, { like: bytes })).toMatchObject({
      schema: { values: 'bytes', binarize: 'threshold' },
    });
    const sampled = {
      V: 3,
      schema: { values: 'bytes', binarize: 'sample', seed: 7, kind: 'bits' },
    } as const;
    expect(await open(unclear, { like: sampled })).toMatchObject({ schema: { binarize: 'sample', seed: 7 } });
    expect(await open(unclear, { like: sampled, binarize: 'none' })).toMatchObject({
      schema: { kind: 'real' },
    });
    // Bits among grey levels would be black.
    await expect(open('0,1,1\n1,1,0\n', { like: sampled })).rejects.toThrow('use --values bits');
    expect(await open('0,1,1\n1,1,0\n', { like: sampled, values: 'bits' })).toMatchObject({ V: 3 });
  });
});
