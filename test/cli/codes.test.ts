import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openCodes } from '../../src/cli/codes.ts';
import { pcae, workFolder } from './helpers.ts';

const at = workFolder();

it.each([
  ['numbers above which encode names the units', 'a.csv', 'patient,h1,h2\n17,0.5,-1\n18,1,0\n', 'patient'],
  ['numbers in objects', 'a.jsonl', '{"site":17,"h1":0.5,"h2":-1}\n{"site":18,"h1":1,"h2":0}\n', 'site'],
  ['words that look like numbers', 'b.jsonl', '{"p":"17","z":[0.5,-1]}\n{"p":"18","z":[1,0]}\n', 'p'],
])('names of rows beside codes: %s', async (_, file, text, heading) => {
  writeFileSync(at(file), text);
  const source = await openCodes(at(file));
  expect(source).toMatchObject({ n: 2, width: 2 });
  expect([...source.ids!]).toEqual(['17', '18']);
  expect(source.ids!.heading).toBe(heading);
  for await (const codes of source.chunks(2)) expect(codes).toEqual(Float32Array.of(0.5, -1, 1, 0));
});

it.each([
  ['units counted from 0', 'h0.csv', 'h0,h1,h2\n3,0.5,-1\n4,1,0\n'],
  ['units with other names', 'z.csv', 'z1,z2,z3\n3,0.5,-1\n4,1,0\n'],
  ['no names of columns', 'plain.csv', '3,0.5,-1\n4,1,0\n'],
])('codes without names of rows: %s', async (_, file, text) => {
  writeFileSync(at(file), text);
  expect(await openCodes(at(file))).toMatchObject({ n: 2, width: 3, ids: undefined });
});

it.each(['csv', 'tsv', 'jsonl', 'parquet'])(
  'codes of bits whose rows are called 0 and 1, in .%s',
  async (format) => {
    const lines = Array.from({ length: 12 }, (_, i) => `${i},${i & 1},${(i >> 1) & 1},${(i * i) & 1}`);
    writeFileSync(at('plots.csv'), `plot,a,b,c\n${lines.join('\n')}\n`);
    const train = ['train', at('plots.csv'), '--id-column', 'plot', '-H', '2', '--encoding', 'bits'];
    const learning = ['--epochs', '3', '-o', at('plots.safetensors'), '--force'];
    expect((await pcae([...train, ...learning])).code).toBe(0);
    const codes = at(`two.${format}`);
    const encoded = await pcae([
      'encode',
      at('plots.safetensors'),
      at('plots.csv'),
      '--rows',
      '0:2',
      '-o',
      codes,
    ]);
    expect(encoded.code, encoded.err).toBe(0);
    const { code, out, err } = await pcae(['decode', at('plots.safetensors'), codes]);
    expect(code, err).toBe(0);
    expect(out).toMatch(/^plot,a,b,c\n0,.*\n1,.*\n$/);
  },
);

it('encode writes what is proven of each row beside its code', async () => {
  const lines = Array.from(
    { length: 40 },
    (_, i) => `p${i},${i & 1},${(i >> 1) & 1},${(i * i) & 1},${i % 3 ? 1 : 0}`,
  );
  writeFileSync(at('rows.csv'), `id,a,b,c,d\n${lines.join('\n')}\n`);
  for (const [encoding, heading] of [
    ['box', 'id,loss,gap'],
    ['bits', 'id,loss,gap,flips'],
  ]) {
    const train = ['train', at('rows.csv'), '-H', '2', '--encoding', encoding, '-o', at('m.safetensors')];
    expect((await pcae([...train, '--epochs', '5', '--force'])).code).toBe(0);
    const files = ['-o', at('c.npy'), '--certificates', at('proofs.csv'), '--force', '--json'];
    const encoded = await pcae(['encode', at('m.safetensors'), at('rows.csv'), ...files]);
    expect(encoded.code, encoded.err).toBe(0);
    const [head, ...rows] = readFileSync(at('proofs.csv'), 'utf8').trim().split('\n');
    expect(head).toBe(heading);
    expect(rows).toHaveLength(40);
    expect(rows[7]).toMatch(/^p7,/);
    const mean = (k: number) => rows.reduce((sum, row) => sum + Number(row.split(',')[k]), 0) / 40;
    const { loss, gap } = encoded.json() as unknown as { loss: number; gap: { mean: number } };
    expect(mean(1)).toBeCloseTo(loss, 4);
    expect(mean(2)).toBeCloseTo(gap.mean, 4);
  }
  const same = [
    'encode',
    at('m.safetensors'),
    at('rows.csv'),
    '-o',
    at('x.csv'),
    '--certificates',
    at('x.csv'),
  ];
  expect((await pcae(same)).err).toMatch(/name the same file/);
});
