import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { learnedPatterns, pcae } from '../helpers.ts';

const { at, data } = learnedPatterns();

describe('sweep', () => {
  it('measures each size and ridge on held-out rows, and plots them', async () => {
    const plot = at('sweep.svg');
    const argv = ['sweep', data, '-H', '1,3', '--ridge', '1e-3,1e-2', '--epochs', '8', '-o', plot, '--json'];
    const found = (await pcae(argv)).json() as unknown as {
      trials: { H: number; heldOutLoss: number; entryLoss: number }[];
      best: { entryLoss: number };
    };
    expect(found).toMatchObject({ n: 180, held: 20 });
    expect(found.trials.map(({ H }) => H)).toEqual([1, 1, 3, 3]);
    expect(readFileSync(plot, 'utf8')).toMatch(/^<svg/);
    expect(found.trials[2].heldOutLoss).toBeLessThan(found.trials[0].heldOutLoss);
    expect(found.best.entryLoss).toBe(Math.min(...found.trials.map(({ entryLoss }) => entryLoss)));
  });
});

describe('sweep --grow', () => {
  it('grows models and names the size that does best on hidden entries', async () => {
    const ran = await pcae(['--json', 'sweep', data, '-H', '4,1,2', '--grow', '--epochs', '20']);
    expect(ran.code).toBe(0);
    const { trials, best } = ran.json() as unknown as {
      trials: { H: number; trainingLoss: number; entryLoss: number }[];
      best: { entryLoss: number };
    };
    expect(trials.map(({ H }) => H)).toEqual([1, 2, 4]);
    expect(best.entryLoss).toBe(Math.min(...trials.map(({ entryLoss }) => entryLoss)));
    const text = await pcae(['sweep', data, '-H', '1,2', '--grow', '--epochs', '5']);
    expect(text.out).toMatch(/lowest loss of hidden entries/);
    const ridged = ['--json', 'sweep', data, '-H', '1,2', '--grow', '--epochs', '5', '--ridge', '0.01'];
    expect((await pcae(ridged)).json()).toMatchObject({ trials: [{ ridge: 0.01 }, { ridge: 0.01 }] });
  });
});
