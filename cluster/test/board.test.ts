import { readdirSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { openBoard } from '../src/addresses.ts';
import type { Board } from '../src/board/board.ts';
import { hashOf } from '../src/hash.ts';
import { PROGRAM, type Task, taskId } from '../src/task.ts';
import { workFolder } from './helpers.ts';
import { hasRedis, redisServer } from './redis.ts';

const at = workFolder();
const redis = redisServer(at('redis'));

const task = (shard: number): Task => ({
  ...{
    program: PROGRAM,
    kind: 'encode',
    manifest: hashOf('m'),
    shards: [[shard, shard + 1]],
    inputs: {},
    options: { tolerance: 0.01 },
  },
});
const posted = (shard: number) => ({ id: taskId(task(shard)), task: task(shard) });
const anything = () => 0;

/** The same laws for every board. */
describe.each([
  ['a folder', true, () => `file:${at('queue')}`],
  ['Redis', hasRedis, () => redis.address],
] as const)('a board on %s', (kind, there, address) => {
  beforeAll(() => (kind === 'Redis' && there ? redis.start() : undefined));
  const open = (): Promise<Board> => openBoard(address(), { leaseSeconds: 1 });

  it.runIf(there)('gives each task to one, hears of its end, and takes it down', async () => {
    const [boss, ann, bob] = [await open(), await open(), await open()];
    await boss.post([posted(0), posted(1)]);
    await boss.post([posted(1)]);
    expect(await boss.open()).toEqual({ waiting: 2, held: 0 });
    const first = await ann.take('ann', anything);
    const second = await bob.take('bob', anything);
    expect(new Set([first?.id, second?.id])).toEqual(new Set([posted(0).id, posted(1).id]));
    expect(first?.task).toEqual(task(first?.task.shards[0][0] ?? -1));
    expect(await bob.take('bob', anything)).toBeUndefined();
    expect(await boss.open()).toEqual({ waiting: 0, held: 2 });
    await first?.done();
    await second?.failed('no luck');
    expect(await boss.news()).toEqual(
      expect.arrayContaining([
        { id: first?.id, kind: 'done' },
        { id: second?.id, kind: 'failed', worker: 'bob', why: 'no luck' },
      ]),
    );
    expect(await boss.news()).toEqual([]);
    const again = await ann.take('ann', anything);
    expect(again?.id).toBe(second?.id);
    await again?.release();
    await boss.withdraw([posted(0).id, posted(1).id]);
    expect(await ann.take('ann', anything)).toBeUndefined();
    for (const board of [boss, ann, bob]) await board.close();
  });

  it.runIf(there)('leaves a task with its holder for as long as that lives', async () => {
    const [ann, bob] = [await open(), await open()];
    await ann.post([posted(2)]);
    const held = await ann.take('ann', anything);
    // Longer than the lease.
    await sleep(1600);
    expect(await bob.take('bob', anything)).toBeUndefined();
    await held?.done();
    await bob.withdraw([posted(2).id]);
    for (const board of [ann, bob]) await board.close();
  });

  it.runIf(there)("keeps a task for its owner until it is made anybody's", async () => {
    const [boss, ann, bob] = [await open(), await open(), await open()];
    const its = { ...posted(3), owner: 'ann' };
    await boss.post([its]);
    expect(await bob.take('bob', anything)).toBeUndefined();
    await (await ann.take('ann', anything))?.release();
    await boss.free([its]);
    const held = await bob.take('bob', anything);
    expect(held?.id).toBe(its.id);
    await held?.done();
    await boss.withdraw([its.id]);
    for (const board of [boss, ann, bob]) await board.close();
  });

  it.runIf(there)('lets two put up the same tasks and take them down at once', async () => {
    const [one, other, ann] = [await open(), await open(), await open()];
    const ids = Array.from({ length: 6 }, (_, k) => posted(10 + k).id);
    const again = async (board: Board, owner: string) => {
      const its = ids.map((id, k) => ({ id, task: task(10 + k), owner }));
      for (let turn = 0; turn < 40; turn++) {
        await board.post(its);
        await board.free(its);
        await board.withdraw(ids);
      }
    };
    const working = async () => {
      for (let turn = 0; turn < 80; turn++) {
        const held = await ann.take('ann', anything);
        await (turn % 2 ? held?.failed('no luck') : held?.done());
      }
    };
    await Promise.all([again(one, 'ann'), again(other, 'bob'), working()]);
    await one.withdraw(ids);
    expect(await one.open()).toEqual({ waiting: 0, held: 0 });
    for (const board of [one, other, ann]) await board.close();
  });

  it.runIf(there)('shows what was told', async () => {
    const board = await open();
    const told = { name: 'ann', role: 'worker', program: PROGRAM, doing: 'waiting', since: 1 } as const;
    await board.tell({ ...told, done: 1, bytesIn: 2, bytesOut: 3 });
    await board.tell({ ...told, done: 2, bytesIn: 2, bytesOut: 3 });
    expect(await board.notices()).toMatchObject([{ ...told, done: 2, bytesIn: 2, bytesOut: 3 }]);
    await board.close();
  });

  it.runIf(there)('gives tasks to their owner, whatever it may be called', async () => {
    const board = await open();
    const told = { role: 'worker', program: PROGRAM, doing: 'waiting', since: 1 } as const;
    const names = ['x.part', 'node-7.example.org', 'slurm_12', 'a'.repeat(100)];
    for (const [k, name] of names.entries()) {
      const its = { ...posted(20 + k), owner: name };
      await board.post([its]);
      const held = await board.take(name, anything);
      expect(held?.id).toBe(its.id);
      await held?.done();
      await board.tell({ ...told, name, done: 0, bytesIn: 0, bytesOut: 0 });
    }
    expect((await board.notices()).map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    await board.withdraw(names.map((_, k) => posted(20 + k).id));
    await board.close();
  });
});

it('a board on a folder leaves files alone that are on their way to their names', async () => {
  const board = await openBoard(`file:${at('shared')}`, { leaseSeconds: 1 });
  const { id } = posted(0);
  await board.post([posted(1)]);
  const part = at('shared', 'tasks', `00000000-${id}@ann.0123456789ab.part~`);
  writeFileSync(part, '{"half');
  await board.post([{ ...posted(0), owner: 'bob' }]);
  await board.free([posted(0)]);
  expect(await board.open()).toEqual({ waiting: 2, held: 0 });
  await board.withdraw([id, posted(1).id]);
  expect(readdirSync(at('shared', 'tasks'))).toEqual([basename(part)]);
  expect(await board.take('ann', anything)).toBeUndefined();
  await board.close();
});
