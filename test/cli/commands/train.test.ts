import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PCAE } from '../../../src/model/model.ts';
import { loadModel } from '../../../src/node/load-model.ts';
import { learnedAndOthers, patterns, pcae, writeCsv } from '../helpers.ts';

const { at, names, train, test, model } = learnedAndOthers();

describe('train', () => {
  it('writes a model that says what it learned from', async () => {
    const learned = await loadModel(model, { as: PCAE });
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

  it('says that units are not used where nothing varies, or less than there are units', async () => {
    const learn = async (table: string, H: number) => {
      writeFileSync(at('few.csv'), table);
      const few = ['train', at('few.csv'), '-H', String(H), '-o', at('few.safetensors'), '--force'];
      const { out } = await pcae([...few, '--epochs', '30']);
      return /^unused units +(.*)/m.exec(out)?.[1];
    };
    expect(await learn('a,b\n0,1\n0,1\n0,1\n', 2)).toBe('all: every row is decoded alike');
    const bits = 'a,b\n0,1\n1,1\n0,0\n1,0\n0,1\n1,0\n';
    expect(await learn(bits, 6)).toMatch(/^4 of 6: /);
    expect(await learn(bits, 2)).toBeUndefined();
    const said = (
      await pcae(['train', at('few.csv'), '-H', '6', '-o', at('six.safetensors'), '--json'])
    ).json();
    expect(said).toMatchObject({ unused: 4 });
  });

  it('learns a single row with a gap, of which no others can be held out to choose a ridge', async () => {
    writeFileSync(at('single.csv'), 'a,b,c\n0,,1\n');
    const single = ['train', at('single.csv'), '-H', '1', '--epochs', '3', '-o', at('single.safetensors')];
    expect(await pcae([...single])).toMatchObject({ code: 0 });
  });

  it('refuses more threads than any machine has a use for', async () => {
    const ran = await pcae(['train', train, '-H', '2', '--threads', '999', '-o', at('threads.safetensors')]);
    expect(ran).toMatchObject({ code: 2, err: expect.stringContaining('from 1 to 256') });
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
    expect((await loadModel(path, { as: PCAE })).H).toBe(3);
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
    expect(ran.out).toContain(`${unit} per row`);
  });

  it('shows where an error came from only when asked to', async () => {
    const argv = ['train', at('nowhere.csv'), '-H', '2', '-o', at('never.safetensors')];
    expect((await pcae(argv)).err).not.toContain('    at ');
    expect((await pcae([...argv, '--debug'])).err).toContain('    at ');
  });
});

const rows = at('rows.csv');
writeCsv(rows, patterns(160, 20));

describe('train --encoding', () => {
  it.each(['nonnegative', 'simplex', 'ball'])('train, encode and eval: %s', async (encoding) => {
    const model = at(`${encoding}.safetensors`);
    const trained = await pcae(['--json', 'train', rows, '-H', '3', '-o', model, '--encoding', encoding]);
    expect(trained.code).toBe(0);
    expect(trained.json()).toMatchObject({ encoding });
    const evaluated = await pcae(['--json', 'eval', model, rows]);
    expect(evaluated.json()).toMatchObject({ uncertified: 0 });
    const refused = await pcae(['export', model, '--onnx', 'encoder', '-o', at('x.onnx')]);
    expect(refused.code).not.toBe(0);
  });
});

describe('train --loss', () => {
  it.each(['hamming', 'squared', 'cost:2,1', 'cost-weighted(squared, falseOne=1, falseZero=4)'])(
    'train and eval: %s',
    async (loss) => {
      const model = at('loss.safetensors');
      const trained = await pcae([
        ...['--json', 'train', rows, '-H', '3', '-o', model, '--force'],
        ...['--loss', loss, '--epochs', '20'],
      ]);
      expect(trained.code).toBe(0);
      const evaluated = await pcae(['--json', 'eval', model, rows]);
      expect(evaluated.code).toBe(0);
      expect(evaluated.json()).toMatchObject({ uncertified: 0 });
    },
  );

  it('explains a loss that it does not know', async () => {
    const ran = await pcae(['train', rows, '-H', '3', '-o', at('no'), '--loss', 'cost:0,1']);
    expect(ran.code).toBe(2);
    expect(ran.err).toMatch(/falseOne is 0; expected a positive/);
  });

  it('notices a gap wherever it is, and offers neighbours where there may be some', async () => {
    const data = at('late.csv');
    const lines = Array.from({ length: 5000 }, (_, i) => `${i & 1},${(i >> 1) & 1},${i < 4990 ? 1 : ''}`);
    writeFileSync(data, `${lines.join('\n')}\n`);
    const ran = await pcae(['train', data, '-H', '1', '--epochs', '1', '-o', at('late.safetensors')]);
    expect(ran.err).toContain('the table has gaps');
    expect(ran.err).toContain('--neighbours');
    const timed = await pcae(['train', data, '-H', '1', '--time', '1', '-o', at('timed.safetensors')]);
    expect(timed.err).toContain('for a model that fills them in, use --ridge auto');
    const wide = at('wide-gaps.csv');
    writeFileSync(wide, `${Array.from({ length: 20 }, () => `?${',1,0'.repeat(2100)}`).join('\n')}\n`);
    const other = await pcae(['train', wide, '-H', '1', '--epochs', '1', '-o', at('wide.safetensors')]);
    expect(other.err).toContain('the table has gaps');
    expect(other.err).not.toContain('--neighbours');
  });

  it('learns to fill gaps in where the table has them, with neighbours where asked to', async () => {
    const [data, path] = [at('gaps.csv'), at('gaps.safetensors')];
    const lines = readFileSync(train, 'utf8').trimEnd().split('\n');
    writeFileSync(
      data,
      `${lines.map((line, i) => (i === 3 ? line.replace(/[01]$/, '') : line)).join('\n')}\n`,
    );
    const ran = await pcae(['train', data, '-H', '2', '--epochs', '5', '-o', path]);
    expect(ran.err).toContain('the table has gaps');
    const heard = await pcae([
      'train',
      data,
      '-H',
      '2',
      '--epochs',
      '5',
      '--ridge',
      '0.1',
      '--neighbours',
      '4',
      '-o',
      path,
      '--force',
      '--json',
    ]);
    expect(heard.json()).toMatchObject({ ridge: 0.1, neighbours: { K: 4 } });
    const filled = await pcae(['reconstruct', path, data, '--fill', '-o', at('filled.csv')]);
    expect(filled.err).toContain('by the codes alone');
  });
});
