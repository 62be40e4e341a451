import {
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  parquetSchema,
  type RowGroup,
} from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { ByteWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';
import { FormatError, guarded } from '../rows/errors.ts';
import { sliceNames } from '../rows/names.ts';
import type { Rows } from '../rows/rows.ts';
import type { RowSource } from '../rows/source.ts';
import { type ByteSource, readRange } from './bytes.ts';
import { MAX_COLUMNS, MEMORY_LIMIT, type OpenedSource, type OpenOptions } from './options.ts';
import { checkColumn, checkFooter, MAX_PAGE } from './parquet-check.ts';
import type { RecordSource } from './table/records.ts';
import { openRecords } from './table/table.ts';
import { idHeading, type WriteOptions, writtenValue } from './write.ts';

/**
 * Parquet: boolean or numeric columns, a column of lists (of items, or of numbers), or two columns `row, item`.
 * One row group is in memory at a time.
 */
export async function openParquet(bytes: ByteSource, options: OpenOptions): Promise<OpenedSource> {
  return openRecords(await parquetRecords(bytes, options), options);
}

export async function parquetRecords(bytes: ByteSource, options: OpenOptions): Promise<RecordSource> {
  const { name } = bytes;
  const file = {
    byteLength: bytes.size,
    slice: async (start: number, end: number = bytes.size) =>
      (await readRange(bytes, start, Math.min(end, bytes.size), 'a Parquet column')).buffer,
  };
  const metadata = await guarded(name, 'a Parquet file', async () => {
    checkFooter(await readFooter(bytes));
    return parquetMetadataAsync(file, { geoparquet: false });
  });
  const columns = await guarded(name, 'a Parquet file', () => checkMetadata(bytes, metadata, options));
  const checked = new Set<RowGroup>();
  const read = (group: RowGroup, rowStart: number, rowEnd: number): Promise<unknown[][]> =>
    guarded(name, 'a Parquet file', async () => {
      if (!checked.has(group)) await checkGroup(bytes, metadata, group);
      checked.add(group);
      let rows: unknown[][] = [];
      const onComplete = (all: unknown[][]) => {
        rows = all;
      };
      await parquetRead({ file, metadata, compressors: LIMITED, rowStart, rowEnd, onComplete });
      if (rows.length !== rowEnd - rowStart)
        throw new Error(`rows ${rowStart} to ${rowEnd} are not complete`);
      return rows;
    });
  async function* batches(): AsyncGenerator<unknown[][]> {
    let start = 0;
    for (const group of metadata.row_groups) {
      const end = start + Number(group.num_rows);
      if (end > start) yield await read(group, start, end);
      start = end;
    }
  }
  return { name, format: 'parquet', columns, batches };
}

export function isParquet(start: Uint8Array): boolean {
  return start[0] === 0x50 && start[1] === 0x41 && start[2] === 0x52 && start[3] === 0x31;
}

/** The description of the whole file; its length and the four letters that the file began with are the end. */
async function readFooter(bytes: ByteSource): Promise<Uint8Array> {
  const end = bytes.size - 8;
  const tail = await readRange(bytes, Math.max(0, end), bytes.size, 'a Parquet file');
  const length = new DataView(tail.buffer).getUint32(0, true);
  if (!(length <= end)) throw new Error(`its description claims ${length} bytes`);
  return readRange(bytes, end - length, end, 'its description');
}

/** The names of the columns, once sizes and places have been found to lie within the file and the limit. */
function checkMetadata(bytes: ByteSource, metadata: FileMetaData, options: OpenOptions): string[] {
  const maxBytes = options.maxBytes ?? MEMORY_LIMIT;
  // The tree of columns is told by the number of children of each, which must add up.
  const { schema } = metadata;
  const counts = schema.map(({ num_children = 0 }) => num_children);
  const children = counts.reduce((a, b) => a + b, 0);
  if (counts.some((count) => !(count >= 0)) || children !== schema.length - 1)
    throw new Error('the schema is damaged');
  const columns = parquetSchema(metadata).children.map((child) => child.element.name);
  if (columns.length === 0 || columns.length > MAX_COLUMNS) throw new Error(`${columns.length} columns`);
  for (const { columns: chunks, num_rows, total_byte_size } of metadata.row_groups) {
    let packed = 0;
    let values = 0;
    for (const { meta_data: chunk } of chunks) {
      if (!chunk) continue;
      packed += Number(chunk.total_compressed_size);
      values += Math.max(Number(num_rows), Number(chunk.num_values));
      const place = Number(chunk.dictionary_page_offset || chunk.data_page_offset);
      if (!(place >= 0 && place <= bytes.size && packed >= 0 && packed <= bytes.size)) {
        throw new Error('a column lies outside the file');
      }
    }
    if (!(num_rows >= 0n && num_rows <= 2n ** 32n)) throw new Error(`a row group claims ${num_rows} rows`);
    // A row group is decoded whole, and a few bytes may stand for any number of equal values.
    const size = Math.max(Number(total_byte_size), VALUE_BYTES * values);
    if (!(size <= maxBytes)) {
      throw new FormatError(
        bytes.name,
        '',
        `a row group of ${num_rows} rows takes ${size} bytes, more than the limit of ${maxBytes}: write it with smaller row groups`,
      );
    }
  }
  return columns;
}

/** What a decoded value takes, in its column and in its row. */
const VALUE_BYTES = 16;

async function checkGroup(bytes: ByteSource, metadata: FileMetaData, group: RowGroup): Promise<void> {
  const tree = parquetSchema(metadata);
  for (const { meta_data: chunk } of group.columns) {
    if (!chunk) throw new Error('a column has no description');
    const start = Number(chunk.dictionary_page_offset || chunk.data_page_offset);
    const column = await readRange(bytes, start, start + Number(chunk.total_compressed_size), 'a column');
    checkColumn(column, chunk, tree, Number(group.num_rows), LIMITED);
  }
}

const LIMITED: Compressors = Object.fromEntries(
  Object.entries(compressors).map(([codec, unpack]) => [
    codec,
    (input: Uint8Array, length: number) => {
      if (!(length >= 0 && length <= MAX_PAGE)) throw new Error(`a page claims to unpack to ${length} bytes`);
      return unpack(input, length);
    },
  ]),
);

/** A Parquet file of a source: a boolean column for each bit, float columns for real values; one row group a chunk. */
export async function* encodeParquet(
  source: RowSource,
  options: WriteOptions = {},
): AsyncGenerator<Uint8Array> {
  const { V, ids } = source;
  const width = String(V - 1).length;
  const names = source.columns ?? Array.from({ length: V }, (_, v) => `v${String(v).padStart(width, '0')}`);
  const writer = new ByteWriter();
  let file: ParquetWriter | undefined;
  let row = 0;
  for await (const rows of source.chunks(Math.max(1000, Math.floor(2 ** 22 / V)))) {
    const boolean = rows.kind === 'bits' && !options.values;
    const type = boolean ? ('BOOLEAN' as const) : ('FLOAT' as const);
    const columnData = names.map((name, v) => ({ name, type, data: column(rows, v, boolean, options) }));
    const id = ids && {
      name: idHeading(ids, names),
      type: 'STRING' as const,
      data: sliceNames(ids, row, row + rows.n),
    };
    const all = id ? [id, ...columnData] : columnData;
    file ??= new ParquetWriter({ writer, schema: schemaFromColumnData({ columnData: all }) });
    await file.write({ columnData: all, rowGroupSize: rows.n });
    row += rows.n;
    yield writer.getBytes().slice();
    writer.index = 0;
  }
  if (!file) throw new FormatError('output', '', 'a Parquet file needs at least one row');
  await file.finish();
  yield writer.getBytes().slice();
}

function column(rows: Rows, v: number, boolean: boolean, options: WriteOptions): (boolean | number | null)[] {
  return Array.from({ length: rows.n }, (_, i) => {
    const x = writtenValue(rows, i, v, options);
    if (Number.isNaN(x)) return null;
    return boolean ? x === 1 : x;
  });
}
