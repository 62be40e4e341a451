import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pcae, workFolder } from '../helpers.ts';

const at = workFolder();

describe('data info', () => {
  it('counts ones, missing entries and constant columns', async () => {
    writeFileSync(at('count.csv'), '1,0,1,0\n1,1,0,\n1,0,0,0\n');
    const found = (await pcae(['data', 'info', at('count.csv'), '--json'])).json();
    expect(found).toMatchObject({ n: 3, V: 4, format: 'csv', constantColumns: 2, onesPerRow: 5 / 3 });
    expect(found.missing).toBeCloseTo(1 / 12, 12);
    expect(found.ones).toBeCloseTo(5 / 11, 12);
    expect(found.entropy).toBeCloseTo(2 * (Math.log(3) - (2 / 3) * Math.log(2)), 12);
  });
});
