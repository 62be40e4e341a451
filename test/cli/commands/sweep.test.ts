import { readFileSync, writeFileSync } from 'node:fs';
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

describe('sweep of a table with gaps', () => {
  it('chooses the ridge as train does, so that sizes are compared as they will be used', async () => {
    const rows = Array.from({ length: 120 }, (_, i) =>
      Array.from({ length: 6 }, (_, v) => ((i * 7 + v * 5) % 11 === 0 ? '' : (i + (v > 2 ? i >> 1 : 0)) & 1)),
    );
    writeFileSync(at('gaps.csv'), ['a,b,c,d,e,f', ...rows].join('\n'));
    const options = ['--epochs', '8', '--json'];
    const swept = await pcae(['sweep', at('gaps.csv'), '-H', '1', ...options]);
    expect(swept.err).toContain('the table has gaps');
    const [{ ridge }] = (swept.json() as unknown as { trials: { ridge: number }[] }).trials;
    const plain = await pcae(['sweep', at('gaps.csv'), '-H', '1', '--ridge', String(ridge), ...options]);
    expect(plain.err).not.toContain('the table has gaps');
    expect(ridge).toBeGreaterThanOrEqual(0.01);
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
