import { readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of the studio's page. */
export interface PageFile {
  readonly path: string;
  readonly type: string;
}

/**
 * All files of the page by their addresses, listed once. A request is looked up among them and never becomes
 * a path, so that no address whatever leads to another file.
 */
export async function pageFiles(folder = BUILT): Promise<ReadonlyMap<string, PageFile>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = new Map<string, PageFile>();
  for (const entry of names) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const address = path.slice(folder.length).split('\\').join('/').replace(/^\/?/, '/');
    files.set(address, { path, type: TYPES[extname(entry.name)] ?? 'application/octet-stream' });
  }
  const index = files.get('/index.html');
  if (!index) throw new Error('the page of the studio is not built: run npm run build first');
  return files.set('/', index);
}

/** Beside the compiled package. */
const BUILT = fileURLToPath(new URL('../../studio/', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
