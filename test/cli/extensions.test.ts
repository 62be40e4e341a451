import { describe, expect, it } from 'vitest';
import { patterns, pcae, workFolder, writeCsv } from './helpers.ts';

const at = workFolder();
writeCsv(at('rows.csv'), patterns(160, 20));

describe('codes in other sets', () => {
  it.each(['nonnegative', 'simplex', 'ball'])('train, encode and eval: %s', async (encoding) => {
    const model = at(`${encoding}.safetensors`);
    const trained = await pcae([
      '--json',
      'train',
      at('rows.csv'),
      '-H',
      '3',
      '-o',
      model,
      '--encoding',
      encoding,
    ]);
    expect(trained.code).toBe(0);
    expect(trained.json()).toMatchObject({ encoding });
    const evaluated = await pcae(['--json', 'eval', model, at('rows.csv')]);
    expect(evaluated.json()).toMatchObject({ uncertified: 0 });
    const refused = await pcae(['export', model, '--onnx', 'encoder', '-o', at('x.onnx')]);
    expect(refused.code).not.toBe(0);
  });
});

describe('losses on the command line', () => {
  it.each(['hamming', 'squared', 'cost:2,1', 'cost-weighted(squared, falseOne=1, falseZero=4)'])(
    'train and eval: %s',
    async (loss) => {
      const model = at('loss.safetensors');
      const trained = await pcae([
        ...['--json', 'train', at('rows.csv'), '-H', '3', '-o', model, '--force'],
        ...['--loss', loss, '--epochs', '20'],
      ]);
      expect(trained.code).toBe(0);
      const evaluated = await pcae(['--json', 'eval', model, at('rows.csv')]);
      expect(evaluated.code).toBe(0);
      expect(evaluated.json()).toMatchObject({ uncertified: 0 });
    },
  );

  it('explains a loss that it does not know', async () => {
    const ran = await pcae(['train', at('rows.csv'), '-H', '3', '-o', at('no'), '--loss', 'cost:0,1']);
    expect(ran.code).toBe(2);
    expect(ran.err).toMatch(/falseOne is 0; expected a positive/);
  });
});

describe('sweep --path', () => {
  it('grows models and names the size that does best on hidden entries', async () => {
    const ran = await pcae(['--json', 'sweep', at('rows.csv'), '-H', '4,1,2', '--path', '--epochs', '20']);
    expect(ran.code).toBe(0);
    const { trials, best } = ran.json() as unknown as {
      trials: { H: number; train: number; entries: number }[];
      best: { entries: number };
    };
    expect(trials.map(({ H }) => H)).toEqual([1, 2, 4]);
    expect(best.entries).toBe(Math.min(...trials.map(({ entries }) => entries)));
    const text = await pcae(['sweep', at('rows.csv'), '-H', '1,2', '--path', '--epochs', '5']);
    expect(text.out).toMatch(/lowest loss of hidden entries/);
    const ridged = [
      '--json',
      'sweep',
      at('rows.csv'),
      '-H',
      '1,2',
      '--path',
      '--epochs',
      '5',
      '--ridge',
      '0.01',
    ];
    expect((await pcae(ridged)).json()).toMatchObject({ trials: [{ ridge: 0.01 }, { ridge: 0.01 }] });
  });
});
