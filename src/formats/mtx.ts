import { counted } from '../rows/counted.ts';
import { badFile, FormatError } from '../rows/errors.ts';
import { SparseBuilder } from '../rows/sparse.ts';
import type { ByteSource } from './bytes.ts';
import { lineBlocks } from './lines.ts';
import { openNumbers } from './numbers.ts';
import { checkShape, checkSparseRows, MEMORY_LIMIT, type OpenedSource, type OpenOptions } from './options.ts';
import { openSparse } from './sparse.ts';

/**
 * Matrix Market: `%%MatrixMarket matrix coordinate|array real|integer|pattern general|symmetric`, comments,
 * the sizes, then an entry a line (`row column value`, from 1), or all values column after column.
 */
export async function openMtx(bytes: ByteSource, options: OpenOptions): Promise<OpenedSource> {
  const { name } = bytes;
  let header: Header | undefined;
  let matrix: Matrix | undefined;
  let line = 0;
  for await (const lines of lineBlocks(bytes, options)) {
    for (const text of lines) {
      line++;
      if (!header) header = parseHeader(name, text);
      else if (text.startsWith('%') || text.trim() === '') continue;
      else if (!matrix) matrix = startMatrix(bytes, header, text, line, options);
      else matrix.add(parseNumbers(name, text, line), line);
    }
  }
  if (!matrix) throw badFile(name, 'ends before the sizes of the matrix');
  return matrix.open();
}

interface Header {
  readonly layout: 'coordinate' | 'array';
  readonly field: string;
  readonly symmetry: string;
}

function parseHeader(name: string, text: string): Header {
  const [magic, object, layout, field, symmetry] = text.trim().toLowerCase().split(/\s+/);
  if (magic !== '%%matrixmarket' || object !== 'matrix') {
    throw new FormatError(name, 'line 1', 'a Matrix Market file starts with %%MatrixMarket matrix');
  }
  const known =
    (layout === 'coordinate' || layout === 'array') &&
    ['real', 'double', 'integer', 'pattern'].includes(field) &&
    ['general', 'symmetric'].includes(symmetry);
  if (!known)
    throw new FormatError(name, 'line 1', `a matrix that is '${layout} ${field} ${symmetry}' is not read`);
  return { layout, field, symmetry };
}

/** The numbers of a line; `nan` is one. */
function parseNumbers(name: string, text: string, line: number): number[] {
  return text
    .trim()
    .split(/\s+/)
    .map((word) => {
      const number = Number(word);
      if (Number.isNaN(number) && !/^[+-]?nan$/i.test(word))
        throw new FormatError(name, `line ${line}`, `found '${word.slice(0, 40)}', expected a number`);
      return number;
    });
}

/** A matrix that is being read: takes the numbers of one line after the other, then becomes rows. */
interface Matrix {
  add(numbers: readonly number[], line: number): void;
  open(): Promise<OpenedSource> | OpenedSource;
}

function startMatrix(
  bytes: ByteSource,
  header: Header,
  text: string,
  line: number,
  options: OpenOptions,
): Matrix {
  const { name } = bytes;
  const sizes = text.trim().split(/\s+/).map(Number);
  if (sizes.length !== (header.layout === 'array' ? 2 : 3) || sizes.some((x) => !Number.isInteger(x))) {
    throw new FormatError(
      name,
      `line ${line}`,
      `found '${text.slice(0, 40)}', expected the sizes of the matrix`,
    );
  }
  const [n, V, entries] = sizes;
  checkShape(name, n, V);
  if (header.layout === 'array') return denseMatrix(bytes, header, n, V, options);
  if (header.symmetry === 'symmetric' && n !== V)
    throw new FormatError(name, `line ${line}`, `a symmetric matrix is square, this one is ${n} x ${V}`);
  checkSparseRows(name, n, bytes.size);
  return sparseMatrix(name, header, n, V, entries, options);
}

function sparseMatrix(
  name: string,
  { field, symmetry }: Header,
  n: number,
  V: number,
  entries: number,
  options: OpenOptions,
): Matrix {
  const builder = new SparseBuilder(name, options.maxBytes ?? MEMORY_LIMIT);
  const length = field === 'pattern' ? 2 : 3;
  let seen = 0;
  return {
    add(numbers, line) {
      const [row, column, value = 1] = numbers;
      const within = row >= 1 && row <= n && column >= 1 && column <= V;
      const whole = Number.isInteger(row) && Number.isInteger(column);
      if (numbers.length !== length || !within || !whole || Number.isNaN(value)) {
        const expected = length === 2 ? 'row and column' : 'row, column and value';
        throw new FormatError(
          name,
          `line ${line}`,
          `expected ${expected}, rows 1 to ${n} and columns 1 to ${V}`,
        );
      }
      if (++seen > entries)
        throw new FormatError(
          name,
          `line ${line}`,
          `there are more than the ${counted(entries, 'entry')} announced`,
        );
      builder.add(row - 1, column - 1, value);
      if (symmetry === 'symmetric' && row !== column) builder.add(column - 1, row - 1, value);
    },
    open() {
      if (seen !== entries) throw badFile(name, `ends after ${seen} of ${counted(entries, 'entry')}`);
      return openSparse({ name, format: 'mtx', rows: builder.build(n, V) }, options);
    },
  };
}

function denseMatrix(
  bytes: ByteSource,
  { symmetry }: Header,
  n: number,
  V: number,
  options: OpenOptions,
): Matrix {
  const { name } = bytes;
  // A value takes a digit and a line break at least.
  if (2 * n * V - 1 > bytes.size || 4 * n * V > (options.maxBytes ?? MEMORY_LIMIT)) {
    throw badFile(name, `claims ${n} x ${V} values, more than the file or the memory can hold`);
  }
  if (symmetry !== 'general') throw new FormatError(name, 'line 1', 'a symmetric dense matrix is not read');
  const values = new Float32Array(n * V);
  let seen = 0;
  return {
    add(numbers, line) {
      if (numbers.length !== 1 || seen === n * V)
        throw new FormatError(name, `line ${line}`, 'expected one value per line');
      values[(seen % n) * V + Math.floor(seen / n)] = numbers[0];
      seen++;
    },
    open() {
      if (seen !== n * V) throw badFile(name, `ends after ${seen} of ${counted(n * V, 'value')}`);
      return openNumbers(
        { name, format: 'mtx', n, V, type: 'number', chunks: (size) => slices(values, n, V, size) },
        options,
      );
    },
  };
}

async function* slices(
  values: Float32Array,
  n: number,
  V: number,
  size: number,
): AsyncGenerator<Float32Array> {
  for (let i = 0; i < n; i += size) yield values.subarray(i * V, Math.min(n, i + size) * V);
}
