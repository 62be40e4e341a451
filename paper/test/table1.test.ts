import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseXml } from '../../test/figures/xml.ts';
import { replaceMarked } from '../src/marked.ts';
import { TABLE_ROWS } from '../src/published.ts';
import { readRuns } from '../src/results.ts';
import { RUNS } from '../src/runs.ts';
import { cell, cellText } from '../src/table1-text.ts';
import { fakeData } from './fake-data.ts';
import { paper } from './helpers.ts';

const { data, at } = fakeData();
const out = at('results');
const table1 = (...more: string[]) =>
  paper(['table1', '--data', data, '--out', out, '--epochs', '1', '--threads', '1', ...more]);
const all = ['--only', 'caltech101-32,notmnist-32', '--folds', '2', '--json'];

describe('paper table1', () => {
  it('measures every cell, keeps each run and writes the table', async () => {
    writeFileSync(at('README.md'), 'before\n<!-- table1 -->\nold\n<!-- /table1 -->\nafter\n');
    const ran = await table1(...all, '--readme', at('README.md'));
    expect(ran.code, ran.err).toBe(0);
    const { rows, done } = ran.json() as unknown as {
      rows: { row: string; measured: Record<string, { loss: number; folds?: number } | null> }[];
      done: number;
    };
    expect(done).toBe(3 * RUNS.length);
    const measured = (name: string) => rows.find(({ row }) => row === name)?.measured ?? {};
    for (const found of Object.values(measured('caltech101-32'))) expect(found?.loss).toBeGreaterThan(0);
    // Only a set with validation rows of its own has two trainings of an autoencoder.
    for (const [name, found] of Object.entries(measured('notmnist-32'))) {
      if (name.endsWith('TrainingRowsOnly')) expect(found).toBeNull();
      else expect(found?.folds).toBe(2);
    }
    for (const found of Object.values(measured('mnist-32'))) expect(found).toBeNull();

    const [run] = await readRuns(`${out}/table1/caltech101-32.json`);
    expect(run).toMatchObject({ H: 32, seed: 1, threads: 1, rows: { test: 20 }, settings: { epochs: 1 } });
    expect(Object.values(run.data)[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(run.wallSeconds).toBeGreaterThanOrEqual(0);

    const readme = readFileSync(at('README.md'), 'utf8');
    expect(readme).toMatch(/^before\n<!-- table1 -->\n[\s\S]*\n<!-- \/table1 -->\nafter\n$/);
    expect(readme).toContain('| – |');
    expect(readme).not.toContain('old\n');
    expect(readFileSync(`${out}/table1.md`, 'utf8')).toContain(
      '(2 of 10 folds) (a trial of at most 1 epochs)',
    );
    const html = readFileSync(`${out}/table1.html`, 'utf8');
    const { names } = parseXml(
      html
        .replace('<!doctype html>\n', '')
        .replace(/<meta ([^>]*)>/g, '<meta $1/>')
        .trim(),
    );
    expect(names.filter((name) => name === 'table')).toHaveLength(4);
    expect(html).not.toMatch(/(?:src|href)="|url\(|`/);
  });

  it('does nothing twice, and leaves no half-written file', async () => {
    const before = statSync(`${out}/table1/caltech101-32.json`).mtimeMs;
    const ran = await table1(...all);
    expect(ran.json().done).toBe(0);
    expect(ran.err).toContain('caltech101-32 fast: box');
    expect(ran.err).toContain('(kept)');
    expect(statSync(`${out}/table1/caltech101-32.json`).mtimeMs).toBe(before);
    expect(readdirSync(out, { recursive: true }).filter((name) => String(name).includes('.part'))).toEqual(
      [],
    );
  });

  it('does only what is missing', async () => {
    const path = `${out}/table1/caltech101-32.json`;
    const kept = JSON.parse(readFileSync(path, 'utf8')) as { runs: { run: string; losses: object }[] };
    const lost = kept.runs.filter(({ run }) => run === 'ae-relu');
    kept.runs = kept.runs.filter(({ run }) => run !== 'ae-relu');
    writeFileSync(path, JSON.stringify(kept));
    const ran = await table1(...all);
    expect(ran.json().done).toBe(1);
    const found = (await readRuns(path)).find(({ run }) => run === 'ae-relu');
    expect(found?.losses).toEqual(lost[0].losses);
  });

  it('loses only the run at hand when interrupted', async () => {
    const stop = new AbortController();
    const err = (text: string) => {
      if (text.startsWith('caltech101-100 fast:')) stop.abort();
    };
    const argv = ['table1', '--data', data, '--out', out, '--epochs', '1', '--only', 'caltech101-100'];
    const ran = await paper(argv, { signal: stop.signal, err });
    expect(ran.code).toBe(130);
    expect(ran.err).toContain('1 finished runs are kept');
    expect((await readRuns(`${out}/table1/caltech101-100.json`)).map(({ run }) => run)).toEqual(['fast']);
  });

  it('neither mixes nor replaces runs of another protocol', async () => {
    const ran = await table1(...all, '--seed', '2');
    expect(ran.code).toBe(1);
    expect(ran.err).toMatch(/caltech101-32\.json, run fast: was done with other settings \(seed 1,.*--out/);
  });

  it('says which names it knows', async () => {
    const wrong = await table1('--only', 'mnist-33');
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain('Expected some of mnist-32, mnist-100');
  });
});

describe('a cell', () => {
  const record = (fold: number, loss: number) => ({
    ...{
      run: 'fast',
      fold,
      H: 32,
      losses: { box: loss },
      rows: { train: 1, test: 1 },
      seed: 1,
      settings: {},
    },
    ...{ wallSeconds: 1, cpuSeconds: 1, threads: 1, data: {}, program: '', finished: '' },
    machine: { cpu: '', cores: 1, node: '', engine: '' },
  });

  it('is the mean over folds and their standard deviation', () => {
    const stored = new Map([['notmnist-32', [record(0, 1), record(1, 2), record(2, 6)]]]);
    const found = cell(stored, 'notmnist-32', 'fast', 'box');
    expect(found).toEqual({ loss: 3, spread: Math.sqrt(7), folds: 3 });
    expect(cellText(found)).toBe('3.00 ± 2.65 (3 of 10 folds)');
    expect(cellText(cell(stored, 'notmnist-32', 'fast', 'real'))).toBe('–');
  });

  it('has eight rows of published figures', () => {
    expect(TABLE_ROWS.map(({ name }) => name)).toHaveLength(8);
    for (const { published } of TABLE_ROWS) expect(published.pcae.box).toBeLessThan(published.ae.real);
  });
});

describe('marked places', () => {
  it('need their markers', () => {
    expect(() => replaceMarked('nothing here', 'table1', 'x', 'README.md')).toThrow(
      /README\.md: has no place marked by <!-- table1 -->/,
    );
  });
});
