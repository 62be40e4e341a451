import { writeFileSync } from 'node:fs';
import { FormatError } from 'pc-ae';
import { collect, entry, memorySource, type Rows } from 'pc-ae/rows';
import { describe, expect, it } from 'vitest';
import { manifestBytes, readManifest } from '../src/manifest.ts';
import { rowsFromBytes, rowsToBytes } from '../src/rows-file.ts';
import { rowsOf } from '../src/rows-of.ts';
import { shardFiles, shardSource } from '../src/shard.ts';
import { fileStore, patterns, workFolder } from './helpers.ts';

const at = workFolder();

/** All entries of rows, in order. */
function entries(rows: Rows): number[] {
  return Array.from({ length: rows.n * rows.V }, (_, k) => entry(rows, Math.floor(k / rows.V), k % rows.V));
}

describe('shards', () => {
  it('hold the rows of the table in its order, whatever chunks it comes in', async () => {
    const store = fileStore(at('store'));
    const rows = patterns(103, 11);
    const { manifest, hash } = await shardSource(memorySource(rows), store, { shardRows: 25 });
    expect(manifest.shards.map((shard) => [shard.firstRow, shard.rows])).toEqual([
      ...[0, 25, 50, 75].map((first) => [first, 25]),
      [100, 3],
    ]);
    const found: number[] = [];
    for (let s = 0; s < manifest.shards.length; s++) found.push(...entries(await rowsOf(store, manifest, s)));
    expect(found).toEqual(entries(rows));
    const uneven = {
      ...memorySource(rows),
      async *chunks() {
        for (const size of [7, 60, 36]) {
          const [start, chunks] = [size === 7 ? 0 : size === 60 ? 7 : 67, memorySource(rows).chunks(1)];
          let i = 0;
          const taken: Rows[] = [];
          for await (const row of chunks)
            if (i >= start && i++ < start + size) taken.push(row);
            else i++;
          yield* taken;
        }
      },
    };
    expect((await shardSource(uneven, store, { shardRows: 25 })).hash).toBe(hash);
  });

  it('span several files, keep names of rows and columns, and read the second file like the first', async () => {
    const store = fileStore(at('store'));
    writeFileSync(at('a.csv'), 'id,x,y\nr0,0,1\nr1,1,1\nr2,0,0\n');
    writeFileSync(at('b.csv'), 'id,y,x\nr3,0,1\nr4,1,1\n');
    const { manifest } = await shardFiles([at('a.csv'), at('b.csv')], store, {
      shardRows: 2,
      idColumn: 'id',
    });
    expect(manifest).toMatchObject({ n: 5, V: 2, columns: ['x', 'y'] });
    const second = await rowsOf(store, manifest, 1);
    expect([...(second.ids ?? [])]).toEqual(['r2', 'r3']);
    expect(entries(second)).toEqual([-1, -1, 1, -1]);
  });

  it('keep real values and missing entries', async () => {
    const known = { ...patterns(5, 9), known: new Uint8Array(10).fill(0xf7) } as Rows;
    expect(entries(rowsFromBytes(rowsToBytes(known)))).toEqual(entries(known));
    const real: Rows = { kind: 'real', n: 2, V: 2, values: Float32Array.of(0.5, Number.NaN, -1, 0.25) };
    expect(entries(rowsFromBytes(rowsToBytes(real)))).toEqual(entries(real));
    expect(await collect(memorySource(real))).toMatchObject({ n: 2 });
    expect(() => rowsFromBytes(rowsToBytes(real).subarray(0, 40))).toThrow(FormatError);
  });

  it('have a manifest that says what is wrong with it', async () => {
    const store = fileStore(at('store'));
    const { manifest, hash } = await shardSource(memorySource(patterns(20, 8)), store, { shardRows: 10 });
    expect(readManifest(manifestBytes(manifest)).hash).toBe(hash);
    const shifted = { ...manifest, shards: [manifest.shards[1], manifest.shards[0]] };
    expect(() => readManifest(manifestBytes(shifted))).toThrow('shard 0 begins with row 10, not 0');
    expect(() => readManifest(manifestBytes({ ...manifest, n: 21 }))).toThrow('hold 20 rows');
    expect(() => readManifest(new TextEncoder().encode('no'))).toThrow('not JSON');
  });
});
