import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openSource } from '../../../src/formats/node/open.ts';
import { collect } from '../../../src/rows/memory.ts';
import { type BitRows, entry } from '../../../src/rows/rows.ts';
import { learnedPatterns, patterns, pcae, readLines, writeCsv } from '../helpers.ts';

const { at, V, names, data, model } = learnedPatterns();

describe('reconstruct', () => {
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
    writeFileSync(holes, text(rows));
    const path = at('filled.csv');
    const ran = await pcae(['reconstruct', model, holes, '--fill', '--as', 'bits', '-o', path]);
    expect(ran.code).toBe(0);
    expect(ran.out).toContain(`200 rows of ${V} columns, 200 missing entries filled in`);
    writeCsv(at('whole.csv'), rows, names);
    const whole = await pcae(['reconstruct', model, at('whole.csv'), '--fill', '-o', at('as-it-was.csv')]);
    expect(whole.out).toContain(`200 rows of ${V} columns, no entry was missing`);
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

  it('says what may help where base rates guess better, but not what the model was learned with', async () => {
    const rows = patterns(200, V);
    writeFileSync(at('turned.csv'), text(rows.map((row) => row.map((x, v) => (v % 2 ? 1 - x : x)))));
    const chosen = at('chosen.safetensors');
    const learn = ['train', data, '-H', '3', '--epochs', '20', '-o', chosen, '--ridge', 'auto'];
    expect((await pcae(learn)).out).toContain('(auto)');
    expect((await pcae(['inspect', chosen])).out).toContain('(auto), l1');
    const advice = async (path: string) =>
      (await pcae(['reconstruct', path, at('turned.csv'), '--fill', '-o', at('turned-back.csv'), '--force']))
        .err;
    expect(await advice(model)).toContain(
      'base rates guess better than this model; learn it with --neighbours or --ridge auto',
    );
    expect(await advice(chosen)).toContain(
      'learn it with --neighbours, or with the size that `pcae sweep` finds',
    );
  });

  /** A table with a hole in each row. */
  const text = (rows: readonly (readonly number[])[]) =>
    `${names.join(',')}\n${rows.map((row, i) => row.map((x, v) => (v === i % V ? '' : x)).join(',')).join('\n')}\n`;
});
