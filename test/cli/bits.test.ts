import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { PCAE } from '../../src/model/model.ts';
import { loadModel } from '../../src/node/load-model.ts';
import { patterns, pcae, readLines, workFolder, writeCsv } from './helpers.ts';

const at = workFolder();
const train = at('train.csv');
const test = at('test.csv');
const model = at('bits.safetensors');

beforeAll(async () => {
  const rows = patterns(300, 12);
  writeCsv(train, rows.slice(0, 240));
  writeCsv(test, rows.slice(240));
  const { code, err, out } = await pcae(['train', train, '-H', '8', '--encoding', 'bits', '-o', model]);
  expect(err).toContain('bits');
  // A bound that is loose by nature must not read like a failure to learn.
  expect(out).toContain('not ruled out');
  expect(out).not.toContain('certified gap');
  expect(code).toBe(0);
});

describe('codes of true bits', () => {
  it('are learned and remembered as such', async () => {
    expect(await loadModel(model, { as: PCAE })).toMatchObject({ encoding: 'bits', H: 8 });
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
    const ran = await pcae(['encode', model, test, '-o', npy, '--packed']);
    expect(ran.code).toBe(0);
    expect(ran.out).toContain('codes.npy: 60 codes of 8 bits, 1 byte each');
    // One byte a row at the end of the file, the first bit in the most significant place.
    const bytes = readFileSync(npy).subarray(-60);
    codes.forEach((bits, i) => {
      expect(bytes[i]).toBe(Number.parseInt(bits.join(''), 2));
    });
    // Or in the least.
    expect(
      (await pcae(['encode', model, test, '-o', npy, '--force', '--packed', '--order', 'lsb'])).code,
    ).toBe(0);
    const turned = readFileSync(npy).subarray(-60);
    codes.forEach((bits, i) => {
      expect(turned[i]).toBe(Number.parseInt(bits.toReversed().join(''), 2));
    });
    expect((await pcae(['encode', model, test, '--order', 'lsb'])).err).toContain('--order is for --packed');
  });

  it('decode to what is reconstructed, however they were written', async () => {
    expect((await pcae(['reconstruct', model, test, '-o', at('r.csv')])).code).toBe(0);
    const expected = readLines(at('r.csv'));
    for (const [name, ...options] of [['d.csv'], ['d.npy'], ['d.bits'], ['d.jsonl'], ['p.npy', '--packed']]) {
      expect((await pcae(['encode', model, test, '-o', at(name), ...options])).code).toBe(0);
      const ran = await pcae(['decode', model, at(name), '-o', at('again.csv'), '--force']);
      expect(ran.code, ran.err).toBe(0);
      expect(readLines(at('again.csv')), name).toEqual(expected);
    }
    const least = ['--order', 'lsb'];
    expect((await pcae(['encode', model, test, '-o', at('l.npy'), '--packed', ...least])).code).toBe(0);
    expect((await pcae(['decode', model, at('l.npy'), '-o', at('least.csv'), ...least])).code).toBe(0);
    expect(readLines(at('least.csv'))).toEqual(expected);
    writeFileSync(at('odd.csv'), '0,1,0,1,0.5,1,0,1\n');
    expect((await pcae(['decode', model, at('odd.csv')])).err).toContain('not codes of bits');
    writeFileSync(at('boxes.csv'), '-0.5,1,0,1,0.5,1,0,1\n');
    const boxes = await pcae(['decode', model, at('boxes.csv')]);
    expect(boxes.err).toContain('not codes of bits');
    expect(boxes.err).not.toContain('--binarize');
    writeFileSync(at('wide.csv'), '0,1,0,1,0,1,0,1,1,0\n');
    expect((await pcae(['decode', model, at('wide.csv')])).err).toContain(
      'holds 10 numbers per row, expected 8',
    );
  });

  it('are no worse with more effort, and best when all are tried', async () => {
    const loss = async (effort: string) =>
      (await pcae(['eval', model, test, '--effort', effort, '--json'])).json().loss as number;
    const [fast, thorough, all] = [await loss('fast'), await loss('thorough'), await loss('exhaustive')];
    expect(thorough).toBeLessThanOrEqual(fast + 1e-6);
    expect(all).toBeLessThanOrEqual(thorough + 1e-6);
    const tried = (await pcae(['eval', model, test, '--effort', 'exhaustive', '--json'])).json();
    expect(tried).toMatchObject({ gap: { mean: 0, max: 0 }, uncertified: 0, flipOptimal: 8 });
    const { out } = await pcae(['eval', model, test, '--effort', 'exhaustive']);
    expect(out).toContain('no other code is better');
    expect(out).not.toContain('no bits below');
  });

  it('are bounded more tightly by the relaxation, and say which flips they resist', async () => {
    const loose = (await pcae(['eval', model, test, '--json'])).json();
    const tight = (await pcae(['eval', model, test, '--bound', '--json'])).json();
    const thorough = (await pcae(['eval', model, test, '--effort', 'thorough', '--json'])).json();
    const gap = (found: Record<string, unknown>) => (found.gap as { mean: number }).mean;
    expect(tight.loss).toBe(loose.loss);
    expect(gap(tight)).toBeLessThan(gap(loose));
    expect([loose.flipOptimal, thorough.flipOptimal]).toEqual([1, 2]);
    const encoded = await pcae(['encode', model, test, '--bound', '-o', at('b.csv'), '--json']);
    expect(gap(encoded.json())).toBeCloseTo(gap(tight), 6);
    expect((await pcae(['eval', model, test, '--bound'])).out).toContain('no bits below');
    expect((await pcae(['eval', model, test])).out).toContain('no flip of a bit improves a code');
  });

  it('alone can be packed and bounded; bits are drawn from box codes alone', async () => {
    const box = at('box.safetensors');
    await pcae(['train', train, '-H', '2', '--epochs', '2', '-o', box]);
    const packed = await pcae(['encode', box, test, '-o', at('x.npy'), '--packed']);
    expect(packed.code).toBe(2);
    expect(packed.err).toContain('--packed is for codes of bits');
    expect((await pcae(['eval', box, test, '--bound'])).err).toContain('--bound is for codes of bits');
    expect((await pcae(['eval', model, test, '--draws', '4'])).err).toContain('--draws is for box codes');
    const drawn = (await pcae(['eval', box, test, '--draws', '8', '--json'])).json();
    const { loss, standardError, draws } = drawn.randomised as Record<string, number>;
    expect(draws).toBe(8);
    expect(loss).toBeGreaterThan((drawn.loss as number) - 4 * standardError);
    expect(standardError).toBeGreaterThan(0);
  });

  it('have an encoder that no ONNX graph can be', async () => {
    const { code, err } = await pcae(['export', model, '-o', at('e.onnx'), '--onnx', 'encoder']);
    expect(code).toBe(1);
    expect(err).toContain('Export the decoder');
    expect((await pcae(['export', model, '-o', at('d.onnx')])).code).toBe(0);
  });
});
