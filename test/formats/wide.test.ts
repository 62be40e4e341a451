import { describe, expect, test } from 'vitest';
import { openCsv } from '../../src/formats/csv.ts';
import { openBytes } from '../../src/formats/open.ts';
import type { OpenOptions } from '../../src/formats/options.ts';
import { inPieces, signs, spelled, tableOf, text } from './helpers.ts';

const open = (content: string, options: OpenOptions = {}) => openCsv(text('a.csv', content), options);
const two = signs([
  [0, 1, 1],
  [1, 0, 0],
]);
const BARRED = ['k__B|p__F|c', 'k__B|p__A|c', 'b|'];

describe('wide tables', () => {
  test.each([
    ['commas', '0,1,1\n1,0,0\n'],
    ['tabs and line ends of two characters', '0\t1\t1\r\n1\t0\t0\r\n'],
    ['semicolons, no last line end', '0;1;1\n1;0;0'],
    ['bars', '0|1|1\n1|0|0\n'],
    ['spaces', ' 0 1  1\n1 0 0\n'],
    ['bits written together', '011\n100\n'],
    ['blank lines', '0,1,1\n\n1,0,0\n\n'],
    ['words', 'false,TRUE,t\nyes,no,F\n'],
    ['letters and words', 'no,y,yes\nyes,N,n\n'],
    ['signs', '-1,1,1\n1,-1,-1\n'],
    ['a line that says what separates them', 'sep=;\r\n0;1;1\r\n1;0;0\r\n'],
    ['such a line and a byte order mark', '\ufeffsep=|\n0|1|1\n1|0|0\n'],
    ['a byte order mark', '\ufeff0,1,1\n1,0,0\n'],
  ])('%s', async (_, content) => {
    const source = await open(content);
    expect(source).toMatchObject({
      n: 2,
      V: 3,
      columns: undefined,
      ids: undefined,
      schema: { kind: 'bits' },
    });
    expect(await tableOf(source)).toEqual(two);
  });

  test.each([
    ['words', 'a,b,"c ""x"""\n0,1,1\n1,0,0\n', ['a', 'b', 'c "x"'], undefined],
    ['letters that are bits elsewhere', 'y,n,N\n0,1,1\n1,0,0\n', ['y', 'n', 'N'], undefined],
    ['above letters', 'who,a,b,c\nx,n,Y,y\ny,y,N,n\n', ['a', 'b', 'c'], ['x', 'y']],
    ['letters of rows', 'x,0,1,1\nn,1,0,0\n', undefined, ['x', 'n']],
    ['numbers of rows beside letters', '17,n,Y,y\n18,y,N,n\n', undefined, ['17', '18']],
    ['numbers of the columns', '0,1,2\n0,1,1\n1,0,0\n', ['0', '1', '2'], undefined],
    ['numbers of the columns above words', 'id,1,2,3\nx,0,1,1\ny,1,0,0\n', ['1', '2', '3'], ['x', 'y']],
    ['years', 'plot,2001,2002,2003\nx,0,1,1\ny,1,0,0\n', ['2001', '2002', '2003'], ['x', 'y']],
    ['quoted delimiters', '"a, b";c;"d,,,"\n0;1;1\n1;0;0\n', ['a, b', 'c', 'd,,,'], undefined],
    ['bars within names', 'id,k__B|p__F|c,k__B|p__A|c,b|\nr1,0,1,1\nr2,1,0,0\n', BARRED, ['r1', 'r2']],
    ['bars and a quoted comma', '"a, b"|c|d\n0|1|1\n1|0|0\n', ['a, b', 'c', 'd'], undefined],
    ['names of rows', 'x,0,1,1\ny,1,0,0\n', undefined, ['x', 'y']],
    [
      'a line that says what separates them',
      'sep=;\nid;"a";b;c\nx;0;1;1\ny;1;0;0\n',
      ['a', 'b', 'c'],
      ['x', 'y'],
    ],
    ['numbers of rows', '17,0,1,1\n18,1,0,0\n', undefined, ['17', '18']],
    ['both, as pandas writes them', ',a,b,c\n0,0,1,1\n1,1,0,0\n', ['a', 'b', 'c'], ['0', '1']],
    ['quotes and line breaks', '"id","a","b","c"\n"x\ny",0,1,1\nz,"1",0,0\n', ['a', 'b', 'c'], ['x\ny', 'z']],
  ])('names: %s', async (_, content, columns, ids) => {
    for (const piece of [3, 1000]) {
      const source = await openCsv(inPieces(text('a.csv', content), piece), {});
      expect(spelled(source)).toMatchObject({ n: 2, V: 3, columns, ids });
      expect(await tableOf(source)).toEqual(two);
    }
  });

  test.each([
    ['commas and quotes', '"a","b","c"\n"x",0,1,1\n"y",1,0,0\n'],
    ['tabs', 'a\tb\tc\nx\t0\t1\t1\ny\t1\t0\t0\n'],
    ['spaces and quotes', '"a" "b" "c"\n"x" 0 1 1\n"y" 1 0 0\n'],
    ['spaces', 'a b c\nx 0 1 1\ny 1 0 0\n'],
  ])('names as R writes them, none for the names of rows: %s', async (_, content) => {
    const source = await open(content);
    expect(spelled(source)).toMatchObject({ n: 2, V: 3, columns: ['a', 'b', 'c'], ids: ['x', 'y'] });
    expect(source.ids?.heading).toBe('');
    expect(await tableOf(source)).toEqual(two);
  });

  test('names of one column, or above words, as R writes them', async () => {
    expect(spelled(await open('"a"\n"x",1\n"y",0\n'))).toMatchObject({ columns: ['a'], ids: ['x', 'y'] });
    const source = await open('colour,early\nx,red,1\ny,blue,0\n', { categorical: true });
    expect(spelled(source)).toMatchObject({
      columns: ['colour=blue', 'colour=red', 'early'],
      ids: ['x', 'y'],
    });
  });

  test('names that are not as many as the cells of the rows are refused', async () => {
    for (const [names, rows, width] of [
      ['a,b,c,d', '1,0,1\n0,1,1', 3],
      ['a,b', '1,0,1,0\n0,1,1,1', 4],
      ['a,b,c', 'x,1,0,1\ny,0,1', 4],
      ['a,b,c', '1,0,1,\n0,1,1,', 4],
    ] as const) {
      await expect(open(`${names}\n${rows}\n`)).rejects.toThrow(
        `a.csv: the first line names ${names.split(',').length} columns, but row 1 has ${width} cells`,
      );
    }
  });

  test('a row that counts is not lost to names', async () => {
    for (const [content, options] of [
      ['x,0,2,3\ny,4,0,0\n', { values: 'presence' }],
      ['x,0,2,3\ny,4,0,0\n', { valuesIfUnclear: 'presence' }],
      ['x,,1,2\ny,1,0,0\n', { values: 'presence' }],
      ['x,-1,0,1\ny,1,0,0\n', { values: 'signs' }],
      ['sample,0,1\ny,1,0\n', {}],
      ['-1,0,1\n1,0,-1\n', { missing: 0 }],
      ['x,0,1,2\ny,5,0,0\n', { valuesIfUnclear: 'presence', vocabulary: ['a', 'b', 'c'] }],
    ] as const) {
      expect(await open(content, options)).toMatchObject({ n: 2, columns: undefined });
    }
    expect(await open('site,2001,2002\nx,1,0\n')).toMatchObject({ n: 1, columns: ['2001', '2002'] });
  });

  test('a first line of numbers that may be names or counts is an error where somebody said what numbers are', async () => {
    for (const first of ['0,1,2', 'taxon,1,2,3', '3,4,5', 'Genus,2001,2003,2007', '7,8,9']) {
      const content = `${first}\n${first.replaceAll(/\d+/g, '3')}\n${first.replaceAll(/\d+/g, '0')}\n`;
      for (const options of [{ values: 'presence' }, { valuesIfUnclear: 'presence' }] as const) {
        await expect(open(content, options)).rejects.toThrow(/row 1: '.*' may name the columns or be a row/);
        expect(await open(content, { ...options, header: true })).toMatchObject({ n: 2 });
        expect(await open(content, { ...options, header: false })).toMatchObject({ n: 3 });
      }
      // A model knows its names.
      const like = await openBytes(text('a.csv', content), { values: 'presence', header: true });
      expect(await openBytes(text('a.csv', content), { like })).toMatchObject({
        n: 2,
        columns: like.columns,
      });
    }
    for (const first of ['0,1,2,3,4,5,6,7,8', ',0,1,2', 'id,0,1,2'])
      expect(
        await open(`${first}\n${first.replaceAll(/\d+/g, '3')}\n`, { values: 'presence' }),
      ).toMatchObject({ n: 1 });
    // As R writes it, one cell shorter than all others.
    expect(await open('1 2 3\nx 0 5 0\ny 5 5 0\n', { values: 'presence' })).toMatchObject({ n: 2 });
  });

  test('a first line that may be names is an error that says so', async () => {
    const years = 'plot,2001,2005,2007\nx,0,1,1\ny,1,0,0\n';
    await expect(open(years)).rejects.toThrow(
      /row 1: holds 2001 \(in column 2\), above rows of bits. Say --header if/,
    );
    expect(await open(years, { header: true })).toMatchObject({ n: 2, columns: ['2001', '2005', '2007'] });
    await expect(open(years, { header: false })).rejects.toThrow('neither a bit nor a grey level');
    await expect(open('x,a,0\ny,b,1\n')).rejects.toThrow(/row 1, column 2: found 'a'.* Say --header if/);
    await expect(open('x,0,0\ny,b,1\n')).rejects.not.toThrow('--header');
  });

  test('answers in letters in the first column, where they come again', async () => {
    const source = await open('a,b,c\ny,y,n\nn,,n\ny,n,y\n');
    expect(source.columns).toEqual(['a', 'b', 'c']);
    expect(await tableOf(source)).toEqual(
      signs([
        [1, 1, 0],
        [0, null, 0],
        [1, 0, 1],
      ]),
    );
    expect(await tableOf(await open('0,n\n1,y\n', { missing: 'n', layout: 'wide' }))).toEqual(
      signs([
        [0, null],
        [1, 1],
      ]),
    );
    expect(await open('id,smokes\n1,y\n2,n\n3,y\n')).toMatchObject({ n: 3, V: 1, columns: ['smokes'] });
    expect(await open('y,n\nn,y\ny,y\n')).toMatchObject({ n: 3, V: 2, columns: undefined });
    const cough = 'fever,cough\nY,N\nN,N\nN,Y\n';
    await expect(open(cough)).rejects.toThrow('--header or --no-header');
    const like = await open(cough, { header: true });
    expect(like).toMatchObject({ n: 3, columns: ['fever', 'cough'] });
    expect(await openBytes(text('a.csv', cough), { like })).toMatchObject({ n: 3, columns: like.columns });
    // Letters among others are items and names.
    expect(await open('p1,m\np2,n\np1,n\n')).toMatchObject({ n: 2, V: 2, columns: ['m', 'n'] });
  });

  test('missing entries', async () => {
    const source = await open('0,,1\nNA,1,?\n');
    expect(await tableOf(source)).toEqual(
      signs([
        [0, null, 1],
        [null, 1, null],
      ]),
    );
    expect(await tableOf(await open('0,-9,1\n1,1,-9\n', { missing: -9 }))).toEqual(
      signs([
        [0, null, 1],
        [1, 1, null],
      ]),
    );
    expect(await tableOf(await open('0,-,1\n1,1,-\n', { missing: '-' }))).toEqual(
      signs([
        [0, null, 1],
        [1, 1, null],
      ]),
    );
    expect(await tableOf(await open('0, x,1\n1,1, x\n', { missing: 'x' }))).toEqual(
      signs([
        [0, null, 1],
        [1, 1, null],
      ]),
    );
    expect(await tableOf(await open('0,-1,1\n1,1,1\n', { missing: -1 }))).toEqual(
      signs([
        [0, null, 1],
        [1, 1, 1],
      ]),
    );
  });

  test('what cannot be read is named, and the option that helps', async () => {
    await expect(open('a,b,c\n0,1,1\n0,1\n')).rejects.toThrow('row 2: has 2 cells, expected 3');
    await expect(open('a,b,c\n0,1,1\n0,Paris,1\n')).rejects.toThrow("row 2, column 'b': found 'Paris'");
    const lines = 'Id,Q1,Q2\nResponse,Do you?,Have you?\nr1,1,\nr2,0,1\n';
    await expect(open(lines, { header: true })).rejects.toThrow(
      'belongs to the names of the columns, delete it',
    );
    await expect(open('a,b,c\nx,dog,1\ny,0,1\n')).rejects.not.toThrow('delete it');
    await expect(open('0,1,7\n0,1,1\n')).rejects.toThrow('--values bytes');
    await expect(open('0,-1,1\n')).rejects.toThrow('--missing');
    await expect(open('id,a,age\nx,1,57\n')).rejects.toThrow("in column 'age'");
    await expect(open('id,a,zip\nx,1,10115\n')).rejects.toThrow("row 1, column 'zip': 10115");
    await expect(open('id,a,b\nx,1,1e400\n')).rejects.toThrow("row 1, column 'b': Infinity");
    const probable = await open('id,a,b\nx,1,1\ny,1,0.5\n', { values: 'bits' });
    await expect(tableOf(probable)).rejects.toThrow("row 2, column 'b': found 0.5");
    await expect(open('a:b:c\n0:1:0\n')).rejects.toThrow("found 'a:b:c'");
    await expect(open('a:b:c\n0:1:0\n')).rejects.toThrow('--delimiter');
    await expect(open('')).rejects.toThrow('empty');
    await expect(open('a,b,c\n')).rejects.toThrow('no rows');
  });

  test('records, quotes and letters that lie across the pieces of a file', async () => {
    const spoken = Array.from({ length: 3000 }, (_, i) => `é, ${'x'.repeat(i % 97)}\n"${i}"`);
    const content = spoken.map((name, i) => `"${name.replaceAll('"', '""')}",${i % 2},1\r\n`).join('');
    expect(content.length).toBeGreaterThan(2 ** 17);
    const source = await openCsv(inPieces(text('x.csv', content), 99_999), { idColumn: 0 });
    expect(spelled(source)).toMatchObject({ n: 3000, V: 2, ids: spoken });
    expect((await tableOf(source)).map((row) => row[0])).toEqual(spoken.map((_, i) => 2 * (i % 2) - 1));
  });

  test('columns that are not wanted are not read', async () => {
    const content = 'city,a,b,label\nParis,0,1,7\nRome,1,1,3\n';
    const source = await open(content, { columns: 'b,a' });
    expect(spelled(source)).toMatchObject({ columns: ['b', 'a'], ids: ['Paris', 'Rome'] });
    expect(await tableOf(source)).toEqual(
      signs([
        [1, 0],
        [1, 1],
      ]),
    );
    const other = await open(content, { columns: ['a', 'b'], idColumn: 'label', rows: '1' });
    expect(spelled(other)).toMatchObject({ n: 1, ids: ['3'] });
    await expect(open(content, { columns: 'z' })).rejects.toThrow("no column 'z'");
  });

  describe('the column that names the rows', () => {
    const survey =
      'respondent_id,age,city,car,bike\n1000,31,Bonn,yes,no\n1001,31,Prag,no,no\n1002,80,Bonn,no,yes\n';
    const ids = ['1000', '1001', '1002'];

    test('is found beside columns that are not read', async () => {
      for (const heading of ['respondent_id', 'patient id', 'SampleID', 'customerid', 'number']) {
        const content = survey.replace('respondent_id', heading);
        for (const columns of ['all but age,city', 'car,bike']) {
          const source = await open(content, { columns });
          expect(spelled(source)).toMatchObject({ columns: ['car', 'bike'], ids });
          expect(source.ids?.heading).toBe(heading);
        }
      }
    });

    test('is named where another column is in the way', async () => {
      await expect(open(survey, { columns: 'all but city' })).rejects.toThrow("(in column 'age')");
    });

    test('is none where its numbers come twice, or where it is called so but holds bits', async () => {
      const ages = survey.replaceAll(/^\w+,/gm, '');
      expect((await open(ages, { columns: 'car,bike' })).ids).toBeUndefined();
      expect(await open('covid,paid_id,a\n1,0,1\n0,1,1\n')).toMatchObject({ V: 3, ids: undefined });
      expect(await open('paid,a\n2,1\n3,2\n', { values: 'presence' })).toMatchObject({ V: 2 });
    });

    test('may be asked for by its name, which is in the first line then, or by its number, which is not', async () => {
      const words = 'place,kind\nBonn,a\nPrag,b\n';
      await expect(open(words, { idColumn: 'place' })).rejects.toThrow("row 1, column 'kind': found 'a'");
      expect(await open('0,1,1\n1,0,1\n', { idColumn: '0' })).toMatchObject({ n: 2, V: 2 });
    });

    test('is none where numbers that choose columns would mean others then', async () => {
      for (const columns of ['3:', 'all but 0,1,2', '3,bike'])
        expect(await open(survey, { columns })).toMatchObject({ columns: ['car', 'bike'], ids: undefined });
      const plain = '0,100,0,1\n1,101,0,1\n2,102,1,1\n';
      expect(await open(plain, { columns: '2:' })).toMatchObject({ V: 2, ids: undefined });
    });

    test('is left out or read as data where the columns chosen say so', async () => {
      const without = await open(survey, { columns: 'all but respondent_id,age,city' });
      expect(without).toMatchObject({ columns: ['car', 'bike'], ids: undefined });
      const read = await open(survey, { columns: 'respondent_id,car', values: 'presence' });
      expect(read).toMatchObject({ columns: ['respondent_id', 'car'], ids: undefined });
    });
  });

  test('columns without names are told by their numbers in the file', async () => {
    await expect(open('0,1,57\n1,0,60\n', { columns: '1:' })).rejects.toThrow(
      /\(in column 3\).*--columns 'all but 2', which counts columns from 0/,
    );
  });

  test('grey levels, probabilities', async () => {
    expect(await open('0,128\n255,3\n', { values: 'bytes' })).toMatchObject({
      n: 2,
      V: 2,
      schema: { binarize: 'sample' },
    });
    expect(await tableOf(await open('0,0.25\n0.5,1\n'))).toEqual([
      [-1, -0.5],
      [0, 1],
    ]);
  });
});
