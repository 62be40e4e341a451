import type { ColumnData, Compressors, FileMetaData, RowGroup } from 'hyparquet';
import { parquetMetadataAsync, parquetRead, parquetSchema } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { ByteWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';
import { Breath } from '../rows/breath.ts';
import { counted } from '../rows/counted.ts';
import { badFile, guarded } from '../rows/errors.ts';
import { sliceNames } from '../rows/names.ts';
import type { Rows } from '../rows/rows.ts';
import type { RowSource } from '../rows/source.ts';
import { sum } from '../rows/sum.ts';
import { type ByteSource, readRange } from './bytes.ts';
import { MAX_COLUMNS, MEMORY_LIMIT, type OpenedSource, type OpenOptions } from './options.ts';
import { checkColumn, checkFooter, MAX_PAGE } from './parquet-check.ts';
import type { RecordSource } from './table/records.ts';
import { openRecords } from './table/table.ts';
import { idHeading, type WriteOptions, writtenValue } from './write.ts';

/**
 * Parquet: boolean or numeric columns, a column of lists (of items, or of numbers), or two columns `row,
 * item`. One row group is in memory at a time.
 */
export async function openParquet(bytes: ByteSource, options: OpenOptions): Promise<OpenedSource> {
  return openRecords(await parquetRecords(bytes, options), options);
}

async function parquetRecords(bytes: ByteSource, options: OpenOptions): Promise<RecordSource> {
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
  const breath = new Breath();
  /** The columns of a row group with all their values, a few at a time, so that a signal can abort. */
  const readGroup = async (group: RowGroup, rowStart: number): Promise<ArrayLike<unknown>[]> => {
    if (!checked.has(group)) await checkGroup(bytes, metadata, group);
    checked.add(group);
    const n = Number(group.num_rows);
    const step = Math.max(1, Math.floor(VALUES / n));
    const values = new Map<string, Gathered>();
    for (let v = 0; v < columns.length; v += step) {
      await breath.between(undefined);
      const onChunk = ({ columnName, columnData, rowStart: at }: ColumnData) => {
        if (!values.has(columnName)) values.set(columnName, new Gathered(n));
        values.get(columnName)!.add(columnData, at - rowStart);
      };
      const rowEnd = rowStart + n;
      const some = columns.slice(v, v + step);
      await parquetRead({ file, metadata, compressors: LIMITED, columns: some, rowStart, rowEnd, onChunk });
    }
    return columns.map((column) => (values.get(column) ?? new Gathered(n)).complete(column));
  };
  async function* batches(): AsyncGenerator<unknown[][]> {
    let start = 0;
    for (const group of metadata.row_groups) {
      const n = Number(group.num_rows);
      if (n === 0) continue;
      const first = start;
      const values = await guarded(name, 'a Parquet file', () => readGroup(group, first));
      const step = Math.max(1, Math.floor(CELLS / columns.length));
      for (let from = 0; from < n; from += step) {
        const length = Math.min(n, from + step) - from;
        yield Array.from({ length }, (_, i) => values.map((column) => column[from + i]));
      }
      start += n;
    }
  }
  return { name, format: 'parquet', columns, batches };
}

/** Values that are decoded at a time, and cells that are handed on at a time. */
const VALUES = 2 ** 20;
const CELLS = 2 ** 16;

/** The values of a column, which may come in several pieces. */
class Gathered {
  private readonly n: number;
  private values: ArrayLike<unknown> | undefined;
  private count = 0;

  constructor(n: number) {
    this.n = n;
  }

  add(piece: ArrayLike<unknown>, at: number): void {
    this.count += piece.length;
    if (at === 0 && piece.length === this.n) {
      this.values = piece;
      return;
    }
    const values = (this.values ?? new Array(this.n)) as unknown[];
    for (let k = 0; k < piece.length; k++) if (at + k >= 0 && at + k < this.n) values[at + k] = piece[k];
    this.values = values;
  }

  complete(column: string): ArrayLike<unknown> {
    if (!this.values || this.count < this.n)
      throw new Error(
        `column ${column} has ${counted(this.count, 'value')} where there are ${counted(this.n, 'row')}`,
      );
    return this.values;
  }
}

/**
 * The description of the whole file; its length and the four letters that the file began with are the end.
 */
async function readFooter(bytes: ByteSource): Promise<Uint8Array> {
  const end = bytes.size - 8;
  const tail = await readRange(bytes, Math.max(0, end), bytes.size, 'a Parquet file');
  const length = new DataView(tail.buffer).getUint32(0, true);
  if (!(length <= end)) throw new Error(`its description claims ${counted(length, 'byte')}`);
  return readRange(bytes, end - length, end, 'its description');
}

/** The names of the columns, once sizes and places have been found to lie within the file and the limit. */
function checkMetadata(bytes: ByteSource, metadata: FileMetaData, options: OpenOptions): string[] {
  const maxBytes = options.maxBytes ?? MEMORY_LIMIT;
  // The tree of columns is told by the number of children of each, which must add up.
  const { schema } = metadata;
  const counts = schema.map(({ num_children = 0 }) => num_children);
  const children = sum(counts);
  if (counts.some((count) => !(count >= 0)) || children !== schema.length - 1)
    throw new Error('the schema is damaged');
  const columns = parquetSchema(metadata).children.map((child) => child.element.name);
  if (columns.length === 0 || columns.length > MAX_COLUMNS)
    throw new Error(`${counted(columns.length, 'column')}`);
  const seen = new Set<string>();
  const twice = columns.find((column) => seen.size === seen.add(column).size);
  if (twice !== undefined) throw new Error(`two columns are called '${twice}'`);
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
    if (!(num_rows >= 0n && num_rows <= 2n ** 32n))
      throw new Error(`a row group claims ${counted(num_rows, 'row')}`);
    // A row group is decoded whole, and a few bytes may stand for any number of equal values.
    const size = Math.max(Number(total_byte_size), VALUE_BYTES * values);
    if (!(size <= maxBytes)) {
      throw badFile(
        bytes.name,
        `a row group of ${counted(num_rows, 'row')} takes ${counted(size, 'byte')}, more than the limit of ${maxBytes}: write it with smaller row groups`,
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
      if (!(length >= 0 && length <= MAX_PAGE))
        throw new Error(`a page claims to unpack to ${counted(length, 'byte')}`);
      return unpack(input, length);
    },
  ]),
);

/** A source as Parquet: boolean columns for bits, float columns for real values, one row group per chunk. */
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
  if (!file) throw badFile('output', 'a Parquet file needs at least one row');
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
