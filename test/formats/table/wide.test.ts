import { describe, expect, test } from 'vitest';
import { openBytes } from '../../../src/formats/open.ts';
import type { OpenOptions } from '../../../src/formats/options.ts';
import { inPieces, signs, spelled, tableOf, text } from '../helpers.ts';

const open = (content: string, options: OpenOptions = {}) => openBytes(text('a.csv', content), options);
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
    ['words', 'false,TRUE,true\nyes,no,FALSE\n'],
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
    ['above words', 'who,a,b,c\nx,no,Yes,yes\ny,yes,No,no\n', ['a', 'b', 'c'], ['x', 'y']],
    ['letters of rows', 'x,0,1,1\nn,1,0,0\n', undefined, ['x', 'n']],
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
    ['both, as R writes them', '"","a","b","c"\n"x",0,1,1\n"y",1,0,0\n', ['a', 'b', 'c'], ['x', 'y']],
    ['quotes and line breaks', '"id","a","b","c"\n"x\ny",0,1,1\nz,"1",0,0\n', ['a', 'b', 'c'], ['x\ny', 'z']],
  ])('names: %s', async (_, content, columns, ids) => {
    for (const piece of [3, 1000]) {
      const source = await openBytes(inPieces(text('a.csv', content), piece), {});
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

  test.each([
    ['numbers of the columns', '0,1,2\n0,1,1\n1,0,0\n', {}, 'header', ['0', '1', '2']],
    ['years above names of rows', 'plot,2001,2005\nx,0,1\ny,1,0\n', {}, 'header', ['2001', '2005']],
    ['words for bits above numbers', 'yes,no,No\n0,1,1\n1,0,0\n', {}, 'header', ['yes', 'no', 'No']],
    ['numbers that rise', '1,2,3\n4,0,1\n5,0,0\n', { values: 'presence' }, 'header', ['1', '2', '3']],
  ] as const)('a first line that may be names or a row is asked about: %s', async (...row) => {
    const [, content, options, , columns] = row;
    await expect(open(content, options)).rejects.toThrow(
      /may name the columns or be a row. Use --header \(it names the columns\)(, --values presence| or --no-header)/,
    );
    const like = await open(content, { ...options, header: true });
    expect(like).toMatchObject({ n: 2, columns });
    // A model knows its names.
    expect(await open(content, { like })).toMatchObject({ n: 2, columns });
  });

  test('a row of bits is not lost to names', async () => {
    expect(await open('sample,0,1\ny,1,0\n')).toMatchObject({ n: 2, columns: undefined });
    expect(await open('-1,0,1\n1,0,-1\n', { missing: 0 })).toMatchObject({ n: 2, columns: undefined });
    expect(await open('1,2,3\n4,0,1\n', { values: 'presence', header: false })).toMatchObject({ n: 2 });
  });

  test('answers in letters are said, as other words for bits are', async () => {
    const votes = 'a,b,c\ny,y,n\nn,,n\nY,n,y\n';
    await expect(open(votes)).rejects.toThrow(
      '--header --ones y --zeros n (the column is a bit with these words)',
    );
    const source = await open(votes, { header: true, ones: 'y', zeros: 'n' });
    expect(source.columns).toEqual(['a', 'b', 'c']);
    expect(await tableOf(source)).toEqual(
      signs([
        [1, 1, 0],
        [0, null, 0],
        [1, 0, 1],
      ]),
    );
    expect(await tableOf(await open(votes, { like: source }))).toEqual(await tableOf(source));
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
    await expect(open('a,b,c\n0,1,1\n0,1\n')).rejects.toThrow('row 2: has 2 cells, and row 1 has 3');
    const late = `a,b,c\n${'0,1,1\n'.repeat(1200)}`;
    await expect(open(`${late}0,1\n`)).rejects.toThrow('row 1201: has 2 cells, expected 3');
    await expect(open(`${late}0,Paris,1\n`)).rejects.toThrow(
      "row 1201, column 'b': found 'Paris', which is not a bit",
    );
    await expect(open('0,1,7\n0,1,1\n')).rejects.toThrow('--values bytes');
    await expect(open('0,-1,1\n')).rejects.toThrow('--missing');
    await expect(open('id,a,age\nx,1,57\n')).rejects.toThrow("in column 'age'");
    await expect(open('id,a,zip\nx,1,10115\n')).rejects.toThrow("row 1, column 'zip': 10115");
    await expect(open('id,a,b\nx,1,1e400\n')).rejects.toThrow("row 1, column 'b': Infinity");
    const probable = await open('id,a,b\nx,1,1\ny,1,0.5\n', { values: 'bits' });
    await expect(tableOf(probable)).rejects.toThrow("row 2, column 'b': found 0.5");
    await expect(open('a:b:c\n0:1:0\n')).rejects.toThrow("found 'a:b:c', which is not a bit");
    await expect(open('a:b:c\n0:1:0\n')).rejects.toThrow('--delimiter');
    await expect(open('')).rejects.toThrow('empty');
    await expect(open('a,b,c\n')).rejects.toThrow('no rows');
  });

  test('records, quotes and letters that lie across the pieces of a file', async () => {
    const spoken = Array.from({ length: 3000 }, (_, i) => `é, ${'x'.repeat(i % 97)}\n"${i}"`);
    const content = spoken.map((name, i) => `"${name.replaceAll('"', '""')}",${i % 2},1\r\n`).join('');
    expect(content.length).toBeGreaterThan(2 ** 17);
    const source = await openBytes(inPieces(text('x.csv', content), 99_999), { idColumn: 0 });
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
    const survey = 'id,age,city,car,bike\n1000,31,Bonn,yes,no\n1001,31,Prag,no,no\n1002,80,Bonn,no,yes\n';

    test('is concluded where it holds words, no two the same, beside columns that are not read', async () => {
      const words = survey.replaceAll(/^1/gm, 'r1');
      for (const columns of ['all but age,city', 'car,bike', '3:', 'all but 1,2'])
        expect(spelled(await open(words, { columns }))).toMatchObject({
          columns: ['car', 'bike'],
          ids: ['r1000', 'r1001', 'r1002'],
          schema: { idColumn: 'id' },
        });
    });

    test('is said otherwise', async () => {
      expect((await open(survey, { columns: 'car,bike' })).ids).toBeUndefined();
      const named = await open(survey, { columns: 'all but age,city', idColumn: 'id' });
      expect(spelled(named)).toMatchObject({ columns: ['car', 'bike'], ids: ['1000', '1001', '1002'] });
      expect(await open('0,1,1\n1,0,1\n', { idColumn: '0' })).toMatchObject({ n: 2, V: 2 });
      await expect(open(survey, { idColumn: 'who' })).rejects.toThrow("no column 'who' to name the rows");
    });

    test('is none where the columns chosen take it or leave it out', async () => {
      const words = 'place,a\nBonn,1\nPrag,0\n';
      for (const columns of ['all but place', 'all but 0', 'a'])
        expect(await open(words, { columns })).toMatchObject({ columns: ['a'] });
      expect((await open(words, { columns: 'all but place' })).ids).toBeUndefined();
      await expect(open(words, { columns: 'place,a' })).rejects.toThrow("column 'place': found 'Bonn'");
    });

    test('is asked about where whole numbers stand beside bits, or where it has no name', async () => {
      await expect(open('id,a\n1,0\n2,1\n3,1\n')).rejects.toThrow(
        "column 'id': holds whole numbers other than 0 and 1, beside columns of bits. Use --id-column id (it names the rows), " +
          "--columns 'all but id' (leave the column out) or --no-id-column (it is data)",
      );
      await expect(open(',a\n0,0\n1,1\n')).rejects.toThrow(
        "column 1: has no name. Use --id-column 0 (it names the rows), --columns 'all but 0'",
      );
      expect(spelled(await open(',a\n0,0\n1,1\n', { idColumn: 0 }))).toMatchObject({ V: 1, ids: ['0', '1'] });
      expect(await open(',a\n0,0\n1,1\n', { idColumn: false })).toMatchObject({ V: 2, ids: undefined });
    });
  });

  describe('tables that used to be read in silence, and otherwise than a person would', () => {
    test('a number that is not a bit does not make a long table', async () => {
      await expect(open('x,y\n0,1\n1,0\n1,2\n0,0\n')).rejects.toThrow(
        /up to 2 \(in column 'y'\).*--categorical.*--values presence.*--layout long if each line names a row and one of its items/,
      );
    });

    test('nor does a word', async () => {
      const flags = /column 'b': found 'x'.* Use --layout long \(.*--categorical \(.*--missing x \(/;
      await expect(open('a,b\n0,1\n1,x\n')).rejects.toThrow(flags);
      const answers =
        /row 2, column 'b': found 'maybe'.* Use --layout long \(.*--categorical \(.*--missing maybe/;
      await expect(open('a,b\nyes,no\nno,maybe\n')).rejects.toThrow(answers);
    });

    test('ratings are told that the table may be long: the first of three columns comes again', async () => {
      const ratings = 'user,film,rating\n1,31,2.5\n1,29,3.0\n2,31,4.0\n';
      await expect(open(ratings)).rejects.toThrow(
        /--layout long if each line names a row and one of its items\.$/,
      );
      const measured = 'person,age,height\n1,31,1.5\n2,29,1.8\n3,31,1.7\n';
      await expect(open(measured)).rejects.not.toThrow('--layout long');
    });

    test('bits are data, whatever their column is called', async () => {
      const source = await open('key,mouse,screen\n0,1,1\n1,0,0\n1,1,0\n');
      expect(source).toMatchObject({ n: 3, V: 3, columns: ['key', 'mouse', 'screen'], ids: undefined });
    });

    test('numbers that come twice name no rows', async () => {
      const ages = open('age,a,b\n45,0,1\n33,1,1\n45,0,0\n');
      await expect(ages).rejects.toThrow(
        /up to 45 \(in column 'age'\).*--categorical\).*--values presence.*--columns 'all but age'/,
      );
      await expect(ages).rejects.not.toThrow('--id-column');
    });

    test('the word none is a category', async () => {
      const source = await open('drink,a\nnone,1\ntea,0\nNA,0\n', { categorical: 'drink' });
      expect(source.columns).toEqual(['drink=none', 'drink=tea', 'a']);
      await expect(open('a,b\n1,0\nnone,1\n')).rejects.toThrow("column 'a': found 'none'");
    });
  });

  describe('words for ones and zeros', () => {
    test('are declared, and come back for each column', async () => {
      const content = 'sex,smokes,old\nmale,Yes,0\nfemale,No,1\nmale,,1\n';
      await expect(open(content)).rejects.toThrow(
        'Use --ones male --zeros female (the column is a bit with these words)',
      );
      const source = await open(content, { ones: 'female', zeros: 'male' });
      expect(await tableOf(source)).toEqual(
        signs([
          [0, 1, 0],
          [1, 0, 1],
          [0, null, 1],
        ]),
      );
      expect(source.schema.words).toEqual({ sex: ['male', 'female'], smokes: ['No', 'Yes'] });
    });

    test('may be numbers, and the empty cell', async () => {
      const coded = await open('1,2\n2,1\n', { ones: '2', zeros: '1' });
      expect(await tableOf(coded)).toEqual(
        signs([
          [0, 1],
          [1, 0],
        ]),
      );
      const marks = 'site,oak,fir\ns1,x,\ns2,,X\n';
      await expect(open(marks, { header: true })).rejects.toThrow("Use --ones x --zeros ''");
      await expect(open(marks)).rejects.toThrow(
        "Use --header (the first line names the columns), --header --ones x --zeros ''",
      );
      const crosses = await open(marks, { ones: ['x'], zeros: [''] });
      expect(crosses).toMatchObject({
        columns: ['oak', 'fir'],
        schema: { words: { oak: ['', 'x'], fir: ['', 'X'] } },
      });
      expect(await tableOf(crosses)).toEqual(
        signs([
          [1, 0],
          [0, 1],
        ]),
      );
      expect(await tableOf(await open('fir,oak\n,x\n', { like: crosses }))).toEqual(signs([[1, 0]]));
    });

    test('of a column with one of them are completed', async () => {
      const { schema } = await open('a,b\nYES,0\n,1\n');
      expect(schema.words).toEqual({ a: ['no', 'YES'] });
    });

    test('are told of where ones stand beside gaps alone', async () => {
      expect(await open('site,oak,fir\ns1,yes,\ns2,,yes\n')).toMatchObject({ onlyOnes: true });
      expect((await open('oak,fir\n1,\n,0\n')).onlyOnes).toBeUndefined();
    });
  });

  test('a schema declares a table, and options come before it', async () => {
    const content = 'who;a;b\n7;x;\n8;;x\n';
    const first = await open(content, { idColumn: 'who', ones: 'x', zeros: '' });
    const again = await open(content, { schema: JSON.parse(JSON.stringify(first.schema)) });
    expect(again.schema).toEqual(first.schema);
    expect(await tableOf(again)).toEqual(await tableOf(first));
    expect((await open(content, { schema: first.schema, columns: 'b' })).columns).toEqual(['b']);
    await expect(open('a\n', { schema: first.schema })).rejects.toThrow('no rows');
  });

  test('columns that have neither a name nor an entry are asked about', async () => {
    await expect(open('a,b,,\n0,1,,\n1,1,,\n')).rejects.toThrow(
      "column 3: has neither a name nor an entry. Use --columns 'all but 2'",
    );
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
