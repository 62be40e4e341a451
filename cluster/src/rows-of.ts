import { memoryBytes, openBytes } from 'pc-ae/formats';
import { collect, type Rows } from 'pc-ae/rows';
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
  const { sha256, firstRow, rows, format } = shards[index];
  const name = `shard ${index} (rows ${firstRow} to ${firstRow + rows - 1})`;
  const about = { columns, groups, image, schema };
  const bytes = await store.get(sha256, name);
  const like = { V: manifest.V, columns, groups, schema };
  const found = format
    ? { ...(await collect(await openBytes(memoryBytes(name, bytes), { format, like }))), ...about }
    : rowsFromBytes(bytes, about, name);
  if (found.n !== rows || found.V !== manifest.V)
    throw new RangeError(
      `${name} holds ${found.n} rows of ${found.V}; the manifest says ${rows} of ${manifest.V}`,
    );
  return found;
}
