import type { RowsAbout } from '../rows/about.ts';
import { FormatError } from '../rows/errors.ts';
import { type SparseRows, sparseSource } from '../rows/sparse.ts';
import { columnPlace, decideReading, look, newCensus } from '../rows/values.ts';
import { finish } from './numbers.ts';
import { chunkRows, type FormatName, type OpenedSource, type OpenOptions } from './options.ts';

/** Rows of a sparse format. Entries that the file leaves out are zeros. */
export function openSparse(
  sparse: SparseRows,
  format: FormatName,
  name: string,
  options: OpenOptions,
  names: RowsAbout = {},
): OpenedSource {
  if (options.values === 'signs' || options.values === 'packed') {
    throw new FormatError(
      name,
      '',
      `--values ${options.values} does not fit a sparse file, which leaves out zeros`,
    );
  }
  const census = { ...newCensus(), zero: true };
  if (sparse.values && options.values !== 'presence') look(census, sparse.values, 1, 0);
  const values = options.values === 'numbers' ? undefined : options.values;
  if (census.missing)
    throw new FormatError(name, '', 'a sparse file cannot say that entries are missing (found NaN)');
  if (!values && (census.byte || census.other || census.minusOne || census.negative)) {
    const odd = sparse.values!.findIndex((x) => !(x >= 0 && x <= 1));
    const place = columnPlace(sparse.items[odd], names.columns);
    throw new FormatError(
      name,
      '',
      `holds numbers other than 0 and 1, such as ${sparse.values![odd]} (in ${place}). Say --values presence to take every one as a bit that is ` +
        'on, or --values bytes for grey levels.',
    );
  }
  const { binarize, seed } = options;
  const reading = decideReading(name, 'number', census, { values, binarize, seed });
  checkRange(name, sparse, reading.values, names.columns);
  const source = sparseSource(sparse, reading, names);
  const capped = { ...source, chunks: (size: number) => source.chunks(chunkRows(size, sparse.V)) };
  return finish(capped, { name, format, reading, values: reading.values }, options);
}

function checkRange(name: string, sparse: SparseRows, values: string, columns?: readonly string[]): void {
  if (!sparse.values || values === 'presence') return;
  const most = values === 'bytes' ? 255 : 1;
  const wrong = (x: number) => !(x >= 0 && x <= most) || (values === 'bits' && x !== 0 && x !== 1);
  const k = sparse.values.findIndex(wrong);
  if (k < 0) return;
  const row = sparse.offsets.findIndex((offset) => offset > k);
  throw new FormatError(
    name,
    `row ${row}, ${columnPlace(sparse.items[k], columns)}`,
    `found ${sparse.values[k]}, expected 0 to ${most} (--values ${values})`,
  );
}
