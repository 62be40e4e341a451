import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadModel } from '../../src/node/model-files.ts';
import { patterns, pcae, readLines, workFolder, writeCsv } from './helpers.ts';

const at = workFolder();
const names = Array.from({ length: 12 }, (_, v) => `bit${v}`);
const train = at('train.csv');
const test = at('test.csv');
const model = at('model.safetensors');

beforeAll(async () => {
  const rows = patterns(300, 12);
  writeCsv(train, rows.slice(0, 240), names);
  writeCsv(test, rows.slice(240), names);
  const { code, err } = await pcae(['train', train, '-H', '3', '--epochs', '20', '-o', model]);
  expect(err).toContain('240 rows of 12 bits');
  expect(code).toBe(0);
});

describe('train', () => {
  it('writes a model that says what it learned from', async () => {
    const learned = await loadModel(model);
    expect(learned).toMatchObject({ V: 12, H: 3, encoding: 'box', columns: names });
    expect(existsSync(`${model}.checkpoint`)).toBe(false);
  });

  it('prints its fields as JSON and nothing else', async () => {
    const path = at('json.safetensors');
    const ran = await pcae(['train', train, '-H', '2', '--epochs', '3', '-o', path, '--json', '--quiet']);
    expect(ran.err).toBe('');
    expect(ran.json()).toMatchObject({
      model: path,
      n: 240,
      V: 12,
      H: 2,
      epochs: 3,
      data: { binarize: 'none' },
    });
  });

  it('does not overwrite a model unless told to', async () => {
    const before = readFileSync(model);
    const refused = await pcae(['train', train, '-H', '3', '-o', model]);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('--force');
    expect(readFileSync(model).equals(before)).toBe(true);
    const path = at('again.safetensors');
    writeFileSync(path, 'old');
    expect((await pcae(['train', train, '-H', '3', '--epochs', '2', '-o', path, '--force'])).code).toBe(0);
    expect((await loadModel(path)).H).toBe(3);
  });

  it('takes validation rows from a share or from a file', async () => {
    const options = ['train', train, '-H', '2', '--epochs', '4', '--json', '--validation'];
    const share = (await pcae([...options, '0.25', '-o', at('share.safetensors')])).json();
    expect(share).toMatchObject({ n: 180, validation: expect.any(Number) });
    const file = (await pcae([...options, test, '-o', at('file.safetensors')])).json();
    expect(file).toMatchObject({ n: 240, validation: expect.any(Number) });
  });

  it.each([
    [['-H', '0'], 'whole number of at least 1'],
    [['-H', '2', '--encoding', 'fancy'], 'box, real'],
    [['-H', '2', '--loss', 'fancy'], 'cross-entropy'],
    [['-H', '2', '--validation', '1.5'], 'between 0 and 1'],
    [[], '-H 16'],
  ])('says what is wrong with %j, and ends with 2', async (options, expected) => {
    const ran = await pcae(['train', train, ...options, '-o', at('never.safetensors')]);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(expected);
    expect(existsSync(at('never.safetensors'))).toBe(false);
  });

  it('names the file that cannot be read', async () => {
    const ran = await pcae(['train', at('nowhere.csv'), '-H', '2', '-o', at('never.safetensors')]);
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toMatch(/^error: .*nowhere\.csv: there is no such file\n$/);
  });

  it('finds out before it learns that it could not write', async () => {
    const ran = await pcae(['train', train, '-H', '2', '-o', at('no/such/folder.safetensors')]);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('folder.safetensors: cannot be written');
    expect(ran.err).not.toContain('rows of');
  });

  it.each([
    [['--algorithm', 'paper'], 'nats'],
    [['--encoding', 'real', '--no-bias', '--low-memory'], 'nats'],
    [['--loss', 'cost-weighted(squared, falseOne=1, falseZero=3)'], 'weighted squared error'],
  ])('learns with %j', async (options, unit) => {
    const path = at(`${unit}${options.length}.safetensors`);
    const ran = await pcae(['train', train, '-H', '2', '--epochs', '2', ...options, '-o', path]);
    expect(ran.code, ran.err).toBe(0);
    expect(ran.out).toContain(`${unit} per example`);
  });

  it('shows where an error came from only when asked to', async () => {
    const argv = ['train', at('nowhere.csv'), '-H', '2', '-o', at('never.safetensors')];
    expect((await pcae(argv)).err).not.toContain('    at ');
    expect((await pcae([...argv, '--debug'])).err).toContain('    at ');
  });
});

describe('eval', () => {
  it('reports loss, bound and certificates', async () => {
    const found = (await pcae(['eval', model, test, '--json'])).json() as Record<string, never>;
    expect(Object.keys(found).sort()).toEqual(
      [
        'binarize',
        'bound',
        'data',
        'drift',
        'gap',
        'hamming',
        'loss',
        'lossPerBit',
        'n',
        'seconds',
        'tolerance',
        'uncertified',
      ].sort(),
    );
    const { n, loss, lossPerBit, gap } = found as unknown as Record<string, number> & {
      gap: { max: number };
    };
    expect(n).toBe(60);
    expect(lossPerBit).toBeCloseTo(loss / 12, 12);
    expect(loss).toBeLessThan(12 * Math.LN2);
    expect(gap.max).toBeLessThanOrEqual(0.01);
  });

  it('finds the model’s columns by name, whatever their order', async () => {
    const shuffled = at('shuffled.csv');
    const order = [...names.keys()].reverse();
    const rows = readLines(test)
      .slice(1)
      .map((line) => line.split(',').map(Number));
    writeCsv(
      shuffled,
      rows.map((row) => [...order.map((v) => row[v]), 1]),
      [...order.map((v) => names[v]), 'extra'],
    );
    const [a, b] = [
      (await pcae(['eval', model, test, '--json'])).json(),
      (await pcae(['eval', model, shuffled, '--json'])).json(),
    ];
    expect(b.loss).toBe(a.loss);
  });

  it('reads a table of which it knows a few columns, whatever the others hold', async () => {
    const [mixed, few] = [at('mixed.csv'), at('few.safetensors')];
    const rows = patterns(60, 4).map((row, i) => [...row, `"note ${i}, or so"`, 20 + i]);
    writeFileSync(mixed, `${[['milk', 'tea', 'beer', 'wine', 'notes', 'age'], ...rows].join('\n')}\n`);
    const learn = ['train', mixed, '--columns', 'wine,milk,tea', '-H', '2', '--epochs', '2', '-o', few];
    expect((await pcae(learn)).code).toBe(0);
    const ran = await pcae(['eval', few, mixed, '--json']);
    expect(ran.err).toBe('');
    const chosen = await pcae(['eval', few, mixed, '--columns', 'wine,milk,tea', '--json']);
    expect(ran.json().loss).toBe(chosen.json().loss);
  });

  it('refuses rows that lack a column, and rows of another width', async () => {
    const lacking = at('lacking.csv');
    writeCsv(lacking, patterns(5, 11), names.slice(1));
    expect((await pcae(['eval', model, lacking])).err).toContain('lacks columns of the training rows: bit0');
    const narrow = at('narrow.csv');
    writeCsv(narrow, patterns(5, 7));
    expect((await pcae(['eval', model, narrow])).err).toContain('has 7 columns; the training rows have 12');
  });

  it('says that a file is no model', async () => {
    const ran = await pcae(['eval', train, test]);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('train.csv');
  });
});

describe('encode', () => {
  it('writes one code a row, in order, the same to a file and to standard output', async () => {
    const path = at('codes.csv');
    expect((await pcae(['encode', model, test, '-o', path])).code).toBe(0);
    const streamed = await pcae(['encode', model, test]);
    expect(streamed.out).toBe(readFileSync(path, 'utf8'));
    expect(readLines(path)).toHaveLength(61);
    expect(readLines(path)[0]).toBe('h1,h2,h3');
  });

  it('does not mix rows and JSON on standard output', async () => {
    const ran = await pcae(['encode', model, test, '--json']);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain('-o');
  });

  it('leaves nothing behind when the data are bad', async () => {
    const bad = at('bad.csv');
    writeCsv(bad, [...patterns(5000, 12)], names);
    writeFileSync(bad, readFileSync(bad, 'utf8').replace(/\n[01],([^\n]*)\n$/, '\nhello,$1\n'));
    const ran = await pcae(['encode', model, bad, '-o', at('bad-codes.npy')]);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain("row 5000, column 'bit0'");
    expect(readdirSync(at('.')).filter((name) => name.includes('bad-codes'))).toEqual([]);
  });
});

describe('demo', () => {
  it('trains on generated digits and writes a model and a report', async () => {
    const folder = at('demo');
    const argv = ['demo', '-H', '4', '--train', '200', '--test', '40', '--epochs', '3', '--folder', folder];
    const ran = await pcae(argv);
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(ran.out).toContain('worst-case bound');
    const page = readFileSync(`${folder}/demo.html`, 'utf8');
    expect(page).not.toMatch(/(src|href)="http/);
    expect(page).toContain('All 4 hidden units');
    expect(await loadModel(`${folder}/demo.safetensors`)).toMatchObject({ H: 4, V: 784 });
    const again = (await pcae([...argv, '--json'])).json() as Record<string, never>;
    expect(again).toMatchObject({ n: 200, V: 784, H: 4, bits: { before: 784 } });
  });
});
