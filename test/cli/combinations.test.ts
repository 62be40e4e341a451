import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { patterns, pcae, workFolder, writeCsv } from './helpers.ts';

const at = workFolder();
const data = at('data.csv');
const real = at('real.csv');
const numbers = at('numbers.txt');
const box = at('box.safetensors');
const bits17 = at('bits17.safetensors');
const out = at('out.safetensors');

beforeAll(async () => {
  writeCsv(data, patterns(40, 6));
  writeFileSync(real, '0.25,0.5\n0.75,1\n');
  writeFileSync(numbers, '0.1\n'.repeat(6));
  for (const argv of [
    ['train', data, '-H', '2', '--epochs', '2', '-o', box],
    ['train', data, '-H', '17', '--encoding', 'bits', '--epochs', '4', '-o', bits17],
    ['encode', box, data, '-o', at('codes.npy')],
    ['compress', data, '-o', at('data.pcz')],
  ]) {
    const { code, err } = await pcae(argv);
    expect(code, err).toBe(0);
  }
});

/** Wrong usage is refused with exit code 2 before any work is done, in the words of the command line. */
async function refused(argv: readonly string[], message: RegExp): Promise<void> {
  const ran = await pcae(argv);
  expect(ran.err).toMatch(message);
  expect(ran).toMatchObject({ code: 2, out: '' });
}

describe('options of learning that do not go together', () => {
  const bits = ['--encoding', 'bits'];
  const paper = ['--algorithm', 'paper'];
  it.each<[string[], RegExp]>([
    [[...bits, '--no-bias'], /--encoding bits and --no-bias exclude each other: .*always have a bias/],
    [[...bits, ...paper], /--encoding bits and --algorithm paper exclude each other/],
    [[...bits, '--chosen', numbers], /--encoding bits and --chosen exclude each other/],
    [[...bits, '--keep-strongest', '1'], /--encoding bits and --keep-strongest exclude each other/],
    [[...bits, '--row-weights', numbers], /--encoding bits and --row-weights exclude each other/],
    [[...bits, '--low-memory'], /--encoding bits and --low-memory exclude each other/],
    [['--encoding', 'real', '--l1', '0.1'], /--encoding real and --l1 exclude each other/],
    [['--encoding', 'simplex', ...paper], /--encoding simplex and --algorithm paper exclude each other/],
    [[...paper, '--ridge', '0.1'], /--algorithm paper and --ridge exclude each other/],
    [[...paper, '--validation', '0.2'], /--algorithm paper and --validation exclude each other/],
    [['--l1', '0.1', '--l1-file', numbers], /--l1 and --l1-file exclude each other: give one of them/],
    [['--clean', data, '--noise', 'mask:0.1'], /--noise and --clean exclude each other: give one of them/],
    [['--loss', 'squared', '--noise', 'mask:0.1'], /--noise and --loss squared exclude each other/],
    [['--low-memory', '--validation', '0.2'], /--low-memory and --validation exclude each other/],
    [['--low-memory', '--ridge', 'auto'], /--low-memory and --ridge auto exclude each other/],
  ])('train %j', async (options, message) => {
    await refused(['train', data, '-H', '2', ...options, '-o', out], message);
    expect(existsSync(out)).toBe(false);
  });

  it.each<[string[], RegExp]>([
    [['--grow', ...bits], /--encoding bits and --grow exclude each other/],
    [['--grow', ...paper], /--grow and --algorithm paper exclude each other/],
    [['--grow', '--ridge', '0.1,1'], /--grow takes one --ridge/],
    [['--grow', '--held-out', data], /--grow and --held-out exclude each other/],
    [[...bits, '--no-bias'], /--encoding bits and --no-bias exclude each other/],
  ])('sweep %j', (options, message) => refused(['sweep', data, '-H', '2', ...options], message));

  it.each<[string[], RegExp]>([
    [bits, /--encoding bits and --l1 exclude each other/],
    [paper, /--algorithm paper and --l1 exclude each other/],
    [['-o', at('l1.svg')], /several --l1 have no plot/],
    [['--grow'], /several --l1 go with one size and one ridge/],
  ])('sweep --l1 0,0.1 %j', (options, message) =>
    refused(['sweep', data, '-H', '2', '--l1', '0,0.1', ...options], message),
  );

  it.each<[string[], RegExp]>([
    [['-H', '2'], /--codes has codes of a length of their own: leave --hidden out/],
    [['--epochs', '2'], /--codes cannot be combined with --epochs/],
    [['--ridge', 'auto'], /--ridge must be a number with --codes/],
    [['--ellipsoid', '2'], /between 0 and 1/],
  ])('train --codes %j', (options, message) =>
    refused(['train', data, '--codes', at('codes.npy'), ...options, '-o', out], message),
  );

  it('defaults that are said aloud are none', async () => {
    const said = ['--encoding', 'bits', '--algorithm', 'fast', '--l1', '0', '--epochs', '4'];
    const { code, err } = await pcae(['train', data, '-H', '2', ...said, '-o', at('said.safetensors')]);
    expect(code, err).toBe(0);
  });
});

describe('options that a model or a file has no use for', () => {
  it.each<[string[], RegExp]>([
    [['encode', box, data, '--effort', 'fast'], /--effort is for codes of bits/],
    [['eval', bits17, data, '--effort', 'exhaustive'], /up to 16 bits; this model has 17/],
    [['convert', data, at('x.csv'), '--packed'], /--packed is for \.npy files/],
    [['decode', box, at('codes.npy'), '--as', 'unit', '-o', at('x.bits')], /a \.bits file holds bits/],
    [['export', box, '-o', at('x.npz'), '--onnx', 'encoder'], /the ending \.onnx/],
    [['convert', data, at('x.xyz')], /x\.xyz: has an ending that cannot be written: use \.npy/],
    [['encode', box, data, '-o', at('x.bits')], /\.bits files are for codes of bits.*\.npy/],
  ])('%j', (argv, message) => refused(argv, message));

  it('real values are no bits to write', async () => {
    const ran = await pcae(['convert', real, at('x.bits')]);
    expect(ran.code).toBe(1);
    expect(ran.err).toMatch(/real\.csv: holds real values.*--binarize threshold.*\.npy/);
    expect(existsSync(at('x.bits'))).toBe(false);
  });
});

describe('tables of whole numbers', () => {
  it('are refused with their range and what they may be', async () => {
    writeFileSync(at('answers.csv'), 'q1,q2,q3\n1,5,1\n2,4,1\n3,3,2\n');
    const train = ['train', at('answers.csv'), '-H', '1', '--epochs', '2', '-o', at('answers.safetensors')];
    const ran = await pcae(train);
    expect(ran.code).toBe(1);
    expect(ran.err).toMatch(/answers\.csv: holds whole numbers up to 5.*--categorical\).*--values presence/);
    const categories = await pcae([...train, '--categorical', '--json']);
    expect(categories.json()).toMatchObject({ V: 8 });
  });
});

describe('files', () => {
  it('of rows are no models', async () => {
    const ran = await pcae(['inspect', data]);
    expect(ran.code).toBe(1);
    expect(ran.err).toMatch(/data\.csv: is not a model file.*train/);
  });

  it('with columns of the same name are learned from with a warning', async () => {
    writeCsv(at('twice.csv'), patterns(10, 3), ['a', 'b', 'a']);
    const train = [
      'train',
      at('twice.csv'),
      '-H',
      '1',
      '--epochs',
      '2',
      '--force',
      '-o',
      at('twice.safetensors'),
    ];
    const { code, err } = await pcae(train);
    expect(code).toBe(0);
    expect(err).toContain('twice.csv has columns of the same name (a)');
    writeCsv(at('twice.csv'), patterns(10, 3), ['a', 'b', 'c']);
    expect((await pcae(train)).err).not.toContain('the same name');
  });
});

describe('command lines that say something else than was meant', () => {
  it('--categorical before the data takes it for names of columns', () =>
    refused(
      ['train', '--categorical', data, '-H', '2', '-o', out],
      /missing required argument 'data'[\s\S]*--categorical took '.*data\.csv' for names of columns: put it after the data/,
    ));

  it('other arguments may be missing without it', async () => {
    expect((await pcae(['train', '-H', '2', '-o', out])).err).not.toContain('--categorical');
  });

  it('help for a command that does not exist proposes one', () =>
    refused(['help', 'trian'], /^error: unknown command 'trian'\n\(Did you mean train\?\)/));

  it('help itself has help', async () => {
    expect((await pcae(['help', 'train'])).out).toContain('Usage: pcae train');
    expect(await pcae(['help', 'help'])).toMatchObject({ code: 0, err: '' });
  });
});

describe('sizes of codes', () => {
  it.each([
    ['train', data, '-H', '99999999999', '-o', out],
    ['train', data, '--layers', '4,99999999999', '-o', out],
    ['sweep', data, '-H', '2,99999999999'],
    ['compare', data, '-H', '99999999999'],
    ['compress', data, '-H', '99999999999', '-o', at('x.pcz')],
  ])('that cannot be held are refused: %s %s %s %s', async (...argv) => {
    const ran = await pcae(argv);
    expect(ran.err).toMatch(/codes: H is 99999999999, and for rows of \d columns it can be 128 at most/);
    expect(ran).toMatchObject({ code: 2, out: '' });
  });

  it('that are no shorter than the rows are told', async () => {
    const learn = (H: string) =>
      pcae(['train', data, '-H', H, '--epochs', '2', '--force', '-o', at('h.safetensors')]);
    const ran = await learn('6');
    expect(ran.code).toBe(0);
    expect(ran.err).toContain('note: codes of 6 numbers are not shorter than the rows, which have 6 columns');
    expect((await learn('5')).err).not.toContain('note');
  });

  it('that can tell few rows apart by themselves are told', async () => {
    const few = at('few.csv');
    writeFileSync(few, 'a,b,c,d,e,f,g,h\n1,0,1,0,1,1,0,0\n0,0,1,1,1,0,1,0\n1,1,0,0,1,0,0,1\n');
    const ran = await pcae(['train', few, '-H', '3', '--epochs', '2', '-o', at('few.safetensors')]);
    expect(ran.err).toContain('note: codes of 3 numbers can learn 3 rows by heart; new rows will cost more');
  });
});

describe('outputs', () => {
  const learned = ['train', data, '-H', '2', '--epochs', '2'];
  it.each<[string, string[]]>([
    ['encode', ['encode', box, data, '-o', data]],
    ['encode, the model', ['encode', box, data, '-o', `${at('.')}/box.safetensors`]],
    ['reconstruct', ['reconstruct', box, data, '-o', data]],
    ['decode', ['decode', box, at('codes.npy'), '-o', at('codes.npy')]],
    ['convert', ['convert', data, data]],
    ['train', [...learned, '-o', data]],
    ['train, the rows held out', [...learned, '--validation', real, '-o', real]],
    ['a report', ['eval', box, data, '--report', box]],
  ])('never are what is read: %s', async (_, argv) => {
    const before = [data, real, box, at('codes.npy')].map((path) => readFileSync(path));
    const ran = await pcae([...argv, ...(argv[0] === 'encode' ? ['--to', 'csv'] : []), '--force']);
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain('is read by this command and cannot be its output');
    expect([data, real, box, at('codes.npy')].map((path) => readFileSync(path))).toEqual(before);
  });

  it.each([
    [...learned, '-o', '-'],
    ['train', data, '--codes', at('codes.npy'), '-o', '-'],
    ['compress', data, '-o', '-'],
  ])('that are no rows need a name: %s', async (...argv) => {
    await refused(argv, /-o - is for rows; this command writes a file, which needs a name/);
    expect(existsSync('-')).toBe(false);
  });

  it('of convert are an argument or -o, not both', async () => {
    expect((await pcae(['convert', data, '-o', at('copy.tsv')])).code).toBe(0);
    expect(readFileSync(at('copy.tsv'), 'utf8')).toContain('\t');
    expect((await pcae(['convert', data])).out).toBe(readFileSync(data, 'utf8'));
    await refused(['convert', data, at('a.csv'), '-o', at('b.csv')], /name one output/);
  });
});
