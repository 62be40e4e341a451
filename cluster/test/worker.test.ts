import { createEngine } from 'pc-ae/node';
import { describe, expect, it } from 'vitest';
import { directoryBoard } from '../src/board/directory.ts';
import { complete } from '../src/complete.ts';
import { hashOf } from '../src/hash.ts';
import { PROGRAM, type Task, taskId } from '../src/task.ts';
import { work } from '../src/worker.ts';
import { fileStore, workFolder } from './helpers.ts';

const at = workFolder();
const task = (program: string): Task => ({
  ...{ program, kind: 'encode', manifest: hashOf('none'), shards: [[3, 4]], options: {} },
  inputs: { model: hashOf('none') },
});

describe('a worker', () => {
  it.each(['', '.', '..', '-n', 'a/b', 'a b', 'a@b', 'x.part~', 'Büro', 'a'.repeat(101), 'a\n'])(
    'cannot be called %j, which is no part of a name of files and queues',
    async (name) => {
      const never = undefined as never;
      await expect(work(never, never, never, { name })).rejects.toThrow(
        `a worker cannot be called ${JSON.stringify(name)}: its name must have 1 to 100 letters`,
      );
    },
  );

  it('leaves tasks of another version alone, and says which version it would have to be', async () => {
    const board = directoryBoard(at('other'));
    const other = task('pc-ae 9.9.9');
    await board.post([{ id: taskId(other), task: other }]);
    const engine = await createEngine({ threads: 1, relaxed: false });
    await expect(work(board, fileStore(at('store')), engine, { name: 'ann' })).rejects.toThrow(
      `this worker runs ${PROGRAM}, but the run needs pc-ae 9.9.9`,
    );
    // The task is there for somebody else.
    expect((await board.take('bob', () => 0))?.id).toBe(taskId(other));
    await engine.close();
  });

  it('gives a task back that cannot be done; the run stops with its reason when that happens again', async () => {
    const board = directoryBoard(at('vain'));
    const engine = await createEngine({ threads: 1, relaxed: false });
    const stop = new AbortController();
    const lines: string[] = [];
    const store = fileStore(at('store'));
    const working = work(board, store, engine, {
      name: 'ann',
      signal: stop.signal,
      log: (line) => lines.push(line),
    });
    const crew = { board: directoryBoard(at('vain')), store };
    await expect(complete([task(PROGRAM)], crew)).rejects.toThrow(
      /encode of shard 3 failed 3 times, the last time at ann: the model is missing/,
    );
    stop.abort();
    await working;
    expect(lines[0]).toMatch(/^encode of shard 3: failed: the model is missing/);
    await engine.close();
  });
});
