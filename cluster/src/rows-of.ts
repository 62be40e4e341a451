import type { Rows } from 'pc-ae/rows';
import { type Manifest, readManifest } from './manifest.ts';
import { rowsFromBytes } from './rows-file.ts';
import type { Store } from './store/store.ts';

/** A manifest from the store. */
export async function manifestOf(store: Store, hash: string): Promise<Manifest> {
  return readManifest(await store.get(hash, 'the manifest')).manifest;
}

/** The rows of a shard, proven by its hash, with what is known of the columns. */
export async function rowsOf(store: Store, manifest: Manifest, index: number): Promise<Rows> {
  const { columns, groups, image, schema, shards } = manifest;
  const { sha256, firstRow, rows } = shards[index];
  const name = `shard ${index} (rows ${firstRow} to ${firstRow + rows - 1})`;
  const found = rowsFromBytes(await store.get(sha256, name), { columns, groups, image, schema }, name);
  if (found.n !== rows || found.V !== manifest.V)
    throw new RangeError(
      `${name} holds ${found.n} rows of ${found.V}; the manifest says ${rows} of ${manifest.V}`,
    );
  return found;
}
