import { open } from 'node:fs/promises';
import { MAGIC } from '../search/index-format.ts';
import { UsageError } from './errors.ts';
import type { Session } from './session.ts';

/**
 * Whether a file is a search index. A file that cannot be opened is none; its error is reported elsewhere.
 */
export async function isIndex(path: string): Promise<boolean> {
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) return false;
  try {
    const start = new Uint8Array(MAGIC.length);
    const { bytesRead } = await file.read(start, 0, start.length, 0);
    return bytesRead === start.length && new TextDecoder().decode(start) === MAGIC;
  } catch {
    return false;
  } finally {
    await file.close();
  }
}

interface Options {
  readonly k?: number;
  readonly radius?: number;
  readonly only?: string;
  readonly rerank?: string;
  readonly shortlist?: number;
  readonly threads?: number;
}

/** Prints the nearest rows of an index for each query. */
export async function searchIndex(
  path: string,
  queriesPath: string,
  options: Options,
  session: Session,
): Promise<void> {
  const { k = 10, only, rerank, shortlist, threads } = options;
  if (options.radius !== undefined)
    throw new UsageError('an index can only be searched for the nearest codes: use -k instead of --radius');
  const [{ SearchIndex }, { readQueries, readIds }] = await Promise.all([
    import('../node/search-index.ts'),
    import('./vectors.ts'),
  ]);
  const index = await SearchIndex.open(path);
  try {
    const { data, n, ids } = await readQueries(index.model, queriesPath, session.io.signal);
    const allowed = only === undefined ? undefined : await readIds(only);
    const found = await index.search(data, { k, only: allowed, rerank, shortlist, threads });
    const answers = found.map((answer, i) => ({
      query: ids?.at(i) ?? i,
      ids: answer.ids,
      costs: answer.costs,
    }));
    const lines = answers.map(({ query, ids, costs }) => answerLines(query, ids, costs));
    const facts = { n: index.size.rows, H: index.model.H, queries: n, answers, seconds: session.seconds };
    await session.result(facts, `query,id,cost\n${lines.join('')}`);
  } finally {
    await index.close();
  }
}

/** A line of CSV for each name found: query,name,number. */
export function answerLines(
  query: string | number,
  names: readonly (string | number)[],
  numbers: readonly number[],
): string {
  return names.map((name, r) => `${csvCell(query)},${csvCell(name)},${numbers[r]}\n`).join('');
}

/** A cell of CSV, in quotes if necessary. */
function csvCell(name: string | number): string {
  const text = String(name);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
