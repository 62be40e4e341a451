import { mkdir, readdir, readFile, rename, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { putNew, unlessMissing } from '../store/file-shelf.ts';
import { taskSchema } from '../task.ts';
import { type Board, type Held, LEASE_SECONDS, type News, type Notice } from './board.ts';

/**
 * A board that is a folder which all machines see, without any server: for SLURM arrays, NFS, and trying things out.
 *
 *     tasks/ORDER-ID     what is to be done
 *     held/ID            who is at it; its time is renewed while they live
 *     done/ID            word of an answer in the store
 *     failed/ID.N        who could not do it, and why
 *     notices/NAME       what was told
 *
 * Whoever links held/ID first holds the task. A holder whose file has grown old is taken for dead. Clocks that differ,
 * or two who find the same old file, cost work that is done twice and nothing else.
 */
export function directoryBoard(folder: string, options: { readonly leaseSeconds?: number } = {}): Board {
  const lease = 1000 * (options.leaseSeconds ?? LEASE_SECONDS);
  const at = (...names: string[]) => join(folder, ...names);
  const names = async (of: string) => (await unlessMissing(readdir(at(of)))) ?? [];
  const heard = new Set<string>();
  let posted = 0;

  const hold = async (name: string, worker: string): Promise<Held | undefined> => {
    const id = idOf(name);
    const held = at('held', id);
    const age = await unlessMissing(stat(held));
    if (age && Date.now() - age.mtimeMs < lease) return undefined;
    // A holder that has died: whoever moves its file away may try.
    if (age && !(await moved(held, `${held}.${process.pid}.old`))) return undefined;
    if (!(await putNew(held, worker, false))) return undefined;
    const text = await unlessMissing(readFile(at('tasks', name), 'utf8'));
    if (text === undefined) {
      await remove(held);
      return undefined;
    }
    const alive = setInterval(() => {
      utimes(held, new Date(), new Date()).catch(() => undefined);
    }, lease / 3);
    const end = async () => {
      clearInterval(alive);
      // A holder that was taken for dead leaves its successor's file alone.
      if ((await unlessMissing(readFile(held, 'utf8'))) === worker) await remove(held);
    };
    return {
      id,
      task: taskSchema.parse(JSON.parse(text)),
      async done() {
        await putNew(at('done', id), worker, false);
        await remove(at('tasks', name));
        await end();
      },
      async failed(why) {
        const count = (await names('failed')).filter((one) => one.startsWith(id)).length;
        await putNew(at('failed', `${id}.${count}`), JSON.stringify({ worker, why }), false);
        await end();
      },
      release: end,
    };
  };

  return {
    name: `file:${folder}`,
    async post(tasks) {
      const up = new Set((await names('tasks')).map(idOf));
      for (const { id, task } of tasks) {
        if (up.has(id)) continue;
        await remove(at('done', id));
        heard.delete(id);
        await putNew(at('tasks', `${String(posted++).padStart(8, '0')}-${id}`), JSON.stringify(task), false);
      }
    },
    async withdraw(ids) {
      const gone = new Set(ids);
      for (const name of await names('tasks')) if (gone.has(idOf(name))) await remove(at('tasks', name));
      for (const folder of ['done', 'failed'])
        for (const name of await names(folder))
          if (gone.has(name.split('.')[0])) await remove(at(folder, name));
    },
    async take(worker, fits) {
      const open = (await names('tasks')).filter((name) => !name.endsWith('.part')).sort();
      const busy = new Set(await names('held'));
      const read = async (name: string) => {
        const text = await unlessMissing(readFile(at('tasks', name), 'utf8'));
        return text === undefined ? -1 : fits(taskSchema.parse(JSON.parse(text)));
      };
      // Free ones come before those whose holder may be dead; each machine looks at a few.
      const free = open.filter((name) => !busy.has(idOf(name))).slice(0, LOOKED_AT);
      const ranked = await Promise.all(free.map(async (name) => ({ name, fit: await read(name) })));
      ranked.sort((a, b) => b.fit - a.fit);
      const others = open.filter((name) => busy.has(idOf(name)));
      for (const name of [...ranked.map((one) => one.name), ...others]) {
        const held = await hold(name, worker);
        if (held) return held;
      }
      return undefined;
    },
    async news() {
      const fresh: News[] = [];
      for (const name of await names('done')) {
        if (heard.has(name) || name.endsWith('.part')) continue;
        heard.add(name);
        fresh.push({ id: name, kind: 'done' });
      }
      for (const name of await names('failed')) {
        if (heard.has(name) || name.endsWith('.part')) continue;
        heard.add(name);
        const text = await unlessMissing(readFile(at('failed', name), 'utf8'));
        if (text !== undefined)
          fresh.push({ id: name.split('.')[0], kind: 'failed', ...failure.parse(JSON.parse(text)) });
      }
      return fresh;
    },
    async open() {
      const up = (await names('tasks')).filter((name) => !name.endsWith('.part')).map(idOf);
      const busy = new Set(await names('held'));
      const held = up.filter((id) => busy.has(id)).length;
      return { waiting: up.length - held, held };
    },
    async tell(notice) {
      await mkdir(at('notices'), { recursive: true });
      const part = at('notices', `.${notice.name}.part`);
      await writeFile(part, JSON.stringify(notice));
      await rename(part, at('notices', notice.name));
    },
    async notices() {
      const told: Notice[] = [];
      for (const name of (await names('notices')).filter((one) => !one.startsWith('.')).sort()) {
        const age = await unlessMissing(stat(at('notices', name)));
        if (!age || Date.now() - age.mtimeMs > NOTICE_MS) continue;
        const text = await unlessMissing(readFile(at('notices', name), 'utf8'));
        if (text !== undefined) told.push(JSON.parse(text) as Notice);
      }
      return told;
    },
    close: async () => undefined,
  };
}

/** Tasks that a worker looks at to find one whose rows it has at hand. */
const LOOKED_AT = 64;
const NOTICE_MS = 60_000;

const failure = z.object({ worker: z.string(), why: z.string() });

/** The task's name in ORDER-ID. */
function idOf(name: string): string {
  return name.slice(name.indexOf('-') + 1);
}

async function remove(path: string): Promise<void> {
  await unlessMissing(unlink(path));
}

/** Whether this call was the one that moved the file away, which is then gone. */
async function moved(path: string, to: string): Promise<boolean> {
  const done = await unlessMissing(rename(path, to).then(() => true));
  if (done) await remove(to);
  return done ?? false;
}
