import { writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { npyFile } from '../../src/formats/npy.ts';
import { patterns, pcae, readLines, workFolder } from './helpers.ts';

const at = workFolder();
const file = (name: string, content: string): string => {
  writeFileSync(at(name), content);
  return at(name);
};

const names = ['bread, dark', 'milk', 'tea', 'beer'];
const rows = patterns(60, 4).map((row, i) => `c${i},${20 + (i % 50)},${row.join(',')}`);
const heads = `customer_id,age,${names.map((name) => `"${name}"`).join(',')}`;

describe('tables as people have them', () => {
  let table: string;
  const model = at('m.safetensors');
  beforeAll(async () => {
    table = file('table.csv', `${heads}\n${rows.join('\n')}\n`);
    const train = ['train', table, '--columns', 'all but age', '-H', '2', '--epochs', '2', '-o', model];
    const { code, err } = await pcae(train);
    expect(code, err).toBe(0);
    expect(err).toContain("60 rows of 4 bits, named by column 'customer_id'");
  });

  it('a column that is no bit is named, with what to type', async () => {
    const { code, err } = await pcae(['info', table]);
    expect(code).toBe(1);
    expect(err).toContain("up to 69 (in column 'age')");
    expect(err).toContain("--columns 'all but age'");
  });

  it.each([
    ['decimals.csv', 'a,b\n0.5,-1.766\n', "row 1, column 'b': -1.766 is neither a bit nor a grey level"],
    ['ratings.csv', 'film,play\n4,5\n1,2\n', '(--values presence), grey levels (--values bytes). Say which'],
    ['joined.csv', 'a,b\n1,0\n0,1\na,b\n1,1\n', 'and a later line repeats the first: if files'],
    ['ragged.csv', 'a,b,c\n1,0,1\n1,0\n', 'row 2: has 2 cells, and row 1 has 3; if a cell was lost or added'],
  ])('%s is told what it holds', async (name, text, message) => {
    writeFileSync(at(name), text);
    expect((await pcae(['info', at(name)])).err).toContain(message);
  });

  it('of one row cannot spare any', async () => {
    writeFileSync(at('one.csv'), 'a,b,c\n1,0,1\n');
    const ran = await pcae(['sweep', at('one.csv'), '-H', '1']);
    expect(ran.err).toContain('to hold rows out, a table needs at least two, and this one has 1 row');
  });

  it('the advice holds for arrays without names', async () => {
    writeFileSync(at('n.npy'), npyFile(Float32Array.of(0, 1, 57, 1, 0, 60), [2, 3]));
    const { err } = await pcae(['info', at('n.npy')]);
    const advice = /--columns '(all but \d)', which counts columns from 0/.exec(err)?.[1] ?? '';
    expect(await pcae(['info', at('n.npy'), '--columns', advice])).toMatchObject({
      code: 0,
      err: '',
    });
  });

  it('names with commas are chosen in quotes', async () => {
    const chosen = await pcae(['info', table, '--columns', '"bread, dark",tea', '--json']);
    expect(chosen.json()).toMatchObject({ V: 2, columns: ['bread, dark', 'tea'] });
    const shown = await pcae(['info', table, '--columns', 'all but age']);
    expect(shown.out).toContain('"bread, dark", milk, tea, beer\n');
    const { err } = await pcae(['info', table, '--columns', 'bread, dark']);
    expect(err).toContain('there are customer_id, age, "bread, dark", milk');
  });

  it('the column that became the names of rows is said', async () => {
    const ages = file('ages.csv', `age,a,b\n20,0,1\n21,1,0\n22,1,1\n23,1,1\n`);
    expect((await pcae(['info', ages])).err).toContain('Use --id-column age (it names the rows)');
    const said = ['info', ages, '--id-column', 'age'];
    const { out } = await pcae(said);
    expect(out).toContain("4 rows of 2 bits, named by column 'age'");
    expect(out).toMatch(/row names +column 'age': 20, 21, 22, …\n/);
    expect((await pcae([...said, '--json'])).json()).toMatchObject({ idColumn: 'age' });
    expect((await pcae(['info', file('plain.csv', 'x,0,1\ny,1,1\n')])).out).toMatch(
      /2 bits, with names\n.*row names +x, y\n/s,
    );
    expect((await pcae(['info', file('bits.csv', '1,0,1\n0,1,1\n')])).out).not.toContain('names');
  });

  it.each([['encode'], ['reconstruct'], ['reconstruct', '--fill']])(
    '%s %s keeps the name of the column of names',
    async (command, ...fill) => {
      const { code, err } = await pcae([
        command,
        model,
        table,
        ...fill,
        '--force',
        '-o',
        at(`${command}.csv`),
      ]);
      expect(code, err).toBe(0);
      const [head, first] = readLines(at(`${command}.csv`));
      expect(head).toMatch(/^customer_id,(h1|"bread, dark"),/);
      expect(first).toMatch(/^c0,/);
    },
  );

  it('a model remembers which column named its rows', async () => {
    const asked = at('asked.safetensors');
    const train = ['train', table, '--columns', 'all but customer_id', '--id-column', 'age', '-H', '2'];
    expect((await pcae([...train, '--epochs', '2', '-o', asked])).code).toBe(0);
    expect((await pcae(['encode', asked, table])).out).toMatch(/^age,h1,h2\n20,/);
  });

  it.each(['csv', 'jsonl', 'parquet'])('decode keeps it of codes in .%s', async (format) => {
    const codes = at(`codes.${format}`);
    expect((await pcae(['encode', model, table, '-o', codes])).code).toBe(0);
    const { out } = await pcae(['decode', model, codes]);
    expect(out).toMatch(/^customer_id,"bread, dark",.*\nc0,/);
  });

  it('bits beside categories are written as bits, and known numbers stay', async () => {
    const people = (share: string) =>
      file('people.csv', `who,drink,member\na,tea,1\nb,milk,${share}\nc,tea,1\nd,milk,\ne,,0\n`);
    const train = (data: string) => ['train', data, '--categorical', 'drink', '-H', '1', '--epochs', '3'];
    const written = async (data: string, ...fill: string[]) => {
      const trained = await pcae([...train(data), '-o', at('people.safetensors'), '--force']);
      expect(trained.code, trained.err).toBe(0);
      return (await pcae(['reconstruct', at('people.safetensors'), data, ...fill, '--as', 'words'])).out;
    };
    const bits = /^who,drink,member\n(\w,(tea|milk),[01]\n){5}$/;
    expect(await written(people('0'))).toMatch(bits);
    expect(await written(people('0'), '--fill')).toMatch(bits);
    expect(await written(people('0.25'), '--fill')).toContain('b,milk,0.25\n');
  });

  it('answers come back in the words that they came in', async () => {
    const lines = patterns(40, 3).map(
      (row, i) => `p${i},${row[0] ? 'Yes' : 'No'},${row[1]},${row[2] ? 'TRUE' : 'FALSE'}`,
    );
    const answers = file('answers.csv', `who,smokes,old,owns\n${lines.join('\n')}\n`);
    const learned = at('answers.safetensors');
    expect((await pcae(['train', answers, '-H', '3', '--epochs', '20', '-o', learned])).code).toBe(0);
    const gaps = file('gaps.csv', `who,smokes,old,owns\n${lines.join('\n').replace(/^p0,\w+/, 'p0,')}\n`);
    for (const fill of [[], ['--fill']]) {
      const written = await pcae(['reconstruct', learned, gaps, ...fill, '--as', 'words']);
      expect(written.out, written.err).toMatch(
        /^who,smokes,old,owns\n(p\d+,(Yes|No),[01],(TRUE|FALSE)\n){40}$/,
      );
    }
    const codes = at('answers.csv.codes.csv');
    expect((await pcae(['encode', learned, answers, '-o', codes])).code).toBe(0);
    expect((await pcae(['decode', learned, codes, '--as', 'words'])).out).toMatch(
      /\np3,(Yes|No),[01],(TRUE|FALSE)\n/,
    );
  });

  it('a table is declared once, in a file', async () => {
    const orders = file('declared.csv', 'day;order;product\nMon;1;tea\nMon;1;milk\nTue;2;tea\n');
    const schema = at('schema.json');
    const long = ['--layout', 'long', '--id-column', 'order', '--columns', 'product'];
    const said = await pcae(['info', orders, ...long, '-o', schema]);
    expect(said.code, said.err).toBe(0);
    expect(said.out).toContain("--layout long --header --delimiter ';' --id-column order --columns product");
    const read = await pcae(['info', orders, '--schema', schema, '--json']);
    expect(read.json()).toMatchObject({
      n: 2,
      V: 2,
      columns: ['milk', 'tea'],
      firstRows: [
        [1, 1],
        [0, 1],
      ],
    });
    expect(read.json().schema).toEqual(JSON.parse(readLines(schema)[0] as string));
    const wrong = await pcae(['info', orders, '--schema', file('wrong.json', '{"layout":"tall"}')]);
    expect(wrong.err).toMatch(/is not a schema: layout: /);
    expect((await pcae(['info', orders, '--schema', at('none.json')])).err).toContain(
      'There is no such file.',
    );
    expect((await pcae(['info', orders, '--schema', file('broken.json', '{')])).err).toContain(
      'cannot be read as JSON',
    );
  });

  it('ticks and empty cells are read by a model as they were', async () => {
    const lines = patterns(40, 4).map((row, i) => `s${i},${row.map((x) => x || '').join()}`);
    const ticks = file('ticks.csv', `site,oak,ash,elm,yew\n${lines.join('\n')}\n`);
    expect((await pcae(['info', ticks])).out).toContain('only ones and gaps: if an empty cell');
    const ticked = at('ticks.safetensors');
    const train = ['train', ticks, '--zeros', '', '-H', '2', '--epochs', '3', '-o', ticked];
    const { code, err } = await pcae(train);
    expect(code, err).toBe(0);
    const plain = await pcae(['eval', ticked, ticks, '--json']);
    const said = await pcae(['eval', ticked, ticks, '--zeros', '', '--json']);
    expect(plain.json().loss).toBe(said.json().loss);
    expect(plain.json().loss).toBeGreaterThan(0.01);
  });

  it('baskets, one a line, or among the lines of orders', async () => {
    const baskets = file('baskets.txt', 'milk,tea\ntea\nbeer,milk,tea\nbeer\n');
    expect((await pcae(['info', baskets])).err).toContain('--layout items');
    const lines = await pcae(['info', baskets, '--layout', 'items', '--json']);
    expect(lines.json()).toMatchObject({ n: 4, V: 3, columns: ['beer', 'milk', 'tea'] });
    const orders = file('orders.csv', 'order_id,day,product\n1,Mon,tea\n1,Mon,milk\n2,Tue,tea\n');
    expect((await pcae(['info', orders])).err).toContain('--layout long');
    const long = ['--layout', 'long', '--id-column', 'order_id', '--columns', 'product', '--json'];
    expect((await pcae(['info', orders, ...long])).json()).toMatchObject({
      idColumn: 'order_id',
      columns: ['milk', 'tea'],
    });
  });

  it('items that a model has not seen', async () => {
    const long = file(
      'long.csv',
      `basket,item\n${rows.map((_, i) => `b${i % 20},${names[i % 4]}`.replace(/bread, dark/, 'bread')).join('\n')}\n`,
    );
    const train = [
      'train',
      long,
      '--layout',
      'long',
      '--header',
      '-H',
      '1',
      '--epochs',
      '2',
      '-o',
      at('long.safetensors'),
    ];
    expect((await pcae(train)).err).toContain("20 rows of 4 bits, named by column 'basket'");
    const more = file('more.csv', 'basket,item\nx,milk\nx,vodka\ny,tea\n');
    const encode = ['encode', at('long.safetensors'), more];
    expect((await pcae(encode)).err).toContain('--ignore-unknown');
    const { code, out } = await pcae([...encode, '--ignore-unknown']);
    expect(code).toBe(0);
    expect(out).toMatch(/^basket,h1\nx,.*\ny,.*\n$/);
  });
});
