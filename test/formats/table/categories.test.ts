import { describe, expect, it } from 'vitest';
import { openBytes } from '../../../src/formats/open.ts';
import type { OpenOptions } from '../../../src/formats/options.ts';
import { collect } from '../../../src/rows/memory.ts';
import { entry } from '../../../src/rows/rows.ts';
import { signs, spelled, tableOf, text as textFile } from '../helpers.ts';

const text = 'name,colour,drink,early\nann,blue,tea,1\nbob,green,,0\ncyd,blue,"milk, hot",\ndee,red,tea,1\n';
const open = (options: OpenOptions = {}, table = text) => openBytes(textFile('people.csv', table), options);

describe('categories', () => {
  it('become a column for each value, unknown where the cell is empty', async () => {
    const source = await open({ categorical: true });
    expect(spelled(source).ids).toEqual(['ann', 'bob', 'cyd', 'dee']);
    expect(source.columns).toEqual([
      'colour=blue',
      'colour=green',
      'colour=red',
      'drink=milk, hot',
      'drink=tea',
      'early',
    ]);
    expect(source.groups).toEqual([
      { name: 'colour', first: 0, values: ['blue', 'green', 'red'] },
      { name: 'drink', first: 3, values: ['milk, hot', 'tea'] },
    ]);
    const rows = await collect(source);
    const row = (i: number) => Array.from({ length: 6 }, (_, v) => entry(rows, i, v));
    expect(row(0)).toEqual([1, -1, -1, -1, 1, 1]);
    expect(row(1)).toEqual([-1, 1, -1, Number.NaN, Number.NaN, -1]);
    expect(row(2)).toEqual([1, -1, -1, 1, -1, Number.NaN]);
  });

  it('take a word that stands for a missing entry with blanks around it too', async () => {
    const table = 'colour,early\nblue,1\n dunno,0\nred,1\nblue,0\n';
    const source = await open({ categorical: true, missing: 'dunno' }, table);
    expect(source.columns).toEqual(['colour=blue', 'colour=red', 'early']);
  });

  it('may be the first column, though no two words in it are the same, where somebody says so', async () => {
    const table = 'colour,sold,new\nblue,1,0\nred,0,1\ntan,1,1\n';
    expect((await open({ categorical: true }, table)).columns).toEqual(['sold', 'new']);
    for (const categorical of ['colour', ['colour']]) {
      const source = await open({ categorical }, table);
      expect(source.columns).toEqual(['colour=blue', 'colour=red', 'colour=tan', 'sold', 'new']);
      expect(source.ids).toBeUndefined();
    }
  });

  it('may be chosen by name, numbers among them, and columns left out', async () => {
    const source = await open({ categorical: 'early', columns: 'early' });
    expect(source.columns).toEqual(['early=0', 'early=1']);
    const some = await open({ categorical: true, columns: 'drink,early' });
    expect(some.columns).toEqual(['drink=milk, hot', 'drink=tea', 'early']);
  });

  it('take their values from a model, and name those it does not know', async () => {
    const like = (values: string[]) => ({
      V: values.length,
      columns: values.map((value) => `colour=${value}`),
      groups: [{ name: 'colour', first: 0, values }],
    });
    expect((await open({ like: like(['blue', 'green', 'red', 'violet']) })).V).toBe(4);
    await expect(open({ like: like(['blue', 'green']) })).rejects.toThrow(
      /row 4, column 'colour': found 'red'.*--ignore-unknown/,
    );
    const ignoring = await open({ like: like(['blue', 'green']), ignoreUnknown: true });
    expect((await tableOf(ignoring)).slice(2)).toEqual(
      signs([
        [1, 0],
        [null, null],
      ]),
    );
  });

  it('are pointed to where words are found unasked', async () => {
    await expect(open()).rejects.toThrow(/--categorical/);
  });

  it('are not numbers that may name the rows', async () => {
    const table = 'person_id,colour,early\n17,blue,1\n18,red,0\n19,blue,0\n';
    await expect(open({ categorical: true }, table)).rejects.toThrow(
      'Use --id-column person_id (it names the rows)',
    );
    const source = await open({ categorical: true, idColumn: 'person_id' }, table);
    expect(spelled(source)).toMatchObject({ V: 3, ids: ['17', '18', '19'] });
    expect((await open({ categorical: 'person_id,colour' }, table)).V).toBe(6);
    expect((await open({ categorical: true, columns: 'all but person_id' }, table)).ids).toBeUndefined();
    expect((await open({ categorical: true, columns: '1:' }, table)).columns).toContain('colour=red');
    await expect(open({ categorical: true, idColumn: 'who' }, table)).rejects.toThrow("no column 'who'");
  });

  it('have a header unless a word of the first line comes again', async () => {
    const table = 'p,x,b\ne,x,w\np,f,w\n';
    expect((await open({ categorical: true }, table)).columns).toEqual([
      '0=e',
      '0=p',
      '1=f',
      '1=x',
      '2=b',
      '2=w',
    ]);
    expect((await open({ categorical: true, header: true }, table)).n).toBe(2);
  });

  it('are not marks', async () => {
    const table = 'colour,oak\nred,x\nblue,\nred,x\n';
    await expect(open({ categorical: true }, table)).rejects.toThrow(
      "Use --ones x --zeros '' (it marks a one",
    );
    const source = await open({ categorical: true, ones: 'x', zeros: '' }, table);
    expect(source.columns).toEqual(['colour=blue', 'colour=red', 'oak']);
    expect((await open({ categorical: 'colour,oak' }, table)).columns).toContain('oak=x');
  });

  it('are not words for bits, unless they are asked for or there are others', async () => {
    const table = 'colour,member,degree\nblue,yes,no\nred,No,yes\nblue,Yes,other\n';
    const source = await open({ categorical: true }, table);
    expect(source.columns).toEqual([
      'colour=blue',
      'colour=red',
      'member',
      'degree=no',
      'degree=other',
      'degree=yes',
    ]);
    expect((await tableOf(source)).map((row) => row[2])).toEqual([1, -1, 1]);
    const like = await open({ categorical: 'member', columns: 'member' }, table);
    expect(like.columns).toEqual(['member=No', 'member=Yes', 'member=yes']);
    expect((await open({ like }, table)).V).toBe(3);
  });

  it('are not what names things', async () => {
    const many = `kind,x\n${Array.from({ length: 2400 }, (_, i) => `thing ${i % 1200},1`).join('\n')}\n`;
    await expect(open({ categorical: true, idColumn: false }, many)).rejects.toThrow(
      /more than 1000 different values. Use --id-column/,
    );
    const names = Array.from({ length: 21 }, (_, i) => `${i % 2},${i + 100}`);
    await expect(open({ categorical: true }, ['x,code', ...names].join('\n'))).rejects.toThrow(
      "column 'code': has a different value in every row. Use --id-column code",
    );
    expect((await open({ categorical: true }, ['x,code', ...names, '1,100'].join('\n'))).V).toBe(22);
  });

  it('are whole numbers beside bits, where nothing else is said about them', async () => {
    const table = 'likes,rating,share\nyes,5,0.5\nno,,0\nyes,2,1\nno,5,1\n';
    const source = await open({ categorical: true }, table);
    expect(source.columns).toEqual(['likes', 'rating=2', 'rating=5', 'share']);
    expect((await open({ categorical: true, values: 'presence' }, table)).V).toBe(3);
    expect((await open({ like: source }, 'likes,rating,share\nno,2,0\n')).V).toBe(4);
    await expect(open({ categorical: true }, 'a,b,c\n2.5,0,1\n3,1,1\n2.5,1,0\n')).rejects.toThrow(
      "column 'a': 2.5",
    );
  });
});
