import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * The files that words stand for, in the order of their names (10 after 9): a pattern for all that fit it,
 * where * and ? are any characters of one name, and a folder for the Parquet files in it, those in folders
 * within too.
 */
export async function filesOf(words: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const word of words) {
    if (/[*?]/.test(word)) found.push(...(await fitting(word)));
    else if ((await stat(word).catch(() => undefined))?.isDirectory()) found.push(...(await parquetIn(word)));
    else found.push(word);
  }
  return found;
}

async function fitting(pattern: string): Promise<string[]> {
  const folder = dirname(pattern);
  const folders = /[*?]/.test(folder) ? await fitting(folder) : [folder];
  const name = pattern
    .slice(folder === '.' && !pattern.startsWith('.') ? 0 : folder.length)
    .replace(/^\//, '');
  const escaped = name
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  const fits = new RegExp(`^${escaped}$`);
  const found: string[] = [];
  for (const one of folders) {
    const names = await readdir(one).catch(() => []);
    found.push(
      ...inOrder(names.filter((entry) => fits.test(entry) && !entry.startsWith('.'))).map((entry) =>
        join(one, entry),
      ),
    );
  }
  if (found.length === 0) throw new RangeError(`shard: no file matches ${pattern}`);
  return found;
}

/** A folder without Parquet files is left to whoever reads pictures. */
async function parquetIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  const found = inOrder(names.filter((name) => /\.parquet$/i.test(name)));
  return found.length > 0 ? found.map((name) => join(folder, name)) : [folder];
}

function inOrder(names: readonly string[]): string[] {
  const byName = new Intl.Collator('en', { numeric: true });
  return [...names].sort((a, b) => byName.compare(a, b) || (a < b ? -1 : 1));
}
