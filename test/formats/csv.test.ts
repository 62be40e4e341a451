import { describe, expect, test } from 'vitest';
import { memoryBytes } from '../../src/formats/bytes.ts';
import { encodeCsv, openCsv } from '../../src/formats/csv.ts';
import { gunzip } from '../../src/formats/gzip.ts';
import { openBytes } from '../../src/formats/open.ts';
import { howRead, type OpenOptions } from '../../src/formats/options.ts';
import { memorySource } from '../../src/rows/memory.ts';
import { concat, gzipped, inPieces, signs, spelled, survivesDamage, tableOf, text } from './helpers.ts';

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
    expect(source).toMatchObject({ n: 2, V: 3, columns: undefined, ids: undefined, kind: 'bits' });
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
      const like = await open(content, { values: 'presence', header: true });
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
      binarize: 'sample',
    });
    expect(await tableOf(await open('0,0.25\n0.5,1\n'))).toEqual([
      [-1, -0.5],
      [0, 1],
    ]);
  });
});

describe('long tables', () => {
  const pairs = 'patient,code\np2,E11\np1,I10\np2,I10\np2,I10\n';

  test('a row without an item is a row', async () => {
    const source = await open('p1,I10\np2,\np3,E11\n', { layout: 'long', header: false });
    expect(spelled(source)).toMatchObject({ ids: ['p1', 'p2', 'p3'], columns: ['E11', 'I10'] });
  });

  test('pairs become rows in order of appearance and columns in order of name', async () => {
    const source = await open(pairs);
    expect(spelled(source)).toMatchObject({ n: 2, V: 2, ids: ['p2', 'p1'], columns: ['E11', 'I10'] });
    expect(await tableOf(source)).toEqual(
      signs([
        [1, 1],
        [0, 1],
      ]),
    );
  });

  test.each(['patient,code', 'Basket,ITEM', 'customer_id,ProductID', 'order id, species', 'id,tag'])(
    'the first line %j names the columns',
    async (names) => {
      expect(spelled(await open(`${names}\np2,E11\np1,I10\n`))).toMatchObject({ n: 2, ids: ['p2', 'p1'] });
      // Unless its words come again.
      expect(await open(`${names}\np2,E11\np1,${names.split(',')[1]}\n`)).toMatchObject({ n: 3 });
    },
  );

  test.each([
    ['a basket of its own', 'b0,caviar\nb1,milk\nb1,bread\nb2,milk\nb2,bread\n'],
    ['a row that comes again late', `anna,apple\n${'bob,pear\ncyd,plum\n'.repeat(600)}anna,pear\n`],
    ['a name of columns beside another word', 'item,caviar\nb1,milk\nb1,bread\nb2,milk\n'],
    ['a word that ends like one', 'orchid,site\nfern,wood\nmoss,wood\nfern,rock\n'],
  ])('%s is not lost to a guess', async (_, content) => {
    await expect(open(content)).rejects.toThrow('say --header or --no-header');
    expect(await open(content, { header: false })).toMatchObject({ n: 3, V: 3 });
  });

  test('a model knows which words are items', async () => {
    const odd = 'who,what\np2,E11\np1,I10\n';
    const vocabulary = ['I10', 'E11'];
    await expect(open(odd)).rejects.toThrow('say --header or --no-header');
    await expect(open('who,what\n')).rejects.toThrow();
    await expect(open('user_id\n', { layout: 'long' })).rejects.toThrow('no rows');
    expect(await open(odd, { vocabulary })).toMatchObject({ n: 2 });
    expect(await open('p2,E11\np1,I10\n', { vocabulary })).toMatchObject({ n: 2 });
    await expect(open(`${odd}p3,Z00\n`, { vocabulary })).rejects.toThrow('--header');
    await expect(open(odd, { vocabulary, ignoreUnknown: true })).rejects.toThrow('--header');
  });

  test('without names of columns, where a word comes again', async () => {
    expect(spelled(await open('p2,E11\np1,I10\np2,I10\n'))).toMatchObject({ n: 2, V: 2, ids: ['p2', 'p1'] });
    expect(await open('user,item\n7,12\n8,5\n')).toMatchObject({ n: 2, V: 2, columns: ['5', '12'] });
  });

  test('numbers of items are ordered as numbers', async () => {
    expect((await open('1,10\n1,9\n2,100\n')).columns).toEqual(['9', '10', '100']);
  });

  test('a vocabulary fixes the columns', async () => {
    const source = await open(pairs, { header: true, vocabulary: ['I10', 'Z00', 'E11'] });
    expect(await tableOf(source)).toEqual(
      signs([
        [1, 0, 1],
        [1, 0, 0],
      ]),
    );
    await expect(open(pairs, { header: true, vocabulary: ['I10'] })).rejects.toThrow(
      "item 'E11' is not among the 1 known ones; --ignore-unknown leaves such out",
    );
    const known = await open(pairs, { vocabulary: ['Z00', 'I10'], ignoreUnknown: true });
    expect(spelled(known)).toMatchObject({ ids: ['p2', 'p1'], columns: ['Z00', 'I10'] });
    expect(await tableOf(known)).toEqual(
      signs([
        [0, 1],
        [0, 1],
      ]),
    );
  });

  test('a third column holds values', async () => {
    const counted = 'u,i,count\na,x,3\nb,y,1\n';
    await expect(open(counted, { layout: 'long' })).rejects.toThrow(
      "such as 3 (in column 'x'). Say --values presence",
    );
    await expect(open(counted, { layout: 'long', values: 'unit' })).rejects.toThrow(
      "row 1, column 'x': found 3",
    );
    const source = await open(counted, { layout: 'long', values: 'presence' });
    expect(await tableOf(source)).toEqual(
      signs([
        [1, 0],
        [0, 1],
      ]),
    );
  });

  test('a third column may be left out of lines', async () => {
    const source = await open('u,i,share\n1,x\n2,y,0.5\n', { layout: 'long' });
    expect(await tableOf(source)).toEqual([
      [1, -1],
      [-1, 0],
    ]);
  });

  describe('of more columns', () => {
    const orders = 'date,order_id,product,qty,store\n1 May,7,tea,2,x\n1 May,7,milk,1,x\n2 May,8,tea,1,y\n';
    const layout = 'long';

    test('are read by the names of the row and the item', async () => {
      const source = await open(orders, { layout, idColumn: 'order_id', columns: 'product' });
      expect(spelled(source)).toMatchObject({ ids: ['7', '8'], columns: ['milk', 'tea'] });
      expect(source.ids?.heading).toBe('order_id');
      expect(await tableOf(source)).toEqual(
        signs([
          [1, 1],
          [0, 1],
        ]),
      );
      const stores = await open(orders, { layout, columns: 'order_id', idColumn: 'store' });
      expect(spelled(stores)).toMatchObject({ ids: ['x', 'y'], columns: ['7', '8'] });
      // Names above words are names if one of them is asked for.
      const words = 'shop,kind,thing\nx,a,tea\ny,b,tea\n';
      const things = await open(words, { layout, idColumn: 'shop', columns: ['thing'] });
      expect(spelled(things)).toMatchObject({ n: 2, ids: ['x', 'y'], columns: ['tea'] });
    });

    test('are read by their numbers, with names above them or without', async () => {
      const options = { layout, idColumn: '1', columns: '2' } as const;
      const read = { n: 2, ids: ['7', '8'], columns: ['milk', 'tea'] };
      const bare = orders.slice(orders.indexOf('\n') + 1);
      for (const header of [undefined, false]) {
        const source = await open(bare, { ...options, header });
        expect(spelled(source)).toMatchObject(read);
        expect(source.ids?.heading).toBeUndefined();
      }
      for (const header of [undefined, true]) {
        const source = await open(orders, { ...options, header });
        expect(spelled(source)).toMatchObject(read);
        expect(source.ids?.heading).toBe('order_id');
      }
      expect(await open(bare, { ...options, columns: '2,3', values: 'presence' })).toMatchObject({ n: 2 });
      // Three columns, without a number in the last.
      const three = '1,Mon,tea\n1,Mon,milk\n2,Tue,tea\n';
      expect(await open(three, { layout, idColumn: 0, columns: [2] })).toMatchObject({ n: 2, V: 2 });
      // Only the cells that are read tell whether the first line is a row.
      const words = 'Mon,x,tea\nMon,y,milk\nTue,x,milk\n';
      expect(await open(words, options)).toMatchObject({ n: 2, V: 2 });
      expect(await open(words.replace('x', 'order'), { ...options, columns: '0' })).toMatchObject({ n: 3 });
      await expect(open(words.replace('x', 'z'), options)).rejects.toThrow('--header or --no-header');
      await expect(open(bare, { layout, idColumn: '1', columns: 'product' })).rejects.toThrow("'product'");
    });

    test('are read by names in quotes', async () => {
      const quoted = orders.replace('product', '"product, name"');
      const source = await open(quoted, { layout, idColumn: 'order_id', columns: '"product, name"' });
      expect(source.columns).toEqual(['milk', 'tea']);
    });

    test('have values if a third one is named', async () => {
      const options = { layout, idColumn: 'order_id', columns: 'product,qty' } as const;
      await expect(open(orders, options)).rejects.toThrow("such as 2 (in column 'tea')");
      expect(await open(orders, { ...options, values: 'presence' })).toMatchObject({ n: 2, V: 2 });
    });

    test('are refused where nobody says which to read', async () => {
      await expect(open(orders, { layout })).rejects.toThrow(/has 5 cells.*--id-column ROW --columns ITEM/);
      await expect(open(`${orders}x,y\n`, { layout, columns: 'store' })).rejects.toThrow(
        'row 4: has 2 cells, expected 5',
      );
    });

    test('may have one that counts the lines, as R and pandas write it', async () => {
      for (const head of ['"basket" "item"', '"" "basket" "item"']) {
        const source = await open(`${head}\n"1" "b1" "tea"\n"2" "b1" "milk"\n"3" "b2" "tea"\n`, { layout });
        expect(spelled(source)).toMatchObject({ ids: ['b1', 'b2'], columns: ['milk', 'tea'] });
      }
      const values = await open(',species,share\ns1,moss,0.5\ns2,fern,1\n', { layout });
      expect(spelled(values)).toMatchObject({ ids: ['s1', 's2'], columns: ['fern', 'moss'] });
    });

    test('still choose among their items', async () => {
      const source = await open('basket,item\nx,tea\nx,milk\ny,item\n', { layout, columns: 'milk,tea' });
      expect(source.columns).toEqual(['milk', 'tea']);
    });

    test('are pointed to where words are found', async () => {
      for (const content of [
        'basket,item,qty\n1,tea,2\n1,milk,1\n',
        'site,species,count\nx,oak,4\nx,fir,0\n',
      ]) {
        await expect(open(content)).rejects.toThrow('one of its items, say --layout long. Otherwise leave');
        await expect(open(content, { vocabulary: ['tea', 'fir'], width: 2 })).rejects.toThrow(
          /lacks columns.*--layout long/,
        );
      }
      const ratings = 'userId,movieId,rating,timestamp\n1,101,2.5,9647\n1,100,1.5,9648\n2,101,4,9649\n';
      await expect(open(ratings)).rejects.toThrow(/^a.csv, row 1, .* --layout long with --id-column and/);
      const counts = 'site_id,oak,fir,yew\n1,3,0,2\n1,0,0,5\n';
      await expect(open(counts)).rejects.not.toThrow('--layout long');
      await expect(open(orders)).rejects.toThrow('--layout long with --id-column and --columns');
      const survey = 'city,colour,car,bike\nBonn,red,1,0\nBonn,blue,0,0\n';
      await expect(open(survey)).rejects.not.toThrow('--layout long');
    });
  });

  test('two columns of bits are wide, unless told otherwise', async () => {
    expect((await open('0,1\n1,1\n')).V).toBe(2);
    expect(await tableOf(await open('0,1\n1,1\n2,0\n', { layout: 'long' }))).toEqual(
      signs([
        [0, 1],
        [0, 1],
        [1, 0],
      ]),
    );
  });
});

describe('lines that list items', () => {
  const layout = 'items';
  const three = signs([
    [0, 1, 0, 1],
    [0, 0, 0, 1],
    [1, 1, 1, 0],
  ]);

  test.each([
    ['commas', 'milk,tea\ntea\nbeer,milk,"oak, red"\n', ['beer', 'milk', 'oak, red', 'tea']],
    ['spaces', '11 31\n31\n7 11 30\n', ['7', '11', '30', '31']],
    [
      'semicolons, items twice and empty cells',
      'milk;tea;tea\ntea\nbeer;milk;;oak\n',
      ['beer', 'milk', 'oak', 'tea'],
    ],
  ])('%s', async (_, content, columns) => {
    const source = await open(content, { layout });
    expect(source).toMatchObject({ n: 3, V: 4, columns, ids: undefined });
    expect(await tableOf(source)).toEqual(three);
  });

  test('may begin with a single item', async () => {
    expect((await open('tea\nmilk tea\n', { layout })).columns).toEqual(['milk', 'tea']);
  });

  test('may begin with names of rows, and a line that is none', async () => {
    const content = 'who,what\nann,tea\nbob,milk,tea\n';
    const source = await open(content, { layout, idColumn: '0', header: true });
    expect(spelled(source)).toMatchObject({ n: 2, V: 2, ids: ['ann', 'bob'], columns: ['milk', 'tea'] });
    for (const idColumn of [2, 'who'])
      await expect(open(content, { layout, idColumn })).rejects.toThrow('--id-column 0');
  });

  test('have the items of a model', async () => {
    const vocabulary = ['tea', 'milk'];
    await expect(open('milk,beer\n', { layout, vocabulary })).rejects.toThrow("item 'beer' is not among");
    const source = await open('milk,beer\n', { layout, vocabulary, ignoreUnknown: true });
    expect(await tableOf(source)).toEqual([[-1, 1]]);
  });

  test('are known by a model that learned from such', async () => {
    const baskets = 'milk,tea\ntea\nbeer,milk,oak\n';
    const { V, columns, ...read } = await open(baskets, { layout });
    const like = { V, columns, reading: howRead(read) };
    expect(like.reading).toMatchObject({ layout });
    const again = (content: string, options: OpenOptions = {}) =>
      openBytes(text('a.csv', content), { like, ...options });
    expect(await tableOf(await again(baskets))).toEqual(three);
    const two = 'milk,tea\ntea,oak\nmilk,beer\n';
    await expect(again(two)).rejects.toThrow(/'milk' in the first is an item .* say --layout items/);
    expect(await again(two, { layout })).toMatchObject({ n: 3, ids: undefined });
    expect(await again('b1,tea\nb1,oak\nb2,beer\n')).toMatchObject({ n: 2, V: 4 });
    expect(await again('tea,oak,milk,beer\n0,1,1,1\n')).toMatchObject({ n: 1, V: 4 });
    const arrays = openBytes(text('a.jsonl', '["milk","tea"]\n["tea","oak"]\n'), { like });
    await expect(arrays).rejects.toThrow('--layout items');
  });

  test.each(['milk,tea\ntea\nbeer,milk,oak\n', 'tea\nmilk,tea\nbeer,milk,oak\n', '1 2 3\n4\n2 3\n'])(
    '%j is told of them',
    async (content) => {
      await expect(open(content)).rejects.toThrow(/cells, where.*say --layout items/);
    },
  );

  test('survive damage', async () => {
    const bytes = new TextEncoder().encode('milk,tea\ntea\nbeer,milk,"oak, red"\n');
    await survivesDamage(bytes, 'x.csv', (b) => openCsv(b, { layout }), 500);
  });
});

describe('CSV', () => {
  test('compressed', async () => {
    const bytes = gunzip(memoryBytes('a.csv.gz', gzipped(new TextEncoder().encode('0,1,1\n1,0,0\n'))));
    expect(await tableOf(await openCsv(bytes, {}))).toEqual(two);
  });

  test('chunks of any size', async () => {
    const source = await open('0,1,1\n1,0,0\n'.repeat(10));
    const sizes: number[] = [];
    for await (const chunk of source.chunks(8)) sizes.push(chunk.n);
    expect(sizes).toEqual([8, 8, 4]);
  });

  test('other encodings than UTF-8 are refused, with what to do', async () => {
    const latin1 = Uint8Array.from('id,a,gr\xf6\xdfe\nx,0,1\n', (letter) => letter.charCodeAt(0));
    await expect(openCsv(memoryBytes('a.csv', latin1), {})).rejects.toThrow(
      "a.csv: is not text in UTF-8 (near 'id,a,größe'). Save it as UTF-8",
    );
    const cut = new TextEncoder().encode('a,é').subarray(0, 3);
    await expect(openCsv(memoryBytes('a.csv', cut), {})).rejects.toThrow('(it ends within a letter)');
  });

  test('what is written is read again', async () => {
    const bits = Uint8Array.from([1, 6, 7]);
    const known = Uint8Array.from([7, 5, 7]);
    const names = { columns: ['a', 'b,c', '"d"'], ids: ['x', 'y;', 'z'] };
    const source = memorySource({ kind: 'bits', n: 3, V: 3, bits, known }, names);
    const again = await openCsv(memoryBytes('a', await concat(encodeCsv(source))), {});
    expect(spelled(again)).toMatchObject(names);
    expect(await tableOf(again)).toEqual(await tableOf(source));
    const values = Float32Array.from([0.1, -0.3, 1 / 3, -1]);
    const real = memorySource({ kind: 'real', n: 2, V: 2, values });
    const written = await concat(encodeCsv(real, { delimiter: '\t' }));
    expect(new TextDecoder().decode(written)).toBe('0.100000001\t-0.300000012\n0.333333343\t-1\n');
    expect((await tableOf(await openCsv(memoryBytes('a', written), { values: 'signs' }))).flat()).toEqual([
      ...values,
    ]);
  });

  test('survives damage', async () => {
    const bytes = (content: string) => new TextEncoder().encode(content);
    await survivesDamage(bytes('id,a,"b"\nx,0,1\n"y",1,0\n'), 'x.csv', (b) => openCsv(b, {}), 500);
    await survivesDamage(bytes('u,i,n\np2,E11,1\n'), 'x.csv', (b) => openCsv(b, { layout: 'long' }), 500);
    await survivesDamage(bytes('a,b\nx,0,1\ny,1,0\n'), 'x.csv', (b) => openCsv(b, {}), 500);
    await survivesDamage(bytes('p2,E11\np1,I10\np2,I10\n'), 'x.csv', (b) => openCsv(b, {}), 500);
  });
});
