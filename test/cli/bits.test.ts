import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadModel } from '../../src/node/model-files.ts';
import { patterns, pcae, readLines, workFolder, writeCsv } from './helpers.ts';

const at = workFolder();
const train = at('train.csv');
const test = at('test.csv');
const model = at('bits.safetensors');

beforeAll(async () => {
  const rows = patterns(300, 12);
  writeCsv(train, rows.slice(0, 240));
  writeCsv(test, rows.slice(240));
  const { code, err } = await pcae(['train', train, '-H', '8', '--encoding', 'bits', '-o', model]);
  expect(err).toContain('bits');
  expect(code).toBe(0);
});

describe('codes of true bits', () => {
  it('are learned and remembered as such', async () => {
    expect(await loadModel(model)).toMatchObject({ encoding: 'bits', H: 8 });
  });

  it('are written as 0 and 1, or packed', async () => {
    const csv = at('codes.csv');
    expect((await pcae(['encode', model, test, '-o', csv])).code).toBe(0);
    const codes = readLines(csv)
      .slice(1)
      .map((line) => line.split(',').slice(-8).map(Number));
    expect(codes).toHaveLength(60);
    expect(codes.flat().every((bit) => bit === 0 || bit === 1)).toBe(true);
    const npy = at('codes.npy');
    expect((await pcae(['encode', model, test, '-o', npy, '--packed'])).code).toBe(0);
    // One byte a row at the end of the file, the first bit in the most significant place.
    const bytes = readFileSync(npy).subarray(-60);
    codes.forEach((bits, i) => {
      expect(bytes[i]).toBe(Number.parseInt(bits.join(''), 2));
    });
  });

  it('are no worse with more effort, and best when all are tried', async () => {
    const loss = async (effort: string) =>
      (await pcae(['eval', model, test, '--effort', effort, '--json'])).json().loss as number;
    const [fast, thorough, all] = [await loss('fast'), await loss('thorough'), await loss('exhaustive')];
    expect(thorough).toBeLessThanOrEqual(fast + 1e-6);
    expect(all).toBeLessThanOrEqual(thorough + 1e-6);
  });

  it('alone can be packed', async () => {
    const box = at('box.safetensors');
    await pcae(['train', train, '-H', '2', '--epochs', '2', '-o', box]);
    const { code, err } = await pcae(['encode', box, test, '-o', at('x.npy'), '--packed']);
    expect(code).toBe(2);
    expect(err).toContain('--packed is for codes of bits');
  });
});
