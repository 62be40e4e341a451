import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { unzipSync } from 'fflate';
import { beforeAll, describe, expect, it } from 'vitest';
import { memoryBytes } from '../../src/formats/bytes.ts';
import { openSource } from '../../src/formats/node/open.ts';
import { npyHeader } from '../../src/formats/npy.ts';
import { loadModel } from '../../src/node/model-files.ts';
import { collect } from '../../src/rows/memory.ts';
import { type BitRows, entry } from '../../src/rows/rows.ts';
import { patterns, pcae, readLines, workFolder, writeCsv } from './helpers.ts';

const at = workFolder();
const V = 10;
const names = Array.from({ length: V }, (_, v) => `bit${v}`);
const data = at('data.csv');
const model = at('model.safetensors');

beforeAll(async () => {
  writeCsv(data, patterns(200, V), names);
  const { code, err } = await pcae(['train', data, '-H', '3', '--epochs', '30', '-o', model]);
  expect(code, err).toBe(0);
});

async function numbersIn(path: string): Promise<Float32Array> {
  const rows = await collect(await openSource(path, { values: 'unit' }));
  return Float32Array.from({ length: rows.n * rows.V }, (_, k) =>
    entry(rows, Math.floor(k / rows.V), k % rows.V),
  );
}

describe('decode and reconstruct', () => {
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

  it('writes bits where bits are asked for', async () => {
    const path = at('rounded.bits');
    expect((await pcae(['reconstruct', model, data, '-o', path])).code).toBe(0);
    const rows = (await collect(await openSource(path))) as BitRows;
    expect(rows).toMatchObject({ kind: 'bits', n: 200, V });
    const { out } = await pcae(['reconstruct', model, data, '--as', 'bits']);
    const lines = out.trimEnd().split('\n');
    expect(lines[0]).toBe(names.join(','));
    expect(lines[1]).toBe(Array.from({ length: V }, (_, v) => (entry(rows, 0, v) > 0 ? 1 : 0)).join(','));
  });

  it('fills in what is missing and leaves the rest alone', async () => {
    const holes = at('holes.csv');
    const rows = patterns(200, V);
    writeFileSync(
      holes,
      `${names.join(',')}\n${rows.map((row, i) => row.map((x, v) => (v === i % V ? '' : x)).join(',')).join('\n')}\n`,
    );
    const path = at('filled.csv');
    expect((await pcae(['impute', model, holes, '--as', 'bits', '-o', path])).code).toBe(0);
    const filled = readLines(path)
      .slice(1)
      .map((line) => line.split(',').map(Number));
    let right = 0;
    filled.forEach((row, i) => {
      for (let v = 0; v < V; v++) if (v !== i % V) expect(row[v]).toBe(rows[i][v]);
      right += Number(row[i % V] === rows[i][i % V]);
    });
    // Columns are on about half of the time: guessing would get a hundred right.
    expect(right).toBeGreaterThan(140);
  });

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
      const fitted = await pcae(['fit-decoder', at(name), table, '-o', decoder, '--json']);
      expect(fitted.err).not.toContain('error');
      expect(fitted.json()).toMatchObject({ n: 20, H: 3 });
    },
  );

  it('refuses codes of another length, and what is no number', async () => {
    writeFileSync(at('long.csv'), '0.1,0.2,0.3,0.4,0.5\n');
    const long = await pcae(['decode', model, at('long.csv')]);
    expect(long).toMatchObject({ code: 1, out: '' });
    expect(long.err).toContain("long.csv, row 1: holds 5 numbers a row, but the model's codes are 3");
    writeFileSync(at('words.csv'), '0.1,0.2,0.3\n0.1,x,0.3\n');
    const ran = await pcae(['decode', model, at('words.csv')]);
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.err).toContain('words.csv, row 2, column 2');
  });
});

describe('guarantee and inspect', () => {
  it('adds the cost of the drift to the bound', async () => {
    const { loss, bounds } = (
      await pcae(['guarantee', model, '--drift', '0,0.01', '--json'])
    ).json() as unknown as {
      loss: number;
      bounds: { drift: number; bound: number; driftCost: number }[];
    };
    expect(bounds[0]).toMatchObject({ drift: 0, bound: loss, driftCost: 0 });
    const { W } = await loadModel(model);
    const cost = W.reduce((sum, w) => sum + 0.005 * Math.abs(w), 0);
    expect(bounds[1].driftCost).toBeCloseTo(cost, 6);
    expect((await pcae(['guarantee', model, '--drift', '-1'])).code).toBe(2);
  });

  it('names the columns with the largest weights', async () => {
    const { units } = (await pcae(['inspect', model, '--features', '2', '--json'])).json() as unknown as {
      units: { on: { column: string; weight: number }[] }[];
    };
    const { W } = await loadModel(model);
    const first = Array.from({ length: V }, (_, v) => W[v * 4]);
    expect(units).toHaveLength(3);
    expect(units[0].on[0]).toEqual({
      column: names[first.indexOf(Math.max(...first))],
      weight: Math.max(...first),
    });
    expect((await pcae(['inspect', model])).out).toContain('+bit');
    const none = await pcae(['inspect', model, '--features', '0']);
    expect(none.code, none.err).toBe(0);
    expect(none.out).not.toContain('bit0');
  });
});

describe('sweep', () => {
  it('measures each size and ridge on held-out rows, and plots them', async () => {
    const plot = at('sweep.svg');
    const argv = ['sweep', data, '-H', '1,3', '--ridge', '1e-3,1e-2', '--epochs', '8', '-o', plot, '--json'];
    const found = (await pcae(argv)).json() as unknown as {
      trials: { H: number; validation: number; entries: number }[];
      best: { entries: number };
    };
    expect(found).toMatchObject({ n: 180, held: 20 });
    expect(found.trials.map(({ H }) => H)).toEqual([1, 1, 3, 3]);
    expect(readFileSync(plot, 'utf8')).toMatch(/^<svg/);
    expect(found.trials[2].validation).toBeLessThan(found.trials[0].validation);
    expect(found.best.entries).toBe(Math.min(...found.trials.map(({ entries }) => entries)));
  });
});

describe('report', () => {
  it('writes one page that needs nothing else', async () => {
    const page = at('report.html');
    expect((await pcae(['report', model, data, '-o', page])).code).toBe(0);
    const text = readFileSync(page, 'utf8');
    expect(text).toContain(`A model with codes of 3 numbers in [-1, 1] for rows of ${V} columns`);
    expect(text).not.toMatch(/<script|(src|href)="http/);
    expect(text).toContain('bit3');
    expect((await pcae(['report', model, data, '-o', page])).err).toContain('--force');
  });
});

describe('convert and data info', () => {
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
    expect(b).toEqual(a);
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

  it('counts ones, missing entries and constant columns', async () => {
    writeFileSync(at('count.csv'), '1,0,1,0\n1,1,0,\n1,0,0,0\n');
    const found = (await pcae(['data', 'info', at('count.csv'), '--json'])).json();
    expect(found).toMatchObject({ n: 3, V: 4, format: 'csv', constantColumns: 2, onesPerRow: 5 / 3 });
    expect(found.missing).toBeCloseTo(1 / 12, 12);
    expect(found.ones).toBeCloseTo(5 / 11, 12);
    expect(found.entropy).toBeCloseTo(2 * (Math.log(3) - (2 / 3) * Math.log(2)), 12);
  });
});

describe('export', () => {
  it('writes arrays that decode as the model does', async () => {
    const path = at('model.json');
    expect((await pcae(['export', model, '-o', path])).code).toBe(0);
    const { W, bias } = JSON.parse(readFileSync(path, 'utf8')) as { W: number[][]; bias: number[] };
    const code = [0.3, -0.2, 0.1];
    const decoded = await (await loadModel(model)).decode(Float32Array.from(code));
    W.forEach((w, v) => {
      const score = w.reduce((sum, x, h) => sum + x * code[h], bias[v]);
      expect(decoded[v]).toBeCloseTo(Math.tanh(score / 2), 4);
    });
  });

  it('writes an archive of arrays with the documented shapes', async () => {
    const path = at('model.npz');
    expect((await pcae(['export', model, '-o', path])).code).toBe(0);
    expect(await openSource(path, { variable: 'B', values: 'signs' })).toMatchObject({ n: V, V: 3 });
    const files = unzipSync(readFileSync(path));
    const shapes: Record<string, readonly number[]> = { W: [V, 3], bias: [V], B: [V, 3], means: [V] };
    for (const [name, shape] of Object.entries(shapes)) {
      const bytes = files[`${name}.npy`];
      const header = await npyHeader(memoryBytes(name, bytes));
      expect(header).toMatchObject({ descr: '<f4', fortran: false, shape });
      expect(bytes.length - header.offset).toBe(4 * shape.reduce((a, b) => a * b));
    }
    expect(Object.keys(files).sort()).toEqual(['B.npy', 'W.npy', 'about.npy', 'bias.npy', 'means.npy']);
    const about = await npyHeader(memoryBytes('about', files['about.npy']));
    expect(about.shape).toEqual([]);
    const letters = files['about.npy'].slice(about.offset);
    const text = String.fromCodePoint(...new Uint32Array(letters.buffer));
    expect(about.descr).toBe(`<U${text.length}`);
    expect(JSON.parse(text)).toMatchObject({ format: 'pc-ae', V, H: 3, columns: names });
    const { W } = await loadModel(model);
    const first = new DataView(files['bias.npy'].buffer, files['bias.npy'].byteOffset + 128).getFloat32(
      0,
      true,
    );
    expect(first).toBe(W[3]);
    expect((await pcae(['export', model, '-o', at('model.txt')])).code).toBe(2);
    expect(existsSync(at('model.txt'))).toBe(false);
  });
});
