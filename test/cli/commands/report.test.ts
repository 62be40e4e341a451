import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { patterns, pcae, workFolder, writeCsv } from '../helpers.ts';

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
