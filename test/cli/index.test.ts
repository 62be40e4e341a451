import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { npyFile } from '../../src/formats/npy.ts';
import { clustered } from '../vectors/data.ts';
import { pcae, workFolder, writeCsv } from './helpers.ts';

const at = workFolder();
const base = clustered(150, 8, 1);

describe('index', () => {
  it('makes an index of vectors, changes it, and search finds in it', async () => {
    writeFileSync(at('base.npy'), npyFile(base.values as Float32Array, [150, 8]));
    writeFileSync(at('queries.npy'), npyFile(base.values.slice(0, 24) as Float32Array, [3, 8]));
    const index = at('words.index');
    const make = ['index', index, '--from', at('base.npy'), '--values', 'vectors'];
    expect(await pcae(make)).toMatchObject({ code: 2, err: expect.stringContaining('--metric cosine') });
    const made = await pcae([...make, '--metric', 'cosine', '--bits', '16', '--json']);
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(made.out)).toMatchObject({ added: 150, rows: 150, H: 16, kind: 'vectors' });
    const search = ['search', index, at('queries.npy'), '-k', '1'];
    const exact = await pcae([...search, '--rerank', at('base.npy'), '--shortlist', '150']);
    expect(exact.out.split('\n').map((line) => line.split(',').slice(0, 2).join())).toEqual([
      ...['query,id', '0,0', '1,1', '2,2', ''],
    ]);
    const only = await pcae([...search, '--only', '5,6', '--json']);
    const { answers } = JSON.parse(only.out) as { answers: { ids: string[] }[] };
    for (const { ids } of answers) expect(['5', '6']).toContain(ids[0]);
    expect((await pcae(['index', index, '--delete', '0,1', '--compact'])).out).toContain('148 rows');
    expect((await pcae(['index', index, '--add', at('queries.npy')])).out).toContain('151 rows');
    expect((await pcae([...search, '--radius', '3'])).err).toContain('not both');
    expect((await pcae(['search', index, at('queries.npy'), '--radius', '3'])).err).toContain('say -k');
    expect((await pcae(['search', at('queries.npy'), at('queries.npy'), '--only', '1'])).err).toContain(
      'for an index',
    );
  });

  it('makes an index of rows of bits with a model', async () => {
    const rows = Array.from({ length: 60 }, (_, i) =>
      Array.from({ length: 12 }, (_, v) => ((i * 7) >> (v % 6)) & 1),
    );
    writeCsv(at('rows.csv'), rows);
    const model = at('m.safetensors');
    await pcae(['train', at('rows.csv'), '-H', '8', '--encoding', 'bits', '--epochs', '8', '-o', model]);
    const make = ['index', at('bits.index'), '--from', at('rows.csv')];
    expect((await pcae(make)).err).toContain('say what the rows are');
    const made = await pcae([...make, '--model', model, '--neighbours', 'tanimoto', '--json']);
    expect(JSON.parse(made.out)).toMatchObject({ added: 60, kind: 'bits', H: 8 });
    const found = await pcae(['search', at('bits.index'), at('rows.csv'), '-k', '3']);
    expect(found.out.trim().split('\n')).toHaveLength(181);
    expect((await pcae([...make, '--model', model, '--values', 'vectors', '--force'])).err).toContain(
      'not both',
    );
  });
});
