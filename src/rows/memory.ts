import { aboutOf, checkAbout, type RowsAbout } from './about.ts';
import { breathing } from './breath.ts';
import { checkedSource } from './checked-source.ts';
import { badFile } from './errors.ts';
import { JoinedRows } from './joined.ts';
import { type Rows, sliceRows } from './rows.ts';
import type { RowSource } from './source.ts';

/** Rows in memory as a source, with `about` in addition to their own. Chunks are views; nothing is copied. */
export function memorySource(rows: Rows, about: RowsAbout = {}): RowSource {
  const { n, V } = rows;
  const known = { ...rows, ...about };
  checkAbout(known, n, V);
  return {
    ...aboutOf(known),
    n,
    V,
    async *chunks(size) {
      const step = Math.max(1, Math.floor(size));
      for (let i = 0; i < n; i += step) yield sliceRows(known, i, Math.min(n, i + step));
    },
  };
}

/** Rows that are read at a time by default. */
const CHUNK = 4096;

/** The most bytes that `collect` takes into memory by default: 4 GiB. */
const COLLECT_LIMIT = 2 ** 32;

/**
 * All rows of a source, in memory. The size is checked before anything of that size is allocated; it follows
 * from the kind of the first chunk: V bits per row (twice that with missing entries), or V float32 numbers.
 */
export async function collect(
  source: RowSource,
  options: { readonly maxBytes?: number; readonly signal?: AbortSignal } = {},
): Promise<Rows> {
  const { maxBytes = COLLECT_LIMIT, signal } = options;
  const joined = new JoinedRows(source, (bytes) => checkBytes(bytes, maxBytes));
  for await (const chunk of breathing(checkedSource(source).chunks(CHUNK), signal)) joined.add(chunk);
  return { ...aboutOf(source), ...joined.rows };
}

function checkBytes(bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return;
  const gigabytes = (x: number) => `${(x / 2 ** 30).toFixed(2)} GiB`;
  throw badFile('rows', `need ${gigabytes(bytes)} of memory, the limit is ${gigabytes(maxBytes)}`);
}
