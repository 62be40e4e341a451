import { readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../src/addresses.ts';
import { hashOf } from '../src/hash.ts';
import { fileStore, workFolder } from './helpers.ts';
import { s3Server } from './s3-server.ts';

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

describe('a store in a bucket', () => {
  const keys = { id: 'someone', secret: 'hush' };
  let server: Awaited<ReturnType<typeof s3Server>>;
  const env = (secret = keys.secret) => ({
    ...{ AWS_ENDPOINT_URL: server.endpoint, AWS_ACCESS_KEY_ID: keys.id, AWS_SECRET_ACCESS_KEY: secret },
  });
  const open = (secret?: string) => openStore('s3://bucket/some/where', { env: env(secret) });
  beforeAll(async () => {
    server = await s3Server(keys);
  });
  afterAll(() => server.close());

  it('keeps to the same contract: written once, proven by its hash, the first answer stands', async () => {
    const store = await open();
    const hash = await store.put(bytes);
    await store.put(bytes);
    expect([...server.objects.keys()]).toEqual([`some/where/blobs/${hash.slice(0, 2)}/${hash}`]);
    expect(await (await open()).get(hash)).toEqual(new Uint8Array(bytes));
    server.objects.set(`some/where/blobs/${hash.slice(0, 2)}/${hash}`, Buffer.from('other'));
    await expect((await open()).get(hash, 'shard 3')).rejects.toThrow('shard 3 was altered');
    await store.drop(hash);
    await expect((await open()).get(hash, 'shard 3')).rejects.toThrow('shard 3 is missing');
    const tasks = [0, 1, 2, 3, 4].map((k) => hashOf(`task ${k}`));
    for (const task of tasks) {
      await store.offer({ task, worker: 'ann', seconds: 1, outputs: { x: hashOf('x') } });
      const other = store.offer({ task, worker: 'bob', seconds: 1, outputs: { x: hashOf('y') } });
      await expect(other).rejects.toThrow(/ann says .* bob says/);
    }
    // More conflicts than a page of a list holds.
    for (const task of tasks) await expect(store.checkConflicts(new Set([task]))).rejects.toThrow('disagree');
  });

  it('says what is wrong with it, and never its keys', async () => {
    const wrong = (await open('guess')).put(bytes);
    await expect(wrong).rejects.toThrow(
      /s3:\/\/bucket\/some\/where\/ refused to write .*: 403 SignatureDoesNotMatch/,
    );
    await expect(wrong).rejects.not.toThrow(/guess|hush/);
    await expect(openStore('s3://bucket/x', { env: {} })).rejects.toThrow('AWS_ACCESS_KEY_ID');
  });
});
