import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openSource } from '../../../src/formats/node/open.ts';
import { collect } from '../../../src/rows/memory.ts';
import { entry } from '../../../src/rows/rows.ts';
import { learnedPatterns, patterns, pcae } from '../helpers.ts';

const { at, V, names, data, model } = learnedPatterns();

async function numbersIn(path: string): Promise<Float32Array> {
  const rows = await collect(await openSource(path, { values: 'unit' }));
  return Float32Array.from({ length: rows.n * rows.V }, (_, k) =>
    entry(rows, Math.floor(k / rows.V), k % rows.V),
  );
}

describe('decode', () => {
  it.each(['codes.npy', 'codes.csv', 'codes.tsv', 'codes.parquet', 'codes.jsonl'])(
    'decoding %s gives what reconstruct gives',
    async (name) => {
      const [codes, decoded, reconstructed] = [at(name), at(`${name}.decoded.npy`), at(`${name}.rows.npy`)];
      for (const argv of [
        ['encode', model, data, '-o', codes],
        ['decode', model, codes, '-o', decoded],
        ['reconstruct', model, data, '-o', reconstructed],
      ]) {
        const ran = await pcae(argv);
        expect(ran.code, ran.err).toBe(0);
      }
      const [a, b] = [await numbersIn(decoded), await numbersIn(reconstructed)];
      expect(a).toHaveLength(200 * V);
      for (let k = 0; k < a.length; k++) expect(a[k]).toBeCloseTo(b[k], 5);
    },
  );

  it.each(['named.csv', 'named.parquet', 'named.jsonl'])(
    'codes in %s keep the names of their rows, commas and all',
    async (name) => {
      const table = at('named-rows.csv');
      const lines = patterns(20, V).map((row, i) => `"row ${i}, or so",${row.join(',')}`);
      writeFileSync(table, `${[`name,${names.join(',')}`, ...lines].join('\n')}\n`);
      expect((await pcae(['encode', model, table, '-o', at(name)])).code).toBe(0);
      const { out, err } = await pcae(['decode', model, at(name)]);
      expect(err).toBe('');
      expect(out.split('\n')[20]).toMatch(/^"row 19, or so",0\.\d+,/);
      const decoder = at(`${name}.safetensors`);
      const fitted = await pcae(['train', table, '--codes', at(name), '-o', decoder, '--json']);
      expect(fitted.err).not.toContain('error');
      expect(fitted.json()).toMatchObject({ n: 20, H: 3 });
    },
  );

  it('is no surer of an entry than --cap allows', async () => {
    const codes = at('capped.npy');
    expect((await pcae(['encode', model, data, '-o', codes])).code).toBe(0);
    const [free, capped] = [at('free.csv'), at('cap.csv')];
    expect((await pcae(['decode', model, codes, '-o', free])).code).toBe(0);
    expect((await pcae(['decode', model, codes, '--cap', '0.5', '-o', capped])).code).toBe(0);
    // Probabilities are read as values from -1 to 1.
    const most = Math.tanh(0.25);
    const [a, b] = [await numbersIn(free), await numbersIn(capped)];
    expect(a.some((y) => y > most)).toBe(true);
    a.forEach((y, k) => {
      expect(b[k]).toBeCloseTo(Math.min(most, Math.max(-most, y)), 5);
    });
  });

  it('refuses codes of another length, and what is no number', async () => {
    writeFileSync(at('long.csv'), '0.1,0.2,0.3,0.4,0.5\n');
    const long = await pcae(['decode', model, at('long.csv')]);
    expect(long).toMatchObject({ code: 1, out: '' });
    expect(long.err).toContain('long.csv: holds 5 numbers per row, expected 3');
    writeFileSync(at('words.csv'), '0.1,0.2,0.3\n0.1,x,0.3\n');
    const ran = await pcae(['decode', model, at('words.csv')]);
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.err).toContain('words.csv, row 2, column 2');
  });
});
