import { FormatError } from '../rows/errors.ts';
import type { RowSource } from '../rows/source.ts';
import { encodeBits } from './bits.ts';
import { encodeNpy } from './npy.ts';
import { byEnding } from './open.ts';
import { encodeParquet } from './parquet.ts';
import { encodeCsv } from './table/csv.ts';
import { encodeJsonl } from './table/jsonl.ts';
import { encodeWords } from './table/words.ts';
import type { WriteOptions } from './write.ts';

export type WrittenFormat = 'npy' | 'csv' | 'tsv' | 'bits' | 'parquet' | 'jsonl';

/** A file of a source, piece by piece, in the format asked for. Only one chunk is in memory at a time. */
export function encodeRows(
  source: RowSource,
  format: WrittenFormat,
  options: WriteOptions = {},
): AsyncGenerator<Uint8Array> {
  switch (format) {
    case 'npy':
      return encodeNpy(source, options);
    case 'csv':
    case 'tsv': {
      const written = { ...options, delimiter: format === 'tsv' ? '\t' : ',' };
      return options.words ? encodeWords(source, written) : encodeCsv(source, written);
    }
    case 'bits':
      return encodeBits(source, options);
    case 'parquet':
      return encodeParquet(source, options);
    case 'jsonl':
      return encodeJsonl(source, options);
  }
}

/** The format to write for the name of a file. */
export function writtenFormat(path: string): WrittenFormat {
  if (/\.tsv$/i.test(path)) return 'tsv';
  const format = byEnding(path);
  const known = ['npy', 'csv', 'bits', 'parquet', 'jsonl'] as const;
  const found = known.find((name) => name === format);
  if (!found || /\.gz$/i.test(path)) {
    throw new FormatError(path, '', 'cannot be written: name it .npy, .csv, .tsv, .bits, .parquet or .jsonl');
  }
  return found;
}
