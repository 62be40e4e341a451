import { describe, expect, test } from 'vitest';
import { openCsv } from '../../src/formats/csv.ts';
import { openBytes } from '../../src/formats/open.ts';
import type { OpenOptions } from '../../src/formats/options.ts';
import { signs, spelled, survivesDamage, tableOf, text } from './helpers.ts';

const open = (content: string, options: OpenOptions = {}) => openCsv(text('a.csv', content), options);
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
    const like = { V, columns, schema: read.schema };
    expect(like.schema).toMatchObject({ layout });
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
