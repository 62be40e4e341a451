import { mkdirSync, writeFileSync } from 'node:fs';
import { encodeRows } from 'pc-ae/formats';
import { asSource, entry, type Rows, sliceRows } from 'pc-ae/rows';
import { describe, expect, it } from 'vitest';
import { filesOf } from '../src/files-of.ts';
import { rowsOf } from '../src/rows-of.ts';
import { shardFiles } from '../src/shard.ts';
import { fileStore, patterns, workFolder } from './helpers.ts';

const at = workFolder();
const rows = patterns(60, 9);
const columns = Array.from({ length: 9 }, (_, v) => `c${v}`);
const entries = (of: Rows) =>
  Array.from({ length: of.n * of.V }, (_, k) => entry(of, Math.floor(k / of.V), k % of.V));

/** Parquet files of ten rows each, one of them in a folder of its own. */
async function parquetFiles(): Promise<string[]> {
  mkdirSync(at('tables', 'more'), { recursive: true });
  const names = ['part-2', 'part-10', 'more/part-1'].map((name) => at('tables', `${name}.parquet`));
  for (const [k, name] of names.entries()) {
    const piece = { ...sliceRows(rows, 10 * k, 10 * k + 10), columns };
    const bytes: Uint8Array[] = [];
    for await (const part of encodeRows(asSource(piece), 'parquet')) bytes.push(part);
    writeFileSync(name, Buffer.concat(bytes));
  }
  return names;
}

describe('words for files', () => {
  it('are names, patterns, and folders of Parquet files, in the order of numbers', async () => {
    const [two, ten, one] = await parquetFiles();
    expect(await filesOf([at('tables', 'part-*.parquet')])).toEqual([two, ten]);
    expect(await filesOf([at('ta?les', '*', 'part-1.parquet')])).toEqual([one]);
    expect(await filesOf([at('tables')])).toEqual([one, two, ten]);
    expect(await filesOf(['some.csv'])).toEqual(['some.csv']);
    await expect(filesOf([at('tables', '*.csv')])).rejects.toThrow('no file matches');
  });

  it('are shards as they are, whose rows are those of the files', async () => {
    const paths = (await parquetFiles()).slice(0, 2);
    const store = fileStore(at('store'));
    const { manifest } = await shardFiles(paths, store, { asIs: true });
    expect(manifest).toMatchObject({
      n: 20,
      V: 9,
      columns,
      shards: [{ format: 'parquet' }, { firstRow: 10 }],
    });
    expect(entries(await rowsOf(store, manifest, 1))).toEqual(entries(sliceRows(rows, 10, 20)));
  });
});
