import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PCAE } from '../../../src/model/model.ts';
import { loadModel } from '../../../src/node/load-model.ts';
import { pcae, workFolder } from '../helpers.ts';

const at = workFolder();

describe('demo', () => {
  it('trains on generated digits and writes a model and a report', async () => {
    const folder = at('demo');
    const argv = ['demo', '-H', '4', '--train', '200', '--test', '100', '--epochs', '3', '--folder', folder];
    const ran = await pcae(argv);
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(ran.out).toContain('The mean loss of rows from this source is at most');
    expect(ran.out).not.toMatch(/bound|drift/);
    const page = readFileSync(`${folder}/demo.html`, 'utf8');
    expect(page).not.toMatch(/(src|href)="http/);
    expect(page).toContain('All 4 hidden units');
    expect(await loadModel(`${folder}/demo.safetensors`, { as: PCAE })).toMatchObject({ H: 4, V: 784 });
    const again = (await pcae([...argv, '--json'])).json() as Record<string, never>;
    expect(again).toMatchObject({ n: 200, V: 784, H: 4, bits: { before: 784 } });
  });
});
