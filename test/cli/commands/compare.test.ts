import { describe, expect, it } from 'vitest';
import { patterns, pcae, workFolder, writeCsv } from '../helpers.ts';

const at = workFolder();

describe('compare', () => {
  it('measures every method on the same rows held out, and codes beat base rates', async () => {
    const data = at('data.csv');
    writeCsv(data, patterns(300, 12));
    const ran = await pcae(['compare', data, '-H', '3', '--bits', '--json']);
    const { n, held, contestants } = ran.json() as unknown as {
      n: number;
      held: number;
      contestants: { method: string; loss: number }[];
    };
    expect([n, held]).toEqual([270, 30]);
    expect(contestants.map(({ method }) => method)).toEqual([
      'base rates, no code',
      'PCA, clipped',
      'PCA, logistic link',
      'PC-AE, true bits',
      'PC-AE',
    ]);
    const loss = (name: string) => contestants.find(({ method }) => method === name)?.loss ?? Number.NaN;
    expect(loss('PC-AE')).toBeLessThan(loss('PCA, logistic link'));
    expect(loss('PCA, logistic link')).toBeLessThan(loss('base rates, no code'));
  });

  it('trains autoencoders beside them where asked to', async () => {
    const data = at('more.csv');
    writeCsv(data, patterns(100, 8));
    const ran = await pcae(['compare', data, '-H', '3', '--autoencoders', '--bits', '--json']);
    const { contestants } = ran.json() as unknown as { contestants: { method: string; loss: number }[] };
    const loss = (name: string) => contestants.find(({ method }) => method === name)?.loss ?? Number.NaN;
    for (const units of ['logistic units', 'ReLU units', 'true bits']) {
      expect(loss(`autoencoder, ${units}`)).toBeLessThan(8 * Math.LN2);
      expect(loss(`autoencoder, ${units}`)).toBeGreaterThan(0);
    }
  });

  it('compares how well hidden entries are guessed, on the same entries', async () => {
    const data = at('survey.csv');
    writeCsv(data, patterns(400, 12));
    const ran = await pcae(['compare', data, '-H', '2', '--hidden-entries', '--json']);
    const { hide, guessers } = ran.json() as unknown as {
      hide: number;
      guessers: { method: string; entryLoss: number; wrong: number }[];
    };
    expect(hide).toBe(0.2);
    expect(guessers.every(({ wrong }) => wrong >= 0 && wrong < 1)).toBe(true);
    const loss = (name: string) => guessers.find(({ method }) => method === name)?.entryLoss ?? Number.NaN;
    for (const method of ['50 nearest rows', 'logistic regression per column', 'PC-AE with neighbours'])
      expect(loss(method)).toBeLessThan(loss('base rates'));
  });
});
