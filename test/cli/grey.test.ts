import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { encodeNpy } from '../../src/formats/npy.ts';
import { readSafetensors, writeSafetensors } from '../../src/formats/safetensors.ts';
import { memorySource } from '../../src/rows/memory.ts';
import { concat } from '../formats/helpers.ts';
import { pcae, workFolder } from './helpers.ts';

const at = workFolder();
const grey = at('grey.csv');
const bits = at('bits.csv');
const lines = (entry: (i: number, v: number) => number) =>
  Array.from({ length: 40 }, (_, i) => Array.from({ length: 6 }, (_, v) => entry(i, v)).join(',')).join('\n');
writeFileSync(
  grey,
  lines((i, v) => ((i * 7 + v * 3) % 11) / 10),
);
writeFileSync(
  bits,
  lines((i, v) => (i + v) % 2),
);

async function train(name: string, ...options: string[]): Promise<string> {
  const path = at(`${name}.safetensors`);
  const ran = await pcae(['train', grey, '-H', '2', '--epochs', '2', '-o', path, ...options]);
  expect(ran.code, ran.err).toBe(0);
  return path;
}

describe('a model remembers how grey values were read', async () => {
  const cut = await train('cut', '--binarize', 'threshold');
  const drawn = await train('drawn', '--binarize', 'sample', '--binarize-seed', '5');
  const real = await train('real');
  const evaluated = async (...argv: string[]) => {
    const ran = await pcae(['eval', ...argv, '--json']);
    expect(ran.code, ran.err).toBe(0);
    return { err: ran.err, data: ran.json().data };
  };

  it('and shows it', async () => {
    expect((await pcae(['inspect', drawn, '--json'])).json()).toMatchObject({
      schema: { values: 'unit', binarize: 'sample', seed: 5, kind: 'bits' },
    });
    expect((await pcae(['inspect', drawn])).out).toContain('binarised by sampling (seed 5)');
  });

  it('reads new rows alike', async () => {
    expect(await evaluated(cut, grey)).toMatchObject({ err: '', data: { binarize: 'threshold' } });
    expect(await evaluated(drawn, grey)).toMatchObject({
      err: '',
      data: { binarize: 'sample', binarizeSeed: 5 },
    });
    expect(await evaluated(real, grey)).toMatchObject({ err: '', data: { binarize: 'none', kind: 'real' } });
  });

  it('says so when told to read them otherwise', async () => {
    const other = await evaluated(cut, grey, '--binarize', 'sample');
    expect(other.err).toMatch(/^note: .*binarised by sampling \(seed 0\).*binarised by threshold\n$/);
    const seed = await evaluated(drawn, grey, '--binarize-seed', '6');
    expect(seed.err).toMatch(/seed 6.*seed 5/);
  });

  it('reads numbers alike that could be several things', async () => {
    const counts = at('counts.csv');
    const signs = at('signs.csv');
    writeFileSync(
      counts,
      lines((i, v) => (i * 5 + v) % 4),
    );
    writeFileSync(
      signs,
      lines((i, v) => ((i + 2 * v) % 3) - 1),
    );
    for (const [data, values] of [
      [counts, 'presence'],
      [counts, 'bytes'],
      [signs, 'signs'],
    ]) {
      expect((await pcae(['info', data])).err).toContain('--values');
      const path = at('said.safetensors');
      const argv = ['train', data, '-H', '2', '--epochs', '2', '--values', values, '-o', path, '--force'];
      const ran = await pcae(argv);
      expect(ran.code, ran.err).toBe(0);
      expect(await evaluated(path, data)).toMatchObject({ err: '', data: { values } });
    }
  });

  it('reads packed bits alike', async () => {
    const [packed, path] = [at('packed.npy'), at('packed.safetensors')];
    const table = memorySource({ kind: 'bits', n: 4, V: 16, bits: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8) });
    writeFileSync(packed, await concat(encodeNpy(table, { packed: true })));
    const ran = await pcae(['train', packed, '-H', '1', '--epochs', '1', '--values', 'packed', '-o', path]);
    expect(ran.code, ran.err).toBe(0);
    expect(await evaluated(path, packed)).toMatchObject({ err: '', data: { values: 'packed', V: 16 } });
  });

  it('has nothing to say of bits', async () => {
    expect(await evaluated(cut, bits)).toMatchObject({ err: '', data: { binarize: 'none', kind: 'bits' } });
  });

  it('is not needed: files of before can be read', async () => {
    const { tensors, metadata } = readSafetensors(readFileSync(drawn), drawn);
    const { schema: _, ...before } = JSON.parse(metadata['pc-ae']);
    const path = at('before.safetensors');
    writeFileSync(path, writeSafetensors([...tensors], { 'pc-ae': JSON.stringify(before) }));
    expect(await evaluated(path, grey)).toMatchObject({ err: '', data: { binarize: 'none', kind: 'real' } });
    expect((await pcae(['inspect', path])).out).not.toContain('read as');
  });
});
