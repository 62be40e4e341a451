import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { patterns, pcae, readLines, workFolder, writeCsv } from '../helpers.ts';

const at = workFolder();
const names = Array.from({ length: 12 }, (_, v) => `bit${v}`);
const train = at('train.csv');
const test = at('test.csv');
const model = at('model.safetensors');

beforeAll(async () => {
  const rows = patterns(300, 12);
  writeCsv(train, rows.slice(0, 240), names);
  writeCsv(test, rows.slice(240), names);
  const { code, err } = await pcae(['train', train, '-H', '3', '--epochs', '20', '-o', model]);
  expect(err).toContain('240 rows of 12 bits');
  expect(code).toBe(0);
});

describe('encode', () => {
  it('writes one code a row, in order, the same to a file and to standard output', async () => {
    const path = at('codes.csv');
    expect((await pcae(['encode', model, test, '-o', path])).code).toBe(0);
    const streamed = await pcae(['encode', model, test]);
    expect(streamed.out).toBe(readFileSync(path, 'utf8'));
    expect(readLines(path)).toHaveLength(61);
    expect(readLines(path)[0]).toBe('h1,h2,h3');
  });

  it('does not mix rows and JSON on standard output', async () => {
    const ran = await pcae(['encode', model, test, '--json']);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain('-o');
  });

  it('leaves nothing behind when the data are bad', async () => {
    const bad = at('bad.csv');
    writeCsv(bad, [...patterns(5000, 12)], names);
    writeFileSync(bad, readFileSync(bad, 'utf8').replace(/\n[01],([^\n]*)\n$/, '\nhello,$1\n'));
    const ran = await pcae(['encode', model, bad, '-o', at('bad-codes.npy')]);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain("row 5000, column 'bit0'");
    expect(readdirSync(at('.')).filter((name) => name.includes('bad-codes'))).toEqual([]);
  });
});
