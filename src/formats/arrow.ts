import {
  CompressionType,
  getCompressionCodec,
  setCompressionCodec,
  type Table,
  tableFromIPC,
} from '@uwdata/flechette';
import { decompressZstd } from 'hyparquet-compressors';
import { FormatError, guarded } from '../rows/errors.ts';
import { checkArrow, checkLists } from './arrow-check.ts';
import { type ByteSource, readAll } from './bytes.ts';
import { unpackLz4 } from './lz4-frame.ts';
import { MAX_COLUMNS, MEMORY_LIMIT, type OpenedSource, type OpenOptions } from './options.ts';
import { openRecords, type RecordSource } from './records.ts';

/** Arrow IPC, file or stream (Feather version 2 too), compressed or not: the columns that Parquet may have. */
export async function openArrow(bytes: ByteSource, options: OpenOptions): Promise<OpenedSource> {
  return openRecords(await arrowRecords(bytes, options), options);
}

export async function arrowRecords(bytes: ByteSource, options: OpenOptions): Promise<RecordSource> {
  const { name } = bytes;
  const maxBytes = options.maxBytes ?? MEMORY_LIMIT;
  const file = await readAll(bytes, maxBytes);
  const { n, columns, children, size } = await guarded(name, 'an Arrow file', () => {
    checkArrow(file);
    const { table, size } = decode(file, maxBytes);
    table.children.forEach(checkLists);
    return { n: table.numRows, columns: table.names.map(String), children: table.children, size };
  });
  // Each value takes a bit at least: a longer table than that is a damaged one.
  if (!(n >= 0 && n <= size * 8) || columns.length > MAX_COLUMNS || columns.length === 0) {
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
  return { name, format: 'arrow', columns, batches };
}

const BATCH = 1000;

/** The table, and how many bytes it takes with all of its buffers unpacked. */
function decode(file: Uint8Array, maxBytes: number): { table: Table; size: number } {
  let size = file.length;
  const codec = (most: number, unpack: (packed: Uint8Array, length: number) => Uint8Array): Codec => ({
    decode(packed: Uint8Array): Uint8Array {
      const length = lengthBefore(packed);
      if (!(length >= 0 && length <= most * (packed.length + 4))) {
        throw new Error(`${packed.length} bytes claim to unpack to ${length}`);
      }
      size += length;
      if (size > maxBytes) throw new Error(`it unpacks to more than the ${maxBytes} bytes that are allowed`);
      return unpack(packed, length);
    },
    encode(): never {
      throw new Error('nothing is compressed here');
    },
  });
  // The decoder knows codecs by a list that all of its users share: ours are on it for the time of this call.
  const ours = {
    [CompressionType.LZ4_FRAME]: codec(MOST_LZ4, unpackLz4),
    [CompressionType.ZSTD]: codec(MOST_ZSTD, (packed, length) =>
      decompressZstd(packed, new Uint8Array(length)),
    ),
  };
  const types = [CompressionType.LZ4_FRAME, CompressionType.ZSTD];
  const before = types.map((type) => getCompressionCodec(type));
  for (const type of types) setCompressionCodec(type, ours[type]);
  try {
    const table = tableFromIPC(file);
    return { table, size };
  } finally {
    for (const [k, type] of types.entries()) setCompressionCodec(type, before[k] as Codec);
  }
}

type Codec = NonNullable<ReturnType<typeof getCompressionCodec>>;

/** What a byte can unpack to at most: LZ4 adds 255 to a length with a byte, zstd repeats 128 KiB in a block of four. */
const MOST_LZ4 = 255;
const MOST_ZSTD = 32_768;

/** A packed buffer follows the length of its content, which the decoder does not pass on. */
function lengthBefore({ buffer, byteOffset }: Uint8Array): number {
  return Number(new DataView(buffer).getBigInt64(byteOffset - 8, true));
}

export function isArrow(start: Uint8Array): boolean {
  return new TextDecoder('latin1').decode(start.subarray(0, 6)) === 'ARROW1';
}
