import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pcae, workFolder, writeCsv } from '../helpers.ts';

const at = workFolder();

/** Codes of 16 bits with 0, 1, 2 and 16 ones. */
const BITS = ['0000000000000000', '0000000100000000', '1000000000000001', '1111111111111111'].map((text) =>
  Array.from(text, Number),
);
const QUERIES = ['0000000000000000', '1111111111111110'].map((text) => Array.from(text, Number));

/** Bits as numpy.packbits and numpy.save leave them. */
function writePacked(path: string, rows: readonly (readonly number[])[], order: 'msb' | 'lsb' = 'msb'): void {
  const bytes = rows.flatMap((row) =>
    Array.from({ length: row.length / 8 }, (_, b) => {
      const bits = row.slice(8 * b, 8 * b + 8);
      return Number.parseInt((order === 'msb' ? bits : bits.toReversed()).join(''), 2);
    }),
  );
  const shape = `(${rows.length}, ${rows[0].length / 8})`;
  const header = `{'descr': '|u1', 'fortran_order': False, 'shape': ${shape}, }`.padEnd(117);
  const start = Buffer.from(`\x93NUMPY\x01\x00\x76\x00${header}\n`, 'latin1');
  writeFileSync(path, Buffer.concat([start, Uint8Array.from(bytes)]));
}

/** The two nearest of each query. */
const EXPECTED = 'query,code,distance\n0,0,0\n0,1,1\n1,3,1\n1,1,14\n';

describe('search', () => {
  it('finds the nearest codes in every format, and in two at once', async () => {
    writePacked(at('codes.npy'), BITS);
    writePacked(at('little.npy'), BITS, 'lsb');
    writePacked(at('queries.npy'), QUERIES);
    writeCsv(at('codes.csv'), BITS);
    writeCsv(at('queries.csv'), QUERIES);
    expect((await pcae(['convert', at('codes.csv'), at('codes.bits')])).code).toBe(0);
    for (const argv of [
      [at('codes.npy'), at('queries.npy')],
      [at('codes.csv'), at('queries.csv')],
      [at('codes.bits'), at('queries.npy')],
      [at('codes.npy'), at('queries.csv')],
      [at('little.npy'), at('queries.csv'), '--order', 'lsb'],
    ]) {
      const ran = await pcae(['search', ...argv, '-k', '2']);
      expect(ran, argv.join(' ')).toMatchObject({ code: 0, err: '', out: EXPECTED });
    }
  });

  it('takes bytes for codes of any number of bits, beside a file that says how many', async () => {
    const [bits, queries] = [BITS, QUERIES].map((rows) => rows.map((row) => [...row.slice(4), 0, 0, 0, 0]));
    writeCsv(
      at('twelve.csv'),
      queries.map((row) => row.slice(0, 12)),
    );
    for (const order of ['msb', 'lsb'] as const) {
      writePacked(at(`twelve-${order}.npy`), bits, order);
      const argv = ['search', at(`twelve-${order}.npy`), at('twelve.csv'), '-k', '1', '--order', order];
      const ran = await pcae(argv);
      expect(ran).toMatchObject({ code: 0, out: 'query,code,distance\n0,0,0\n1,3,1\n' });
    }
    const more = await pcae(['search', at('twelve-lsb.npy'), at('twelve.csv')]);
    expect(more.err).toContain('holds codes of 12 bits');
  });

  it('finds all within a radius, with their names', async () => {
    const names = Array.from({ length: 16 }, (_, h) => `h${h}`);
    const lines = [['id', ...names], ...BITS.map((row, i) => [`"item ${i}, ${i}"`, ...row])];
    writeFileSync(at('named.csv'), `${lines.join('\n')}\n`);
    const { out } = await pcae(['search', at('named.csv'), at('queries.csv'), '--radius', '2']);
    expect(out).toBe(
      'query,code,distance\n0,"item 0, 0",0\n0,"item 1, 1",1\n0,"item 2, 2",2\n1,"item 3, 3",1\n',
    );
    const ran = await pcae(['--json', 'search', at('named.csv'), at('queries.csv'), '--radius', '1']);
    expect(ran.json()).toMatchObject({
      n: 4,
      H: 16,
      queries: 2,
      answers: [
        { query: 0, codes: ['item 0, 0', 'item 1, 1'], distances: [0, 1] },
        { query: 1, codes: ['item 3, 3'], distances: [1] },
      ],
    });
  });

  it('says what is wrong', async () => {
    writeCsv(at('short.csv'), [[0, 1, 1]]);
    writeCsv(at('real.csv'), [Array.from({ length: 16 }, (_, h) => h / 16)]);
    writeFileSync(at('holes.csv'), '0,1,\n1,0,1\n');
    const failing = async (...argv: string[]) => (await pcae(['search', ...argv])).err;
    const short = await pcae(['search', at('codes.csv'), at('short.csv')]);
    expect(short).toMatchObject({ code: 1, out: '' });
    expect(short.err).toContain('short.csv: holds codes of 3 bits; those of');
    expect(await failing(at('codes.csv'), at('real.csv'))).toMatch(
      /real\.csv: holds numbers that are not codes/,
    );
    // Box codes: nothing is said of options that search does not have.
    writeCsv(at('box.csv'), [Array.from({ length: 16 }, (_, h) => h / 8 - 1)]);
    const box = await failing(at('codes.csv'), at('box.csv'));
    expect(box).toMatch(/box\.csv: holds numbers that are not codes of bits; expected 0 and 1/);
    expect(box).not.toContain('--binarize');
    expect(await failing(at('holes.csv'), at('short.csv'))).toContain('has missing entries');
    expect(await failing(at('none.npy'), at('short.csv'))).toContain('there is no such file');
    const both = await pcae(['search', at('codes.csv'), at('queries.csv'), '-k', '1', '--radius', '1']);
    expect(both).toMatchObject({ code: 2, err: 'error: use -k or --radius, not both\n' });
  });
});
