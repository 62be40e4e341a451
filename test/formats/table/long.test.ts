import { describe, expect, test } from 'vitest';
import { openBytes } from '../../../src/formats/open.ts';
import type { OpenOptions } from '../../../src/formats/options.ts';
import { signs, spelled, survivesDamage, tableOf, text } from '../helpers.ts';

const open = (content: string, options: OpenOptions = {}) => openBytes(text('a.csv', content), options);

describe('long tables', () => {
  const layout = 'long';
  const pairs = 'patient,code\np2,E11\np1,I10\np2,I10\np2,I10\n';

  test('a row without an item is a row', async () => {
    const source = await open('p1,I10\np2,\np3,E11\n', { layout, header: false });
    expect(spelled(source)).toMatchObject({ ids: ['p1', 'p2', 'p3'], columns: ['E11', 'I10'] });
  });

  test('pairs become rows in order of appearance and columns in order of name', async () => {
    const source = await open(pairs, { layout, header: true });
    expect(spelled(source)).toMatchObject({ n: 2, V: 2, ids: ['p2', 'p1'], columns: ['E11', 'I10'] });
    expect(await tableOf(source)).toEqual(
      signs([
        [1, 1],
        [0, 1],
      ]),
    );
  });

  test('have to be said', async () => {
    for (const content of [pairs, 'p2,E11\np1,I10\np2,I10\n', 'user,item\n7,12\n8,5\n'])
      await expect(open(content)).rejects.toThrow('--layout long');
  });

  test.each([
    ['names, or a basket of its own', 'b0,caviar\nb1,milk\nb1,bread\nb2,milk\nb2,bread\n'],
    ['a row that comes again late', `anna,apple\n${'bob,pear\ncyd,plum\n'.repeat(600)}anna,pear\n`],
    ['words that columns are called by', 'item,order\nb1,milk\nb1,bread\nb2,milk\n'],
  ])('a first line of words is asked about: %s', async (_, content) => {
    await expect(open(content, { layout })).rejects.toThrow(
      'Use --header (it names the columns) or --no-header',
    );
    expect(await open(content, { layout, header: false })).toMatchObject({ n: 3, V: 3 });
  });

  test('a first line is names above numbers, and a row where one of its words comes again', async () => {
    const read = await open('p2,E11\np1,I10\np2,I10\n', { layout });
    expect(spelled(read)).toMatchObject({ n: 2, V: 2, ids: ['p2', 'p1'] });
    const numbers = await open('user,item\n7,12\n8,5\n', { layout });
    expect(numbers).toMatchObject({ n: 2, V: 2, columns: ['5', '12'], schema: { header: true } });
    await expect(open('user_id,what\n', { layout })).rejects.toThrow('no rows');
  });

  test('numbers of items are ordered as numbers', async () => {
    expect((await open('1,10\n1,9\n2,100\n', { layout })).columns).toEqual(['9', '10', '100']);
  });

  test('a model fixes the columns, and knows how its rows were laid out', async () => {
    const like = { ...(await open(pairs, { layout, header: true })), V: 3, columns: ['I10', 'Z00', 'E11'] };
    expect(await tableOf(await open(pairs, { like }))).toEqual(
      signs([
        [1, 0, 1],
        [1, 0, 0],
      ]),
    );
    const other = { ...like, V: 2, columns: ['Z00', 'I10'] };
    await expect(open(pairs, { like: other })).rejects.toThrow(
      "item 'E11' is not among the 2 known ones; --ignore-unknown leaves such out",
    );
    const known = await open(pairs, { like: other, ignoreUnknown: true });
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
    await expect(open(counted, { layout })).rejects.toThrow(
      "such as 3 (in column 'x'). Use --values presence",
    );
    await expect(open(counted, { layout, values: 'unit' })).rejects.toThrow("row 1, column 'x': found 3");
    const source = await open(counted, { layout, values: 'presence' });
    expect(await tableOf(source)).toEqual(
      signs([
        [1, 0],
        [0, 1],
      ]),
    );
  });

  describe('of more columns', () => {
    const orders = 'date,order_id,product,qty,store\n1 May,7,tea,2,x\n1 May,7,milk,1,x\n2 May,8,tea,1,y\n';

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
      const source = await open(bare, { ...options, header: false });
      expect(spelled(source)).toMatchObject(read);
      expect(source.ids?.heading).toBeUndefined();
      for (const header of [undefined, true]) {
        const source = await open(orders, { ...options, header });
        expect(spelled(source)).toMatchObject(read);
        expect(source.ids?.heading).toBe('order_id');
      }
      expect(await open(bare, { ...options, columns: '2,3', values: 'presence' })).toMatchObject({ n: 2 });
      // Three columns, without a number in the last.
      const three = '1,Mon,tea\n1,Mon,milk\n2,Tue,tea\n';
      expect(await open(three, { layout, idColumn: 0, columns: [2] })).toMatchObject({ n: 2, V: 2 });
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
      await expect(open(orders, { layout })).rejects.toThrow(/has 5 columns.*--id-column ROW --columns ITEM/);
      await expect(open('a,b,c\nx,y,1\nz,u,v\n', { layout, header: true })).rejects.toThrow(
        '--id-column ROW --columns ITEM',
      );
      await expect(open(orders, { layout, columns: 'date,order_id,product' })).rejects.toThrow(
        'a long table has',
      );
      await expect(open(`${orders}x,y\n`, { layout, columns: 'store' })).rejects.toThrow(
        'row 4: has 2 cells',
      );
    });

    test('are remembered by a model', async () => {
      const like = await open(orders, { layout, idColumn: 'order_id', columns: 'product' });
      const read = await open('store,product,order_id\ny,milk,9\n', { like });
      expect(spelled(read)).toMatchObject({ n: 1, ids: ['9'], columns: ['milk', 'tea'] });
    });

    test('are pointed to where words are found', async () => {
      for (const content of [
        'basket,item,qty\n1,tea,2\n1,milk,1\n',
        'site,species,count\nx,oak,4\nx,fir,0\n',
      ])
        await expect(open(content)).rejects.toThrow('--layout long (each line is a row and its item)');
      const survey = 'city,colour,car,bike\nBonn,red,1,0\nBonn,blue,0,0\n';
      await expect(open(survey)).rejects.not.toThrow('--layout long');
    });
  });

  test('two columns of bits are wide, unless told otherwise', async () => {
    expect((await open('0,1\n1,1\n')).V).toBe(2);
    expect(await tableOf(await open('0,1\n1,1\n2,0\n', { layout }))).toEqual(
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
    const like = { V: 2, columns: ['tea', 'milk'] };
    await expect(open('milk,beer\n', { layout, like })).rejects.toThrow("item 'beer' is not among");
    const source = await open('milk,beer\n', { layout, like, ignoreUnknown: true });
    expect(await tableOf(source)).toEqual([[-1, 1]]);
  });

  test('are read by a model that learned from such', async () => {
    const baskets = 'milk,tea\ntea\nbeer,milk,oak\n';
    const like = await open(baskets, { layout });
    expect(like.schema).toMatchObject({ layout });
    expect(await tableOf(await open(baskets, { like }))).toEqual(three);
    expect(await open('milk,tea\ntea,oak\nmilk,beer\n', { like })).toMatchObject({ n: 3, ids: undefined });
    expect(await open('tea,oak,milk,beer\n0,1,1,1\n', { like, layout: 'wide' })).toMatchObject({
      n: 1,
      V: 4,
    });
    const arrays = await openBytes(text('a.jsonl', '["milk","tea"]\n["tea","oak"]\n'), { like });
    expect(arrays).toMatchObject({ n: 2, V: 4 });
  });

  test.each(['milk,tea\ntea\nbeer,milk,oak\n', 'tea\nmilk,tea\nbeer,milk,oak\n', '1 2 3\n4\n2 3\n'])(
    '%j is told of them',
    async (content) => {
      await expect(open(content)).rejects.toThrow(/cells?, and row 1 has .* Use --layout items/);
    },
  );

  test('survive damage', async () => {
    const bytes = new TextEncoder().encode('milk,tea\ntea\nbeer,milk,"oak, red"\n');
    await survivesDamage(bytes, 'x.csv', (b) => openBytes(b, { layout, format: 'csv' }), 500);
  });
});
