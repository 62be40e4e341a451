import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Shelf } from './shelf.ts';

/**
 * A folder that all machines see. A file is written under a name of its own and then linked to its key: a
 * link appears whole, and fails where the key is taken, on local disks and on NFS alike.
 */
export function fileShelf(folder: string): Shelf {
  return {
    name: `file:${folder}`,
    get: (key) => unlessMissing(readFile(join(folder, key))),
    putNew: (key, bytes) => putNew(join(folder, key), bytes),
    async list(prefix) {
      const within = join(folder, prefix);
      const found = (await unlessMissing(readdir(within, { recursive: true, withFileTypes: true }))) ?? [];
      return found
        .filter((entry) => entry.isFile() && !entry.name.endsWith(PART))
        .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, '/').length))
        .sort();
    },
    async remove(key) {
      await unlessMissing(unlink(join(folder, key)));
    },
  };
}

/** How names end that are on the way to their key; no key and no worker's name has a ~. */
export const PART = '.part~';

/**
 * Writes a file that is there whole, or not at all, and never replaces one; `lasting` ones survive a power
 * cut.
 */
export async function putNew(path: string, bytes: Uint8Array | string, lasting = true): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true });
  const part = `${path}.${randomBytes(6).toString('hex')}${PART}`;
  const file = await open(part, 'wx');
  try {
    await file.writeFile(bytes);
    if (lasting) await file.sync();
    await file.close();
    await link(part, path);
    return true;
  } catch (error) {
    await file.close().catch(() => undefined);
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await unlessMissing(unlink(part));
  }
}

/** What an operation gives; undefined where its file does not exist. */
export async function unlessMissing<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
