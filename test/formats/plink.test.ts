import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memoryBytes } from '../../src/formats/bytes.ts';
import { openSource } from '../../src/formats/node/open.ts';
import { openBytes } from '../../src/formats/open.ts';
import { optionsOfFlags, schemaFlags } from '../../src/formats/table/flags.ts';
import { holds } from '../property.ts';
import { signs, spelled, tableOf } from './helpers.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pcae-'));
});
afterAll(() => rm(folder, { recursive: true }));

type Copies = 0 | 1 | 2 | null;

/** The bytes of a .bed: two bits for each individual, variant after variant. */
function bed(genotypes: readonly (readonly Copies[])[]): Uint8Array {
  const [n, V] = [genotypes.length, genotypes[0].length];
  const stride = Math.ceil(n / 4);
  const bytes = new Uint8Array(3 + V * stride);
  bytes.set([0x6c, 0x1b, 1]);
  genotypes.forEach((row, i) => {
    row.forEach((copies, v) => {
      const pair = copies === null ? 1 : [3, 2, 0][copies];
      bytes[3 + v * stride + (i >> 2)] |= pair << (2 * (i & 3));
    });
  });
  return bytes;
}

/** Writes the three files; the path of the .bed. */
async function write(name: string, genotypes: readonly (readonly Copies[])[]): Promise<string> {
  const path = join(folder, name);
  const fam = genotypes.map((_, i) => `F${i % 2} I${i} 0 0 ${1 + (i % 2)} -9`);
  const bim = genotypes[0].map((_, v) => `1\t${v === 1 ? '.' : `rs${v}`}\t0\t${100 + v}\tA\tG`);
  await writeFile(`${path}.bed`, bed(genotypes));
  await writeFile(`${path}.fam`, `${fam.join('\n')}\n`);
  await writeFile(`${path}.bim`, `${bim.join('\n')}\n`);
  return `${path}.bed`;
}

const genotypes: Copies[][] = [
  [0, 1, 2],
  [null, 2, 0],
  [1, 1, null],
  [2, 0, 0],
  [0, 0, 1],
];

describe('PLINK', () => {
  test('asks for the coding', async () => {
    const path = await write('asks', genotypes);
    await expect(openSource(path)).rejects.toThrow(/Use --genotypes dominant/);
    await expect(openSource(path, { genotypes: 'dominant', values: 'bytes' })).rejects.toThrow(
      'leave --values',
    );
  });

  test('dominant, recessive and additive, with names and gaps', async () => {
    const path = await write('coded', genotypes);
    const coded = (entry: (copies: number) => number) =>
      signs(genotypes.map((row) => row.map((copies) => (copies === null ? null : entry(copies)))));
    const codings = {
      dominant: coded((copies) => Math.min(1, copies)),
      recessive: coded((copies) => (copies === 2 ? 1 : 0)),
      additive: coded((copies) => copies / 2),
    };
    for (const coding of ['dominant', 'recessive', 'additive'] as const) {
      const source = await openSource(path, { genotypes: coding });
      expect(await tableOf(source), coding).toEqual(codings[coding]);
      expect(spelled(source)).toMatchObject({
        columns: ['rs0', '1:101:A:G', 'rs2'],
        ids: ['I0', 'I1', 'I2', 'I3', 'I4'],
        schema: { genotypes: coding, kind: coding === 'additive' ? 'real' : 'bits' },
      });
      // The schema of one table reads the next, and so do the flags that declare it.
      expect(optionsOfFlags(schemaFlags(source.schema))).toMatchObject({ genotypes: coding });
      const again = await openSource(path, { schema: source.schema });
      expect(await tableOf(again)).toEqual(codings[coding]);
    }
  });

  test('any genotypes, in chunks of any size', async () => {
    const copies = fc.constantFrom<Copies>(0, 1, 2, null);
    const tables = fc
      .tuple(fc.integer({ min: 1, max: 19 }), fc.integer({ min: 1, max: 9 }))
      .chain(([n, V]) =>
        fc.array(fc.array(copies, { minLength: V, maxLength: V }), { minLength: n, maxLength: n }),
      );
    await holds(
      fc.asyncProperty(tables, fc.integer({ min: 1, max: 7 }), async (table, size) => {
        const source = await openSource(await write('any', table), { genotypes: 'dominant' });
        let rows = 0;
        for await (const chunk of source.chunks(size)) rows += chunk.n;
        expect(rows).toBe(table.length);
        expect(await tableOf(source)).toEqual(
          signs(table.map((row) => row.map((each) => (each === null ? null : Math.min(1, each))))),
        );
      }),
      { seed: 5, numRuns: 60 },
    );
  });

  test('files that do not fit each other, are cut short or are something else', async () => {
    const path = await write('wrong', genotypes);
    const how = { genotypes: 'dominant' } as const;
    const good = bed(genotypes);
    const refused = async (bytes: Uint8Array, message: string | RegExp) => {
      await writeFile(path, bytes);
      await expect(openSource(path, how)).rejects.toThrow(message);
    };
    await refused(good.subarray(0, good.length - 1), 'should have 9');
    await refused(Uint8Array.of(...good, 0), 'should have 9');
    await refused(good.subarray(0, 2), 'ends before');
    await refused(Uint8Array.of(0x6c, 0x1b, 0, ...good.subarray(3)), '--make-bed');
    await refused(new TextEncoder().encode('chr1\t100\t200\n'), 'begins with the bytes 6c 1b');
    await writeFile(path, good);
    await writeFile(path.replace('.bed', '.bim'), '1 rs0 0\n');
    await expect(openSource(path, how)).rejects.toThrow('wrong.bim, line 1: has 3 words');
    await rm(path.replace('.bed', '.fam'));
    await expect(openSource(path, how)).rejects.toThrow('wrong.fam: there is no such file');
    await expect(openBytes(memoryBytes('x.bed', good), how)).rejects.toThrow('next to its .bim and .fam');
  });
});
