import { readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hashOf } from '../src/hash.ts';
import { fileStore, workFolder } from './helpers.ts';

const at = workFolder();
const bytes = new TextEncoder().encode('some bytes');
const task = hashOf('a task');

describe('a store', () => {
  it('gives back what was put, under the hash of its bytes, once', async () => {
    const store = fileStore(at('one'));
    const hash = await store.put(bytes);
    expect(hash).toBe(hashOf(bytes));
    expect(await store.put(bytes)).toBe(hash);
    expect(await fileStore(at('one')).get(hash)).toEqual(Buffer.from(bytes));
    expect(store.moved.out).toBe(bytes.length);
    expect(readdirSync(at('one', 'blobs', hash.slice(0, 2)))).toEqual([hash]);
  });

  it('refuses a blob that is missing, cut off or altered, by name', async () => {
    const hash = await fileStore(at('two')).put(bytes);
    const path = at('two', 'blobs', hash.slice(0, 2), hash);
    truncateSync(path, 4);
    await expect(fileStore(at('two')).get(hash, 'shard 3')).rejects.toThrow(
      /shard 3 was altered.*holds 4 bytes/,
    );
    writeFileSync(path, 'some other');
    await expect(fileStore(at('two')).get(hash, 'shard 3')).rejects.toThrow('shard 3 was altered');
    await fileStore(at('two')).drop(hash);
    await expect(fileStore(at('two')).get(hash, 'shard 3')).rejects.toThrow('shard 3 is missing');
  });

  it('keeps the first answer, takes the same again, and names both workers where they differ', async () => {
    const store = fileStore(at('three'));
    const answer = (worker: string, output: string) => ({
      ...{ task, worker, seconds: 1, outputs: { codes: hashOf(output) } },
    });
    await store.offer(answer('ann', 'x'));
    await store.offer(answer('bob', 'x'));
    expect((await store.answer(task))?.worker).toBe('ann');
    await store.checkConflicts(new Set([task]));
    await expect(store.offer(answer('carl', 'y'))).rejects.toThrow(/ann says .* carl says/);
    await expect(store.checkConflicts(new Set([task]))).rejects.toThrow(/ann says .* carl says/);
    await store.checkConflicts(new Set([hashOf('another')]));
  });
});
