import type { RowsAbout } from '../rows/about.ts';
import { breathing } from '../rows/breath.ts';
import { type Census, decideReading, look, newCensus } from '../rows/census.ts';
import { badFile, FormatError } from '../rows/errors.ts';
import type { RowSource } from '../rows/source.ts';
import { type SparseRows, sparseSource, unpackSparse } from '../rows/sparse.ts';
import { columnPlace, type Reading, readsBits } from '../rows/values.ts';
import { finish } from './numbers.ts';
import { chunkRows, type FormatName, type OpenedSource, type OpenOptions } from './options.ts';

/** A table of which a file holds only the entries that are not zero. */
interface SparseTable extends RowsAbout {
  readonly name: string;
  readonly format: FormatName;
}

/** Rows of a sparse table. */
export function openSparse(
  table: SparseTable & { readonly rows: SparseRows },
  options: OpenOptions,
): OpenedSource {
  const { name, format, rows, ...about } = table;
  refuseDense(table, options);
  const census = { ...newCensus(), zero: true };
  const looked = options.values !== 'presence';
  if (looked) lookAt(census, rows, table, options);
  const reading = readingOf(table, census, options);
  if (looked) checkRange(table, rows, reading);
  const source = sparseSource(rows, reading, about);
  const capped = {
    ...source,
    chunks: (size: number) => source.chunks(unpackedRows(size, rows.V, reading)),
  };
  return finish(capped, { name, format, reading, values: reading.values, gaps: false }, options);
}

/** Sparse rows that come a few at a time, in order. */
interface SparsePieces extends SparseTable {
  readonly n: number;
  readonly V: number;
  pieces(size: number): AsyncIterable<SparseRows>;
}

/**
 * The same for rows that are not kept. Their entries are looked through once, unless it is said what they
 * are.
 */
export async function openSparsePieces(table: SparsePieces, options: OpenOptions): Promise<OpenedSource> {
  const { name, format, pieces, ...about } = table;
  refuseDense(table, options);
  const census = { ...newCensus(), zero: true };
  const looked = options.values !== 'presence';
  if (looked) {
    for await (const piece of breathing(pieces(LOOKED), options.signal))
      lookAt(census, piece, table, options);
  }
  const reading = readingOf(table, census, options);
  const source: RowSource = {
    ...about,
    async *chunks(size) {
      let first = 0;
      for await (const piece of pieces(unpackedRows(size, table.V, reading))) {
        if (looked) checkRange(table, piece, reading, first);
        yield unpackSparse(piece, 0, piece.n, reading, first);
        first += piece.n;
      }
    },
  };
  return finish(source, { name, format, reading, values: reading.values, gaps: false }, options);
}

/** How many rows to unpack at a time: 32 bits take no more memory than one number. */
function unpackedRows(size: number, V: number, reading: Reading): number {
  return chunkRows(size, readsBits(reading) ? V / 32 : V);
}

/** Rows that are looked at together. */
const LOOKED = 4096;

function refuseDense({ name }: SparseTable, options: OpenOptions): void {
  if (options.values === 'signs' || options.values === 'packed') {
    throw badFile(name, `--values ${options.values} does not fit a sparse file, which leaves out zeros`);
  }
}

/** Adds what the entries are to the census; refuses those that could be several things. */
function lookAt(
  census: Census,
  sparse: SparseRows,
  { name, columns }: SparseTable,
  options: OpenOptions,
): void {
  if (sparse.values) look(census, sparse.values, 1, 0);
  const said = options.values !== undefined && options.values !== 'numbers';
  if (census.missing) throw badFile(name, 'a sparse file cannot say that entries are missing (found NaN)');
  if (said || !(census.byte || census.other || census.minusOne || census.negative)) return;
  const odd = sparse.values!.findIndex((x) => !(x >= 0 && x <= 1));
  const place = columnPlace(sparse.items[odd], columns);
  throw badFile(
    name,
    `holds numbers other than 0 and 1, such as ${sparse.values![odd]} (in ${place}). Use --values presence to take every one as a bit that is ` +
      'on, or --values bytes for grey levels.',
  );
}

function readingOf({ name }: SparseTable, census: Census, { values, binarize, seed }: OpenOptions): Reading {
  const said = values === 'numbers' || values === 'packed' ? undefined : values;
  return decideReading(name, 'number', census, { values: said, binarize, seed });
}

/**
 * Refuses entries that are not what they are read as; the first of these rows is row `first` of the table.
 */
function checkRange(
  { name, columns }: SparseTable,
  sparse: SparseRows,
  { values }: Reading,
  first = 0,
): void {
  if (!sparse.values || values === 'presence') return;
  const most = values === 'bytes' ? 255 : 1;
  const wrong = (x: number) => !(x >= 0 && x <= most) || (values === 'bits' && x !== 0 && x !== 1);
  const k = sparse.values.findIndex(wrong);
  if (k < 0) return;
  const row = sparse.offsets.findIndex((offset) => offset > k);
  throw new FormatError(
    name,
    `row ${first + row}, ${columnPlace(sparse.items[k], columns)}`,
    `found ${sparse.values[k]}, expected 0 to ${most} (--values ${values})`,
  );
}
