import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openSource } from '../../../src/formats/node/open.ts';
import { collect } from '../../../src/rows/memory.ts';
import { entry } from '../../../src/rows/rows.ts';
import { learnedPatterns, pcae } from '../helpers.ts';

const { at, data } = learnedPatterns();

describe('convert', () => {
  it('keeps every entry from format to format', async () => {
    const path = (name: string) => at(`round.${name}`);
    const way = [data, path('bits'), path('npy'), path('parquet'), path('jsonl'), path('tsv')];
    for (let k = 1; k < way.length; k++) {
      const ran = await pcae(['convert', way[k - 1], way[k]]);
      expect(ran.code, ran.err).toBe(0);
    }
    const [a, b] = [
      await collect(await openSource(data)),
      await collect(await openSource(way[way.length - 1])),
    ];
    // An .npy file keeps no names of columns, and each format says how it was read.
    const { columns: _, schema: __, ...entries } = a;
    expect(b).toMatchObject(entries);
  });

  it('writes to standard output without a name', async () => {
    const { out } = await pcae(['convert', data, '--to', 'csv']);
    expect(out).toBe(readFileSync(data, 'utf8'));
  });

  it('keeps missing entries missing in packed bits', async () => {
    writeFileSync(at('gap.csv'), '1,0,1\n,1,0\n');
    expect((await pcae(['convert', at('gap.csv'), at('gap.bits')])).code).toBe(0);
    expect(entry(await collect(await openSource(at('gap.bits'))), 1, 0)).toBeNaN();
  });
});
