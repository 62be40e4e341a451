import { type Manifest, manifestBytes } from '../manifest.ts';
import type { Store } from '../store/store.ts';
import { PROGRAM, type Task, type TaskKind } from '../task.ts';

/** A table that a job is about: its manifest, which workers read from the store by its hash. */
export interface ShardedTable {
  readonly manifest: Manifest;
  readonly hash: string;
}

/** Puts a manifest where workers find it. */
export async function openTable(manifest: Manifest, store: Store): Promise<ShardedTable> {
  return { manifest, hash: await store.put(manifestBytes(manifest)) };
}

/** One task of a kind for each shard, in the manifest's order. */
export function tasksOf(
  { manifest, hash }: ShardedTable,
  kind: TaskKind,
  of: (shard: number) => Pick<Task, 'inputs' | 'options'>,
): Task[] {
  return manifest.shards.map((_, shard) => ({
    ...{ program: PROGRAM, kind, manifest: hash, shards: [[shard, shard + 1]] },
    ...of(shard),
  }));
}
