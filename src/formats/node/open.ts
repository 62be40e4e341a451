import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { ByteSource } from '../bytes.ts';
import { openDeclared } from '../like.ts';
import { openBytes } from '../open.ts';
import type { OpenedSource, OpenOptions } from '../options.ts';
import { explained, fileBytes } from './file.ts';

/** Opens a file of any known format, a folder of PNG pictures, or standard input (`-`). */
export async function openSource(path: string, options: OpenOptions = {}): Promise<OpenedSource> {
  if (path === '-') {
    const { stdinBytes } = await import('./stdin.ts');
    return openBytes(await stdinBytes({ signal: options.signal }), options);
  }
  const info = await explained(path, stat(path));
  return info.isDirectory() ? openFolder(path, options) : openBytes(await fileBytes(path), options);
}

/** A folder of pictures, those in folders within it too, in the order of their names (10 after 9). */
async function openFolder(folder: string, options: OpenOptions): Promise<OpenedSource> {
  const entries = await explained(folder, readdir(folder, { recursive: true, withFileTypes: true }));
  const paths = entries
    .filter((entry) => entry.isFile() && /\.png$/i.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)));
  const byName = new Intl.Collator('en', { numeric: true });
  paths.sort((a, b) => byName.compare(a, b) || (a < b ? -1 : 1));
  const files = paths.map((path) => lazyFile(join(folder, path)));
  const { openPictures } = await import('../png.ts');
  return openDeclared(options, (declared) => openPictures(folder, files, paths, declared));
}

/** A file that is looked at only when it is read: a folder may hold very many. */
function lazyFile(path: string): ByteSource {
  return {
    name: path,
    size: Number.MAX_SAFE_INTEGER,
    exact: false,
    async *stream(start, end) {
      yield* (await fileBytes(path)).stream(start, end);
    },
  };
}
