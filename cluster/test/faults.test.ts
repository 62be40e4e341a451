import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { fit } from 'pc-ae';
import { createEngine, saveModel } from 'pc-ae/node';
import { memorySource } from 'pc-ae/rows';
import { beforeAll, describe, expect, it } from 'vitest';
import { hashOf } from '../src/hash.ts';
import { manifestBytes } from '../src/manifest.ts';
import { shardSource } from '../src/shard.ts';
import { fileStore, patterns, processes, until, workFolder } from './helpers.ts';
import { hasRedis, redisServer } from './redis.ts';

/** Real processes on a real folder, which are killed, stopped and lied to. */
const at = workFolder();
const start = processes();
const rows = patterns(900, 40);
let expected: { readonly codes: Buffer; readonly loss: number };

const redis = redisServer(at('redis'));
/** Tables whose queue is on Redis. */
const onRedis = new Set<string>();
const places = (name: string) => [
  ...['--queue', onRedis.has(name) ? redis.address : `file:${at(name, 'queue')}`],
  ...['--store', `file:${at(name, 'store')}`],
];
const worker = (name: string, ...more: string[]) =>
  start(['worker', ...places(name), '--lease', '2', ...more]);
const encode = (name: string) =>
  start(['encode', at('model'), at(`${name}.json`), '-o', at(`${name}.npy`), '--force', ...places(name)]);
const answers = (name: string) => count(at(name, 'store', 'answers'));

function count(folder: string): number {
  try {
    return readdirSync(folder).filter((one) => !one.endsWith('.part~')).length;
  } catch {
    return 0;
  }
}

/** A store of its own with the shards of the table. */
async function table(name: string): Promise<string> {
  const { manifest } = await shardSource(memorySource(rows), fileStore(at(name, 'store')), { shardRows: 50 });
  writeFileSync(at(`${name}.json`), manifestBytes(manifest));
  return at(`${name}.json`);
}

beforeAll(async () => {
  const model = await fit(rows, { H: 4, epochs: 3, seed: 2 });
  await saveModel(at('model'), model);
  // Workers never fuse multiply-adds, so that all machines agree; Node 22 and later would do so here.
  const engine = await createEngine({ threads: 1, relaxed: false });
  const { codes, losses } = await model.encode(rows, { engine });
  engine.close();
  expected = { codes: Buffer.from(codes.buffer), loss: losses.reduce((a, b) => a + b) / rows.n };
});

const codesIn = (path: string) => readFileSync(path).subarray(-expected.codes.length);

describe('encoding by workers', () => {
  it.each([1, 3])('gives the bytes of one machine, with %i of them', async (workers) => {
    const name = `plain${workers}`;
    await table(name);
    for (let k = 0; k < workers; k++) worker(name);
    expect(await encode(name).ended).toMatchObject({ code: 0 });
    expect(codesIn(at(`${name}.npy`)).equals(expected.codes)).toBe(true);
    const report = await start(['eval', at('model'), at(`${name}.json`), ...places(name)]).ended;
    expect(JSON.parse(report.out).loss).toBeCloseTo(expected.loss, 9);
  });

  it('stops with the name of a shard that is cut off or gone', async () => {
    const { shards } = JSON.parse(readFileSync(await table('damaged'), 'utf8'));
    truncateSync(at('damaged', 'store', shards[7].uri), 100);
    worker('damaged');
    const { code, err } = await encode('damaged').ended;
    expect([code, err]).toEqual([1, expect.stringMatching(/shard 7 \(rows 350 to 399\) was altered/)]);
    rmSync(at('damaged', 'store', shards[7].uri));
    expect((await encode('damaged').ended).err).toMatch(/shard 7 .* is missing/);
  });

  it('stops with the reason where a disk is full, and goes on where it is not', async () => {
    await table('full');
    // No file of this worker may be larger than a KiB: writing ends as on a full disk, in the middle of a
    // file.
    start(['worker', ...places('full'), '--name', 'small'], {}, 'ulimit -f 1');
    const { code, err } = await encode('full').ended;
    expect([code, err]).toEqual([1, expect.stringMatching(/failed 3 times, the last time at small: EFBIG/)]);
    worker('full');
    expect(await encode('full').ended).toMatchObject({ code: 0 });
    expect(codesIn(at('full.npy')).equals(expected.codes)).toBe(true);
  });

  it('stops at Ctrl-C, says how it goes on, and does', async () => {
    await table('interrupted');
    const one = worker('interrupted');
    const first = encode('interrupted');
    await until(() => answers('interrupted') > 1);
    first.child.kill('SIGINT');
    expect(await first.ended).toMatchObject({
      code: 130,
      err: expect.stringContaining('run the same command again'),
    });
    one.child.kill('SIGINT');
    expect(await one.ended).toMatchObject({ code: 0, err: expect.stringMatching(/stops after \d+ tasks/) });
    worker('interrupted');
    expect(await encode('interrupted').ended).toMatchObject({ code: 0 });
    expect(codesIn(at('interrupted.npy')).equals(expected.codes)).toBe(true);
  });

  it('stops where two answers differ, and names who gave them', async () => {
    await table('liar');
    const honest = worker('liar', '--name', 'honest');
    expect(await encode('liar').ended).toMatchObject({ code: 0 });
    honest.child.kill('SIGKILL');
    // A broken machine answers one of the tasks as well, late.
    const store = fileStore(at('liar', 'store'));
    const [task] = readdirSync(at('liar', 'store', 'answers'));
    const lie = { task, worker: 'liar', seconds: 1, outputs: { codes: hashOf('nonsense') } };
    await expect(store.offer(lie)).rejects.toThrow('liar');
    const { code, err } = await encode('liar').ended;
    expect([code, err]).toEqual([1, expect.stringMatching(/honest says .* liar says/)]);
  });
});

describe.each([
  ['a folder', true],
  ['Redis', hasRedis],
] as const)('with a queue on %s, encoding', (kind, there) => {
  beforeAll(() => (kind === 'Redis' && there ? redis.start() : undefined));

  it.runIf(there)('survives workers and the coordinator killed, and goes on where it was', async () => {
    const name = `killed ${kind}`;
    if (kind === 'Redis') onRedis.add(name);
    await table(name);
    const first = worker(name, '--name', 'first');
    const coordinator = encode(name);
    await until(() => answers(name) > 2);
    first.child.kill('SIGKILL');
    coordinator.child.kill('SIGKILL');
    await Promise.all([first.ended, coordinator.ended]);
    if (kind === 'Redis') {
      await redis.kill();
      await redis.start();
    }
    const left = answers(name);
    expect(left).toBeLessThan(18);
    const second = worker(name, '--name', 'second');
    expect(await encode(name).ended).toMatchObject({ code: 0 });
    expect(codesIn(at(`${name}.npy`)).equals(expected.codes)).toBe(true);
    second.child.kill('SIGTERM');
    expect((await second.ended).err).toMatch(/stops after \d+ tasks/);
  });

  it.runIf(there)(
    'takes over from a worker that stands still, which does no harm when it wakes',
    async () => {
      const name = `stopped ${kind}`;
      if (kind === 'Redis') onRedis.add(name);
      await table(name);
      const sleeper = worker(name, '--name', 'sleeper');
      const coordinator = encode(name);
      await until(() => answers(name) > 1);
      sleeper.child.kill('SIGSTOP');
      worker(name, '--name', 'other');
      expect(await coordinator.ended).toMatchObject({ code: 0 });
      expect(codesIn(at(`${name}.npy`)).equals(expected.codes)).toBe(true);
      sleeper.child.kill('SIGCONT');
      sleeper.child.kill('SIGTERM');
      expect((await sleeper.ended).code).toBe(0);
    },
  );
});

it.runIf(hasRedis)('waits for a queue that is killed under it, and goes on', async () => {
  const name = 'away';
  await redis.start();
  onRedis.add(name);
  await table(name);
  worker(name);
  const coordinator = encode(name);
  await until(() => answers(name) > 1);
  await redis.kill();
  await redis.start();
  expect(await coordinator.ended).toMatchObject({ code: 0 });
  expect(codesIn(at(`${name}.npy`)).equals(expected.codes)).toBe(true);
});
