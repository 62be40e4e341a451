import { badFile } from '../rows/errors.ts';
import type { RowSource } from '../rows/source.ts';
import { byEnding } from './recognise.ts';
import type { WriteOptions } from './write.ts';

export type WrittenFormat = 'npy' | 'csv' | 'tsv' | 'bits' | 'parquet' | 'jsonl';

/** A file of a source, piece by piece, in the format asked for. Only one chunk is in memory at a time. */
export async function* encodeRows(
  source: RowSource,
  format: WrittenFormat,
  options: WriteOptions = {},
): AsyncGenerator<Uint8Array> {
  yield* await WRITERS[format](source, options);
}

type Writer = (source: RowSource, options: WriteOptions) => Promise<AsyncIterable<Uint8Array>>;

/** Each loads the file of its format when it is written to. */
const WRITERS: Readonly<Record<WrittenFormat, Writer>> = {
  npy: async (source, options) => (await import('./npy.ts')).encodeNpy(source, options),
  csv: (source, options) => encodeText(source, { ...options, delimiter: ',' }),
  tsv: (source, options) => encodeText(source, { ...options, delimiter: '\t' }),
  bits: async (source, options) => (await import('./bits.ts')).encodeBits(source, options),
  parquet: async (source, options) => (await import('./parquet.ts')).encodeParquet(source, options),
  jsonl: async (source, options) => (await import('./table/write-jsonl.ts')).encodeJsonl(source, options),
};

async function encodeText(
  source: RowSource,
  options: WriteOptions & { readonly delimiter: string },
): Promise<AsyncIterable<Uint8Array>> {
  if (options.words) return (await import('./table/write-words.ts')).encodeWords(source, options);
  return (await import('./table/write-csv.ts')).encodeCsv(source, options);
}

/** The format to write for the name of a file. */
export function writtenFormat(path: string): WrittenFormat {
  if (/\.tsv$/i.test(path)) return 'tsv';
  const format = byEnding(path);
  const known = ['npy', 'csv', 'bits', 'parquet', 'jsonl'] as const;
  const found = known.find((name) => name === format);
  if (!found || /\.gz$/i.test(path)) {
    throw badFile(
      path,
      'has an ending that cannot be written: use .npy, .csv, .tsv, .bits, .parquet or .jsonl',
    );
  }
  return found;
}
