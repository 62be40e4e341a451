import { randomBytes } from 'node:crypto';
import { link, lstat, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { badFile, type FormatError } from '../../rows/errors.ts';
import { explained } from './file.ts';

/**
 * Files that appear whole or not at all. Writing goes to a temporary file in the same folder; `commit`
 * flushes it to the disk and gives it its name, `abort` removes it. An existing file is left alone unless
 * `force` is given.
 */
export interface AtomicFile {
  /** Adds bytes at the end. */
  append(bytes: Uint8Array | string): Promise<void>;
  commit(): Promise<void>;
  abort(): Promise<void>;
}

export async function atomicFile(path: string, options: { force?: boolean } = {}): Promise<AtomicFile> {
  const { force = false } = options;
  const temporary = join(dirname(path), `${prefixOf(path)}${randomBytes(6).toString('hex')}.part`);
  await refuseSpecial(path);
  if (!force) await refuseExisting(path);
  const file = await explainWrite(path, open(temporary, 'wx'));
  let isOpen = true;
  const release = async () => {
    if (!isOpen) return;
    isOpen = false;
    await file.close();
  };
  const abort = async () => {
    await release();
    await unlink(temporary).catch(() => undefined);
  };
  return {
    append: (bytes) => explainWrite(path, file.writeFile(bytes)),
    abort,
    async commit() {
      try {
        await explainWrite(path, file.sync());
        await release();
        if (force) await explainWrite(path, rename(temporary, path));
        else await nameNew(temporary, path);
        await syncFolder(dirname(path));
      } finally {
        await abort();
      }
    },
  };
}

/**
 * Removes the temporary files that a writer of this file left behind when it was killed. Only for those who
 * know that nobody else writes the file now.
 */
export async function removeLeftovers(path: string): Promise<void> {
  const prefix = prefixOf(path);
  for (const name of await readdir(dirname(path)).catch(() => [])) {
    const isOurs = name.startsWith(prefix) && /^[0-9a-f]{12}\.part$/.test(name.slice(prefix.length));
    if (isOurs) await unlink(join(dirname(path), name)).catch(() => undefined);
  }
}

/** How the name of a file's temporary files begins: hidden, and telling whose they are. */
function prefixOf(path: string): string {
  return `.${basename(path)}.`;
}

/** Writes a file atomically from pieces; when their source fails, nothing is left behind. */
export async function writeAtomic(
  path: string,
  pieces: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
  options: { force?: boolean } = {},
): Promise<void> {
  const file = await atomicFile(path, options);
  try {
    for await (const piece of pieces) await file.append(piece);
  } catch (error) {
    await file.abort();
    throw error;
  }
  await file.commit();
}

function exists(path: string): FormatError {
  return badFile(path, 'already exists; use --force to overwrite it ({ force: true } in a program)');
}

/**
 * Folders, devices, pipes and sockets, or links to devices, pipes and sockets: a rename would put a file in
 * their place, also by force.
 */
export async function refuseSpecial(path: string): Promise<void> {
  if ((await lstat(path).catch(() => undefined))?.isDirectory())
    throw badFile(path, 'is a folder; name a file');
  const found = await stat(path).catch(() => undefined);
  if (!found || found.isFile() || found.isDirectory()) return;
  throw badFile(path, 'is a device, a pipe or a socket, which no file may replace; name a file');
}

/** A link that leads nowhere has the name too. */
async function refuseExisting(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found) throw exists(path);
}

/** Gives a file its name only if nothing has that name: a link, unlike a rename, never replaces. */
async function nameNew(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw exists(path);
    // Some file systems know no links: there the name is free as far as was seen at the start.
    await refuseExisting(path);
    await explainWrite(path, rename(temporary, path));
  }
}

/** Makes the new name itself last through a power cut, on systems where a folder can be synced. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

const WRITING: Readonly<Record<string, string>> = {
  ENOENT: 'the folder to write it in does not exist',
  EACCES: 'writing there is not allowed',
  EROFS: 'writing there is not allowed',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EISDIR: 'is a folder',
};

/** Waits for an operation that writes a file; why it failed is said for people. */
export function explainWrite<T>(path: string, operation: Promise<T>): Promise<T> {
  return explained(path, operation, WRITING, 'cannot be written: ');
}
