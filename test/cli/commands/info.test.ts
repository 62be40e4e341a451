import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pcae, workFolder } from '../helpers.ts';

const at = workFolder();

describe('info', () => {
  it('counts ones, missing entries and constant columns', async () => {
    writeFileSync(at('count.csv'), '1,0,1,0\n1,1,0,\n1,0,0,0\n');
    const found = (await pcae(['info', at('count.csv'), '--json'])).json();
    expect(found).toMatchObject({ n: 3, V: 4, format: 'csv', constantColumns: 2, onesPerRow: 5 / 3 });
    expect(found.missing).toBeCloseTo(1 / 12, 12);
    expect(found.ones).toBeCloseTo(5 / 11, 12);
    expect(found.entropy).toBeCloseTo(2 * (Math.log(3) - (2 / 3) * Math.log(2)), 12);
  });

  it('shows how a table is read, as options, as JSON and by its first rows', async () => {
    writeFileSync(at('read.csv'), 'site,oak,fir,yew\ns1,yes,no,no\ns2,no,,no\n');
    const { out } = await pcae(['info', at('read.csv')]);
    expect(out).toContain('--layout wide --header --delimiter , --id-column site --values bits\n');
    expect((await pcae(['info', at('read.csv'), '--json'])).json()).toMatchObject({
      schema: { values: 'bits', binarize: 'none', seed: 0, kind: 'bits', layout: 'wide' },
    });
    expect(out).toMatch(/constant columns +2 of 3: fir, yew\n/);
    expect(out).toMatch(/\n +oak +fir +yew\ns1 +1 +0 +0\ns2 +0 +0\n$/);
  });

  it('counts known entries alone as the cost of base rates, like every other loss', async () => {
    writeFileSync(at('gaps.csv'), '1,1\n0,0\n,1\n,0\n');
    const { entropy } = (await pcae(['info', at('gaps.csv'), '--json'])).json();
    expect(entropy).toBeCloseTo(1.5 * Math.LN2, 12);
  });

  it('was data info', async () => {
    expect((await pcae(['data', 'info', at('read.csv')])).err).toContain('pcae info FILE');
    expect((await pcae(['info', at('read.csv'), '--present', 'x'])).err).toContain("--ones WORD --zeros ''");
  });
});
