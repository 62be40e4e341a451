import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { learnedAndOthers, patterns, pcae, readLines, writeCsv } from '../helpers.ts';

const { at, names, train, test, model } = learnedAndOthers();

describe('encode', () => {
  it('writes one code a row, in order, the same to a file and to standard output', async () => {
    const path = at('codes.csv');
    expect((await pcae(['encode', model, test, '-o', path])).code).toBe(0);
    const streamed = await pcae(['encode', model, test]);
    expect(streamed.out).toBe(readFileSync(path, 'utf8'));
    expect(readLines(path)).toHaveLength(61);
    expect(readLines(path)[0]).toBe('h1,h2,h3');
  });

  it('leaves rows without a code that even odds describe better, and decode reads them so', async () => {
    const odd = at('odd.csv');
    writeCsv(odd, [...patterns(40, 12), ...patterns(40, 12, 99)], names);
    for (const ending of ['csv', 'tsv', 'npy', 'jsonl', 'parquet']) {
      const codes = at(`odd-codes.${ending}`);
      const ran = await pcae(['encode', model, odd, '--escape', '-o', codes, '--json']);
      const { escaped } = ran.json() as unknown as { escaped: number };
      expect(escaped).toBeGreaterThan(0);
      const { out, err } = await pcae(['decode', model, codes]);
      expect(err).toBe('');
      const even = out
        .trimEnd()
        .split('\n')
        .filter((line) => line === Array(12).fill('0.5').join(','));
      expect(even).toHaveLength(escaped);
    }
    expect((await pcae(['encode', model, test, '--escape'])).err).toContain('60 codes');
  });

  it('leaves a row without a code of a single number as well', async () => {
    const one = at('one.safetensors');
    const odd = at('odd-one.csv');
    writeCsv(odd, [...patterns(40, 12), ...patterns(40, 12, 99)], names);
    expect((await pcae(['train', test, '-H', '1', '--epochs', '30', '-o', one])).code).toBe(0);
    for (const ending of ['csv', 'tsv']) {
      const codes = at(`one.${ending}`);
      const ran = await pcae(['encode', one, odd, '--escape', '-o', codes, '--json']);
      expect((ran.json() as unknown as { escaped: number }).escaped).toBeGreaterThan(0);
      const { out, err } = await pcae(['decode', one, codes]);
      expect(err).toBe('');
      expect(out.trimEnd().split('\n')).toHaveLength(81);
    }
  });

  it('leaves out codes of bits in the same way, except where they are packed', async () => {
    const [bits, odd] = [at('escaping.safetensors'), at('odd-bits.csv')];
    const learn = ['train', train, '-H', '3', '--epochs', '3', '--encoding', 'bits', '-o', bits];
    expect((await pcae(learn)).code).toBe(0);
    writeCsv(odd, [...patterns(40, 12), ...patterns(40, 12, 99)], names);
    const decoded: string[] = [];
    for (const codes of ['bits.csv', 'bits.npy', 'bits.bits'].map((name) => at(name))) {
      const ran = await pcae(['encode', bits, odd, '--escape', '-o', codes, '--json']);
      expect(ran.code, ran.err).toBe(0);
      const { escaped } = ran.json() as unknown as { escaped: number };
      expect(escaped).toBeGreaterThan(0);
      const { out } = await pcae(['decode', bits, codes]);
      expect(out.split('\n').filter((line) => line === Array(12).fill('0.5').join(','))).toHaveLength(
        escaped,
      );
      decoded.push(out);
    }
    expect(new Set(decoded).size).toBe(1);
    const packed = await pcae(['encode', bits, odd, '--escape', '--packed', '-o', at('p.npy')]);
    expect(packed.code).toBe(2);
    expect(packed.err).toContain('no room for rows without a code');
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
