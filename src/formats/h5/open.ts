import type { RowsAbout } from '../../rows/about.ts';
import { counted } from '../../rows/counted.ts';
import { badFile, FormatError } from '../../rows/errors.ts';
import { PackedNames } from '../../rows/names.ts';
import { SparseBuilder, type SparseRows } from '../../rows/sparse.ts';
import type { ByteSource } from '../bytes.ts';
import { openNumbers } from '../numbers.ts';
import type { OpenedSource, OpenOptions } from '../options.ts';
import { checkShape, checkSparseRows, MAX_IDS, MEMORY_LIMIT } from '../options.ts';
import { openSparse, openSparsePieces } from '../sparse.ts';
import type { H5Array, H5File } from './file.ts';
import { type Found, findMatrix } from './find.ts';

/**
 * HDF5: a matrix of numbers, dense or as the compressed sparse ones of AnnData (`.h5ad`) and 10x, with the
 * names of its rows and columns. Dense matrices and those whose entries stand row after row are read a few
 * rows at a time.
 */
export async function openH5(bytes: ByteSource, options: OpenOptions): Promise<OpenedSource> {
  const opened = await openMatrix(bytes, options);
  // The next file is read at the same place.
  const { variable } = options;
  return variable ? { ...opened, schema: { ...opened.schema, variable } } : opened;
}

async function openMatrix(bytes: ByteSource, options: OpenOptions): Promise<OpenedSource> {
  const { name, hdf5 } = bytes;
  if (!hdf5) {
    throw badFile(
      name,
      'is HDF5, which can only be read from a file: save and unpack it, then name the file',
    );
  }
  const limit = options.maxBytes ?? MEMORY_LIMIT;
  const memory = Math.min(limit, LIBRARY + MOST_PACKED * bytes.size);
  const opened = () => hdf5({ memory });
  const file = await opened();
  try {
    const found = await findMatrix(name, file, options.variable);
    const { n, V, layout } = found;
    checkShape(name, n, V);
    const about = await namesIn(file, found);
    if (layout === 'dense') {
      if (n * V > LEAST_CLAIM + MOST_PACKED * bytes.size) tooLarge(name, found, bytes.size);
      const chunks = (size: number) => withFile(opened, (open) => denseRows(open, found, size));
      return await openNumbers({ name, format: 'h5', n, V, type: 'number', chunks, ...about }, options);
    }
    checkSparseRows(name, n, MOST_PACKED * bytes.size);
    const starts = await startsOf(name, file, found);
    if (layout === 'columns') {
      const rows = await transposed(name, file, found, starts, limit);
      return openSparse({ name, format: 'h5', rows, ...about }, options);
    }
    const pieces = (size: number) => withFile(opened, (open) => sparseRows(name, open, found, starts, size));
    return await openSparsePieces({ name, format: 'h5', n, V, pieces, ...about }, options);
  } finally {
    await file.close();
  }
}

/** Elements for each byte of a file that gzip may have packed as tightly as it can. */
const MOST_PACKED = 8192;
const LEAST_CLAIM = 65_536;
/** What the HDF5 library takes for itself, caches included. */
const LIBRARY = 2 ** 26;

function tooLarge(name: string, { path, n, V }: Found, size: number): never {
  throw new FormatError(name, path, `claims ${n} x ${V} numbers, too many for ${counted(size, 'byte')}`);
}

/** A file is open as long as it is read. */
async function* withFile<T>(
  opened: () => Promise<H5File>,
  read: (file: H5File) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const file = await opened();
  try {
    yield* read(file);
  } finally {
    await file.close();
  }
}

async function namesIn(file: H5File, { ids, columns, n }: Found): Promise<RowsAbout> {
  const words = async (path: string) => ((await file.at(path)) as H5Array).words();
  return {
    ...(columns && { columns: await words(columns) }),
    ...(ids && n <= MAX_IDS && { ids: PackedNames.from(await words(ids)) }),
  };
}

async function* denseRows(file: H5File, { path, n }: Found, size: number): AsyncGenerator<Float32Array> {
  const array = (await file.at(path)) as H5Array;
  for (let i = 0; i < n; i += size) yield Float32Array.from(await array.numbers(i, Math.min(n, i + size)));
}

/** An array of one dimension of a sparse matrix. */
async function partOf(name: string, file: H5File, { path }: Found, part: string): Promise<H5Array> {
  const array = await file.at(`${path}/${part}`);
  if (array?.kind === 'array' && array.holds === 'numbers' && array.shape.length === 1) return array;
  throw new FormatError(name, `${path}/${part}`, 'should be an array of numbers');
}

/** Where the entries of each row (or column) begin, checked against how many there are. */
async function startsOf(name: string, file: H5File, found: Found): Promise<Float64Array> {
  const { path, n, V, layout } = found;
  const count = layout === 'rows' ? n : V;
  const array = await partOf(name, file, found, 'indptr');
  const entries = (await partOf(name, file, found, 'indices')).shape[0];
  const values = (await partOf(name, file, found, 'data')).shape[0];
  const wrong = () =>
    new FormatError(
      name,
      `${path}/indptr`,
      `should have ${counted(count + 1, 'number')} that rise from 0 to ${entries}`,
    );
  if (array.shape[0] !== count + 1 || values !== entries) throw wrong();
  const starts = Float64Array.from(await array.numbers(0, count + 1));
  if (starts[0] !== 0 || starts[count] !== entries) throw wrong();
  for (let i = 0; i < count; i++) if (!(starts[i + 1] >= starts[i])) throw wrong();
  return starts;
}

/** A few rows at a time, as sparse rows of their own. */
async function* sparseRows(
  name: string,
  file: H5File,
  found: Found,
  starts: Float64Array,
  size: number,
): AsyncGenerator<SparseRows> {
  const { n, V } = found;
  const indices = await partOf(name, file, found, 'indices');
  const data = await partOf(name, file, found, 'data');
  for (let first = 0; first < n; ) {
    let end = first + 1;
    while (end < n && end - first < size && starts[end + 1] - starts[first] <= MOST_ENTRIES) end++;
    const builder = new SparseBuilder(name, Number.POSITIVE_INFINITY);
    const [from, to] = [starts[first], starts[end]];
    const columns = to > from ? await indices.numbers(from, to) : [];
    const values = to > from ? await data.numbers(from, to) : [];
    for (let i = first; i < end; i++) {
      for (let k = starts[i]; k < starts[i + 1]; k++) {
        const v = columns[k - from];
        if (!(v >= 0 && v < V)) outside(name, found, k, v);
        builder.add(i - first, v, values[k - from]);
      }
    }
    yield builder.build(end - first, V);
    first = end;
  }
}

/** Entries that are read at once. */
const MOST_ENTRIES = 2 ** 20;

function outside(name: string, { path, n, V, layout }: Found, k: number, place: number): never {
  const what = layout === 'rows' ? `column ${place} of ${V}` : `row ${place} of ${n}`;
  throw new FormatError(name, `${path}/indices ${k}`, `there is no ${what}`);
}

/** All entries of a matrix whose entries stand column after column, sorted into rows. */
async function transposed(
  name: string,
  file: H5File,
  found: Found,
  starts: Float64Array,
  limit: number,
): Promise<SparseRows> {
  const { n, V } = found;
  const indices = await partOf(name, file, found, 'indices');
  const data = await partOf(name, file, found, 'data');
  const builder = new SparseBuilder(name, limit);
  let v = 0;
  const entries = starts[V];
  for (let from = 0; from < entries; from += MOST_ENTRIES) {
    const to = Math.min(entries, from + MOST_ENTRIES);
    const [rows, values] = [await indices.numbers(from, to), await data.numbers(from, to)];
    for (let k = from; k < to; k++) {
      while (starts[v + 1] <= k) v++;
      const i = rows[k - from];
      if (!(i >= 0 && i < n)) outside(name, found, k, i);
      builder.add(i, v, values[k - from]);
    }
  }
  return builder.build(n, V);
}
