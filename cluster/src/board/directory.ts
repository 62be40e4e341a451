import { mkdir, readdir, readFile, rename, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { PART, putNew, unlessMissing } from '../store/file-shelf.ts';
import { taskSchema } from '../task.ts';
import { type Board, type Heard, type Held, LEASE_SECONDS, type News, type Notice } from './board.ts';

/**
 * A board that is a folder which all machines see, without any server: for SLURM arrays, NFS, and trying
 * things out.
 *
 *     tasks/ORDER-ID@OWNER   what is to be done, and by whom; nobody's name: by anybody
 *     held/ID                who is at it; its time is renewed while they live
 *     done/ID                word of an answer in the store
 *     failed/ID.N            who could not do it, and why
 *     notices/NAME           what was told
 *
 * Whoever links held/ID first holds the task. A holder whose file has grown old is taken for dead. Clocks
 * that differ, or two who find the same old file, cost work that is done twice and nothing else.
 */
export function directoryBoard(folder: string, options: { readonly leaseSeconds?: number } = {}): Board {
  const lease = 1000 * (options.leaseSeconds ?? LEASE_SECONDS);
  const at = (...names: string[]) => join(folder, ...names);
  /** What is there whole: a file on its way to its name is its writer's alone. */
  const names = async (of: string) =>
    ((await unlessMissing(readdir(at(of)))) ?? []).filter((name) => !name.endsWith(PART));
  const heard = new Set<string>();
  let [posted, told] = [0, 0];

  /** Makes a task somebody's, or anybody's. */
  const owned = async (name: string, owner?: string) => {
    const other = nameOf(Number.parseInt(name, 10), idOf(name), owner);
    if (other !== name) await unlessMissing(rename(at('tasks', name), at('tasks', other)));
  };

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
    lease: lease / 1000,
    async post(tasks) {
      const up = new Map((await names('tasks')).map((name) => [idOf(name), name]));
      for (const { id, task, owner } of tasks) {
        const there = up.get(id);
        if (there !== undefined) {
          await owned(there, owner);
          continue;
        }
        await remove(at('done', id));
        heard.delete(id);
        await putNew(at('tasks', nameOf(posted++, id, owner)), JSON.stringify(task), false);
      }
    },
    async free(tasks) {
      const freed = new Set(tasks.map(({ id }) => id));
      for (const name of await names('tasks')) if (freed.has(idOf(name))) await owned(name);
    },
    async withdraw(ids) {
      const gone = new Set(ids);
      for (const name of await names('tasks')) if (gone.has(idOf(name))) await remove(at('tasks', name));
      for (const folder of ['done', 'failed'])
        for (const name of await names(folder))
          if (gone.has(name.split('.')[0])) await remove(at(folder, name));
    },
    async take(worker, fits) {
      const all = (await names('tasks')).sort();
      // Its own first.
      const open = [encodeURIComponent(worker), ''].flatMap((owner) =>
        all.filter((name) => ownerOf(name) === owner),
      );
      const busy = new Set(await names('held'));
      const read = async (name: string) => {
        const text = await unlessMissing(readFile(at('tasks', name), 'utf8'));
        return text === undefined ? -1 : fits(taskSchema.parse(JSON.parse(text)));
      };
      // Free ones come before those whose holder may be dead; each machine looks at a few.
      const free = open.filter((name) => !busy.has(idOf(name))).slice(0, LOOKED_AT);
      const fit = async (name: string) => (ownerOf(name) ? Number.POSITIVE_INFINITY : read(name));
      const ranked = await Promise.all(free.map(async (name) => ({ name, fit: await fit(name) })));
      ranked.sort((a, b) => (a.fit === b.fit ? 0 : b.fit - a.fit));
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
        if (heard.has(name)) continue;
        heard.add(name);
        fresh.push({ id: name, kind: 'done' });
      }
      for (const name of await names('failed')) {
        if (heard.has(name)) continue;
        heard.add(name);
        const text = await unlessMissing(readFile(at('failed', name), 'utf8'));
        if (text !== undefined)
          fresh.push({ id: name.split('.')[0], kind: 'failed', ...failure.parse(JSON.parse(text)) });
      }
      return fresh;
    },
    async open() {
      const up = (await names('tasks')).map(idOf);
      const busy = new Set(await names('held'));
      const held = up.filter((id) => busy.has(id)).length;
      return { waiting: up.length - held, held };
    },
    async tell(notice) {
      await mkdir(at('notices'), { recursive: true });
      // Two may be told at the same time.
      const part = at('notices', `${notice.name}.${process.pid}.${told++}${PART}`);
      await writeFile(part, JSON.stringify(notice));
      await rename(part, at('notices', notice.name));
    },
    async notices() {
      const heardOf: Heard[] = [];
      for (const name of (await names('notices')).sort()) {
        const age = await unlessMissing(stat(at('notices', name)));
        if (!age || Date.now() - age.mtimeMs > NOTICE_MS) continue;
        const text = await unlessMissing(readFile(at('notices', name), 'utf8'));
        const ago = (Date.now() - age.mtimeMs) / 1000;
        if (text !== undefined) heardOf.push({ ...(JSON.parse(text) as Notice), ago });
      }
      return heardOf;
    },
    close: async () => undefined,
  };
}

/** Tasks that a worker looks at to find one whose rows it has at hand. */
const LOOKED_AT = 64;
const NOTICE_MS = 60_000;

const failure = z.object({ worker: z.string(), why: z.string() });

function nameOf(order: number, id: string, owner?: string): string {
  return `${String(order).padStart(8, '0')}-${id}${owner === undefined ? '' : `@${encodeURIComponent(owner)}`}`;
}

/** The task's name in ORDER-ID@OWNER. */
function idOf(name: string): string {
  return name.slice(name.indexOf('-') + 1).split('@')[0];
}

function ownerOf(name: string): string {
  return name.split('@')[1] ?? '';
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
