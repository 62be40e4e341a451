import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { patterns, pcae, readLines, workFolder, writeCsv } from '../helpers.ts';

const at = workFolder();
const [n, V] = [5000, 13];
writeCsv(at('data.csv'), patterns(n, V));

describe('compress, and convert back', () => {
  it('give the rows back, and say what they take', async () => {
    const argv = ['--json', 'compress', at('data.csv'), '-H', '2', '--epochs', '5', '-o', at('data.pcz')];
    const ran = await pcae(argv);
    expect(ran.code, ran.err).toBe(0);
    const facts: Record<string, number> = ran.json();
    const others: Record<string, number> = ran.json().others;
    expect(facts).toMatchObject({ n, V, H: 2, packed: 2 * n, total: readFileSync(at('data.pcz')).length });
    expect(facts.model + facts.codes + facts.residual + facts.frame).toBe(facts.total);
    // Four patterns and 8 % of the bits flipped have 2 + 13 x 0.402 bits of entropy a row; 15 % more is
    // allowed.
    expect(facts.total).toBeLessThan((1.15 * (2 + V * 0.402) * n) / 8);
    expect(others['gzip -9']).toBeGreaterThan(facts.total);
    expect(others['brotli -q 11']).toBeGreaterThan(facts.total);
    const back = await pcae(['convert', at('data.pcz'), at('back.csv')]);
    expect(back.code, back.err).toBe(0);
    expect(readLines(at('back.csv'))).toEqual(readLines(at('data.csv')));
    const some = await pcae(['convert', at('data.pcz'), at('some.csv'), '--rows', '2:5', '--columns', '0:3']);
    expect(some.code, some.err).toBe(0);
    const asked = readLines(at('data.csv')).slice(2, 5);
    expect(readLines(at('some.csv'))).toEqual(asked.map((line) => line.slice(0, 5)));
    const told = await pcae(['train', at('data.pcz'), '-H', '2', '-o', at('no.safetensors')]);
    expect(told.err).toContain('is compressed by pcae compress, which is not read. Unpack it: pcae convert');
    const former = await pcae(['decompress', at('data.pcz')]);
    expect(former).toMatchObject({ code: 2 });
    expect(former.err).toContain('pcae convert FILE.pcz ROWS.bits');
  });

  it('makes the same file again, and a table for people', async () => {
    const argv = ['compress', at('data.csv'), '-H', '2', '--epochs', '5', '--no-compare', '--threads', '1'];
    const { code, out } = await pcae([...argv, '-o', at('again.pcz')]);
    expect(code).toBe(0);
    expect(out).toContain('residual');
    expect(out).not.toContain('gzip');
    expect(readFileSync(at('again.pcz')).equals(readFileSync(at('data.pcz')))).toBe(true);
  });

  it('chooses the bits of a code: none where earlier rows predict better', async () => {
    const ran = await pcae(['--json', 'compress', at('data.csv'), '--epochs', '5', '-o', at('chosen.pcz')]);
    expect(ran.code, ran.err).toBe(0);
    const { H, total } = ran.json();
    expect(H).toBe(0);
    expect(total).toBeLessThanOrEqual(readFileSync(at('data.pcz')).length);
    const back = await pcae(['convert', at('chosen.pcz'), at('chosen.csv')]);
    expect(back.code, back.err).toBe(0);
    expect(readLines(at('chosen.csv'))).toEqual(readLines(at('data.csv')));
  });

  it('refuses damaged files and leaves nothing behind', async () => {
    const bytes = Uint8Array.from(readFileSync(at('data.pcz')));
    bytes[bytes.length - 1] ^= 1;
    writeFileSync(at('damaged.pcz'), bytes);
    const ran = await pcae(['convert', at('damaged.pcz'), at('never.csv')]);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('damaged.pcz: the rows are not what was compressed');
    expect(() => readFileSync(at('never.csv'))).toThrow();
  });

  it('refuses rows that are not bits', async () => {
    writeCsv(at('real.csv'), [[0.25, 0.5, 0.75]]);
    writeFileSync(at('holes.csv'), '0,1,\n1,0,1\n');
    const failing = async (name: string) =>
      (await pcae(['compress', at(name), '-H', '1', '--epochs', '1', '-o', at('never.pcz')])).err;
    expect(await failing('real.csv')).toContain('real.csv: holds real values; use --binarize threshold');
    expect(await failing('holes.csv')).toMatch(/holes\.csv, row 1, column 3: is missing.*reconstruct --fill/);
  });
});
