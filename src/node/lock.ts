import { randomBytes } from 'node:crypto';
import { readFileSync, unlinkSync } from 'node:fs';
import { link, open, readdir, readFile, realpath, rename, unlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { badFile } from '../rows/errors.ts';

/** Who writes a file: a process, told from a later one with the same number by when it began. */
export interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly began?: string;
}

/** The file is being written by another process. */
export class LockedError extends Error {
  override readonly name = 'LockedError';
  /** Where it says so. */
  readonly lock: string;

  constructor(path: string, lock: string, { pid, host }: Holder) {
    const where = host === hostname() ? '' : ` on ${host}, and if it no longer runs, remove ${lock}`;
    super(`${path}: is being written by another process, number ${pid}${where}`);
    this.lock = lock;
  }
}

/**
 * Makes this process the only one that writes a file, until the function that it gives is called or the
 * process ends. A hidden file beside it says so to others. What a process that was killed has left behind
 * does not count; `afterKilled` is called once its place was taken.
 */
export async function lockFile(
  path: string,
  afterKilled?: () => Promise<void>,
): Promise<() => Promise<void>> {
  const lock = join(await realpath(dirname(path)), `.${basename(path)}.lock`);
  const ours: Holder = { pid: process.pid, host: hostname(), began: beganAt(process.pid) };
  let wasKilled = false;
  for (;;) {
    if (await created(lock, JSON.stringify(ours))) break;
    const found = await holderOf(lock);
    if (found && isAlive(found)) throw new LockedError(path, lock, found);
    await removeStale(lock, found);
    wasKilled = true;
  }
  await removeAbandoned(lock);
  if (wasKilled) await afterKilled?.();
  const drop = () => {
    try {
      unlinkSync(lock);
    } catch {
      // Somebody else has removed it: nothing is left to do.
    }
  };
  process.once('exit', drop);
  return async () => {
    process.off('exit', drop);
    drop();
  };
}

/** Makes a file with this text, unless there is one of its name. It never exists without the text. */
async function created(path: string, text: string): Promise<boolean> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, text, { flag: 'wx' });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    // Some file systems know no links.
    return createdPlain(path, text);
  } finally {
    await unlink(draft).catch(() => undefined);
  }
}

async function createdPlain(path: string, text: string): Promise<boolean> {
  const file = await open(path, 'wx').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await file?.writeFile(text);
  await file?.close();
  return file !== undefined;
}

/** Removes what processes that were killed while they took or gave up this lock have left beside it. */
async function removeAbandoned(lock: string): Promise<void> {
  const folder = dirname(lock);
  const beside = `${basename(lock)}.`;
  for (const name of await readdir(folder)) {
    if (!name.startsWith(beside) || !/^[\da-f]{12}$/.test(name.slice(beside.length))) continue;
    const path = join(folder, name);
    const isHeld = await holderOf(path).then(
      (holder) => holder && isAlive(holder),
      () => true,
    );
    if (!isHeld) await unlink(path).catch(() => undefined);
  }
}

/** Undefined where nobody is named, or the lock has gone. One that cannot be read may be somebody's. */
async function holderOf(lock: string): Promise<Holder | undefined> {
  const text = await readFile(lock, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw badFile(
      lock,
      'cannot be read, so somebody may be writing the file beside it; if nobody is, remove it',
      error,
    );
  });
  try {
    const found = JSON.parse(text) as Partial<Holder> | null;
    return Number.isInteger(found?.pid) && typeof found?.host === 'string' ? (found as Holder) : undefined;
  } catch {
    return undefined;
  }
}

/** Of a process on another machine nothing can be said, so it counts. */
function isAlive({ pid, host, began }: Holder): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // A process of somebody else may not be asked, but it is there.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return began === undefined || began === beganAt(pid);
}

/** When a process began, in the system's own count; undefined where the system does not say. */
function beganAt(pid: number): string | undefined {
  try {
    // The name of the program stands in parentheses and may hold anything; the 20th field behind it is the
    // time.
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')[19];
  } catch {
    return undefined;
  }
}

/**
 * Removes a lock that is nobody's. Where another process was quicker and holds it by now, its lock is put
 * back.
 */
async function removeStale(lock: string, stale: Holder | undefined): Promise<void> {
  const aside = `${lock}.${randomBytes(6).toString('hex')}`;
  const moved = await rename(lock, aside).then(
    () => true,
    () => false,
  );
  if (!moved) return;
  const found = await holderOf(aside);
  if (found && JSON.stringify(found) !== JSON.stringify(stale))
    await link(aside, lock).catch(() => undefined);
  await unlink(aside).catch(() => undefined);
}
