import { type Table, tableFromIPC } from '@uwdata/flechette';
import { FormatError, guarded } from '../rows/errors.ts';
import { checkArrow, checkLists } from './arrow-check.ts';
import { type ByteSource, readAll } from './bytes.ts';
import { MAX_COLUMNS, MEMORY_LIMIT, type OpenedSource, type OpenOptions } from './options.ts';
import { openRecords } from './records.ts';

/** Arrow IPC, file or stream (Feather version 2 too), without compression: the columns that Parquet may have. */
export async function openArrow(bytes: ByteSource, options: OpenOptions): Promise<OpenedSource> {
  const { name } = bytes;
  const file = await readAll(bytes, options.maxBytes ?? MEMORY_LIMIT);
  const { n, columns, children } = await guarded(name, 'an Arrow file', () => {
    checkArrow(file);
    const table = decode(file, name);
    table.children.forEach(checkLists);
    return { n: table.numRows, columns: table.names.map(String), children: table.children };
  });
  // Each value takes a bit at least: a longer table than that is a damaged one.
  if (!(n >= 0 && n <= file.length * 8) || columns.length > MAX_COLUMNS || columns.length === 0) {
    throw new FormatError(
      name,
      '',
      `claims ${n} rows of ${columns.length} columns, more than the file can hold`,
    );
  }
  async function* batches(): AsyncGenerator<unknown[][]> {
    for (let start = 0; start < n; start += BATCH) {
      const length = Math.min(n, start + BATCH) - start;
      yield await guarded(name, 'an Arrow file', () =>
        Array.from({ length }, (_, i) => children.map((child) => child.at(start + i))),
      );
    }
  }
  return openRecords({ name, format: 'arrow', columns, batches }, options);
}

const BATCH = 1000;

function decode(file: Uint8Array, name: string): Table {
  try {
    return tableFromIPC(file);
  } catch (error) {
    const codec = /Missing compression codec "(\w+)"/.exec((error as Error).message)?.[1];
    if (codec === undefined) throw error;
    throw new FormatError(
      name,
      '',
      `is compressed with ${codec}, which is not read. Save it as Parquet, or without compression: ` +
        "compression='uncompressed' in Python.",
    );
  }
}

export function isArrow(start: Uint8Array): boolean {
  return new TextDecoder('latin1').decode(start.subarray(0, 6)) === 'ARROW1';
}
