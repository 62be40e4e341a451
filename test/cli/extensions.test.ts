import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { patterns, pcae, workFolder } from './helpers.ts';

const file = workFolder();
const csv = (rows: readonly (readonly unknown[])[]) => `${rows.map((row) => row.join(',')).join('\n')}\n`;
const train = (...rest: string[]) => ['train', ...rest, '--epochs', '40', '--threads', '1', '-q', '--json'];

describe('pcae with noise, gaps, weights and categories', () => {
  const V = 12;
  const rows = patterns(120, V);
  const data = file('rows.csv');
  writeFileSync(data, csv(rows));

  it('fills in what is missing and leaves the rest as it is', async () => {
    const model = file('gaps.safetensors');
    const holes = rows.map((row, i) => row.map((x, v) => ((i + v) % 5 === 0 ? '' : x)));
    writeFileSync(file('holes.csv'), csv(holes));
    expect((await pcae(train(file('holes.csv'), '-H', '3', '--ridge', '0.02', '-o', model))).code).toBe(0);
    const { code, out } = await pcae(['impute', model, file('holes.csv'), '--as', 'bits', '--threads', '1']);
    expect(code).toBe(0);
    const filled = out
      .trim()
      .split('\n')
      .map((line) => line.split(',').map(Number));
    let [right, hidden] = [0, 0];
    for (const [i, row] of filled.entries()) {
      for (const [v, x] of row.entries()) {
        if (holes[i][v] !== '') expect(x).toBe(rows[i][v]);
        else hidden++;
        if (holes[i][v] === '' && x === rows[i][v]) right++;
      }
    }
    expect(right / hidden).toBeGreaterThan(0.7);
  });

  it('corrupts, learns from noisy rows and decodes to clean ones', async () => {
    const [noisy, clean] = [file('noisy.csv'), file('clean.csv')];
    expect((await pcae(['convert', data, noisy, '--corrupt', 'mask:0.25', '-q'])).code).toBe(0);
    expect((await pcae(['convert', data, clean, '-q'])).code).toBe(0);
    const loss = async (...options: string[]) => {
      const model = file(`noise${options.length}${options[0] ?? ''}.safetensors`);
      const trained = await pcae(train(noisy, '-H', '3', '-o', model, ...options));
      expect(trained.err).toBe('');
      const report = await pcae(['eval', model, noisy, '--against', clean, '--json', '--threads', '1']);
      return report.json().loss as number;
    };
    const plain = await loss();
    expect(await loss('--noise', 'mask:0.25')).toBeLessThan(plain);
    expect(await loss('--clean', clean)).toBeLessThan(plain);
    const both = await pcae(
      train(noisy, '-H', '2', '-o', file('x'), '--noise', 'mask:0.2', '--clean', clean),
    );
    expect(both.code).toBe(2);
    const wrong = await pcae(train(noisy, '-H', '2', '-o', file('x'), '--noise', 'flip:0.2'));
    expect(wrong.err).toMatch(/other noise needs --clean/);
  });

  it('weighs rows and columns', async () => {
    const [rowWeights, columnWeights] = [file('rows.txt'), file('columns.txt')];
    writeFileSync(rowWeights, rows.map((_, i) => (i < 60 ? 1 : 0)).join('\n'));
    writeFileSync(columnWeights, Array.from({ length: V }, (_, v) => (v === 3 ? 0 : 1)).join('\n'));
    const model = file('weighted.safetensors');
    const trained = await pcae(
      train(data, '-H', '2', '-o', model, '--row-weights', rowWeights, '--column-weights', columnWeights),
    );
    expect(trained.json().n).toBe(60);
    const weighted = await pcae(['eval', model, data, '--row-weights', rowWeights, '--json']);
    const half = await pcae(['eval', model, data, '--rows', '0:60', '--json']);
    expect(weighted.json().loss).toBeCloseTo(half.json().loss, 5);
    writeFileSync(rowWeights, '1\n2\n');
    const wrong = await pcae(['eval', model, data, '--row-weights', rowWeights]);
    expect(wrong.err).toMatch(/holds 2 weights, expected one for each of the 120 rows/);
  });

  it('takes words as categories, and writes them back', async () => {
    const people = file('people.csv');
    const kinds = [
      ['blue', 'tea', 1],
      ['green', 'coffee', 0],
      ['red', 'water', 1],
    ];
    const table = Array.from({ length: 90 }, (_, i) => [...kinds[i % 3]]);
    const header = ['colour', 'drink', 'early'];
    writeFileSync(people, csv([header, ...table]));
    const refused = await pcae(train(people, '-H', '2', '-o', file('x.safetensors'), '--no-id-column'));
    expect(refused.err).toMatch(/--categorical/);
    const model = file('people.safetensors');
    const trained = await pcae(train(people, '-H', '2', '-o', model, '--categorical'));
    expect(trained.json().V).toBe(7);
    const holes = file('people-holes.csv');
    writeFileSync(holes, csv([header, ['blue', '', 1], ['', 'coffee', 0], ['red', 'water', '']]));
    const { out } = await pcae(['impute', model, holes, '--as', 'categories', '--threads', '1']);
    expect(out.split('\n').slice(0, 3)).toEqual(['colour,drink,early', 'blue,tea,1', 'green,coffee,0']);
    writeFileSync(holes, csv([header, ['purple', 'tea', 1]]));
    const unknown = await pcae(['impute', model, holes]);
    expect(unknown.err).toMatch(/row 1, column 'colour': found 'purple'/);
  });

  it('generates rows, the same for a seed, and draws them', async () => {
    const model = file('generate.safetensors');
    await pcae(train(data, '-H', '3', '-o', model));
    const [a, b, c] = await Promise.all(
      ['1', '1', '2'].map((seed) => pcae(['generate', model, '-n', '5', '--steps', '3', '--seed', seed])),
    );
    expect(a.out.trim().split('\n')).toHaveLength(5);
    expect(b.out).toBe(a.out);
    expect(c.out).not.toBe(a.out);
    const picture = file('generated.svg');
    const drawn = await pcae(['generate', model, '-n', '4', '--picture', picture, '--json']);
    expect(drawn.json().picture).toBe(picture);
    expect(readFileSync(picture, 'utf8').match(/<image /g)).toHaveLength(4);
  });

  it('learns a decoder for codes from another program', async () => {
    const codes = file('codes.csv');
    writeFileSync(codes, csv(rows.map((row) => [100 + 7 * row[0], row[1] - row[2], row[3]])));
    const model = file('decoder.safetensors');
    const { json, err } = await pcae([
      'fit-decoder',
      codes,
      data,
      '-o',
      model,
      '--json',
      '-q',
      '--threads',
      '1',
    ]);
    expect(err).toBe('');
    expect(json().H).toBe(3);
    expect(json().gap).toBeLessThanOrEqual(0.01);
    const decoded = await pcae(['decode', model, codes, '--as', 'bits', '--threads', '1']);
    const first = decoded.out
      .trim()
      .split('\n')
      .map((line) => Number(line.split(',')[0]));
    expect(first).toEqual(rows.map((row) => row[0]));
  });
});
