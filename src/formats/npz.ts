import { counted } from '../rows/counted.ts';
import { badFile, FormatError } from '../rows/errors.ts';
import { SparseBuilder, type SparseRows } from '../rows/sparse.ts';
import type { Numbers } from '../rows/values.ts';
import { type ByteSource, readRange } from './bytes.ts';
import { decodeElements, elementBytes } from './elements.ts';
import { SHEET_ADVICE } from './foreign.ts';
import { npyElement, npyHeader, npyTable } from './npy.ts';
import { openNumbers } from './numbers.ts';
import { checkShape, checkSparseRows, MEMORY_LIMIT, type OpenedSource, type OpenOptions } from './options.ts';
import { openSparse } from './sparse.ts';
import { zipMembers } from './zip.ts';

/**
 * NPZ: a zip archive of NPY files. Either one of them is the table, or together they are a scipy sparse
 * matrix.
 */
export async function openNpz(bytes: ByteSource, options: OpenOptions): Promise<OpenedSource> {
  const members = new Map<string, ByteSource>();
  for (const [name, member] of await zipMembers(bytes)) {
    if (SPREADSHEET.test(name)) throw badFile(bytes.name, SHEET_ADVICE);
    if (name.endsWith('.npy')) members.set(name.slice(0, -4), member);
  }
  if (options.variable === undefined && members.has('format') && members.has('shape')) {
    const rows = await scipySparse(bytes, members, options);
    return openSparse({ name: bytes.name, format: 'npz', rows }, options);
  }
  const table = await npyTable(pick(bytes.name, members, options.variable), options);
  return openNumbers({ ...table, format: 'npz' }, options);
}

/** What .xlsx, .xlsb and .ods hold, which are zip archives too. */
const SPREADSHEET = /^(?:xl\/|content\.xml$)/;

function pick(file: string, members: Map<string, ByteSource>, variable: string | undefined): ByteSource {
  const names = [...members.keys()].join(', ') || 'none';
  if (variable !== undefined) {
    const member = members.get(variable);
    if (!member) throw badFile(file, `there is no array '${variable}'; there are: ${names}`);
    return member;
  }
  if (members.size === 0)
    throw badFile(file, 'is a zip archive without arrays (.npy): unpack it, and open what is in it');
  if (members.size === 1) return [...members.values()][0];
  throw badFile(file, `holds ${members.size} arrays: ${names}. Choose one with --variable.`);
}

/** What scipy.sparse.save_npz writes: `format` csr, csc or coo, `shape`, `data` and the indices. */
async function scipySparse(
  archive: ByteSource,
  members: Map<string, ByteSource>,
  options: OpenOptions,
): Promise<SparseRows> {
  const file = archive.name;
  const maxBytes = options.maxBytes ?? MEMORY_LIMIT;
  let left = maxBytes;
  const array = async (name: string): Promise<Numbers> => {
    const member = members.get(name);
    if (!member) throw badFile(file, `is a sparse matrix without '${name}'`);
    const values = await readVector(member, left);
    left -= values.byteLength;
    return values;
  };
  const format = new TextDecoder().decode(Uint8Array.from(await array('format'))).replaceAll('\0', '');
  const shape = await array('shape');
  const [n, V] = shape;
  if (shape.length !== 2)
    throw new FormatError(file, 'shape', `has ${shape.length} dimensions, a matrix has 2`);
  checkShape(file, n, V);
  const data = await array('data');
  // Rows in compressed form are proven by an array of their starts, others only by their entries.
  if (format !== 'csr') checkSparseRows(file, n, data.byteLength);
  const builder = new SparseBuilder(file, maxBytes);
  const built = (rows: Numbers, columns: Numbers) =>
    fromEntries(file, { n, V, rows, columns, data }, builder);
  if (format === 'coo') return built(await array('row'), await array('col'));
  if (format !== 'csr' && format !== 'csc') {
    throw new FormatError(
      file,
      'format',
      `sparse matrices of format '${format}' are not read; save it as csr`,
    );
  }
  const [indptr, indices] = [await array('indptr'), await array('indices')];
  const major = expand(file, indptr, format === 'csr' ? n : V, indices.length);
  return format === 'csr' ? built(major, indices) : built(indices, major);
}

/** The row (or column) of each entry, from where each row (or column) starts. */
function expand(file: string, indptr: Numbers, count: number, entries: number): Numbers {
  if (indptr.length !== count + 1 || indptr[0] !== 0 || indptr[count] !== entries) {
    throw new FormatError(file, 'indptr', `should have ${counted(count + 1, 'number')} from 0 to ${entries}`);
  }
  const major = new Float64Array(entries);
  for (let i = 0; i < count; i++) {
    if (!(indptr[i + 1] >= indptr[i] && indptr[i + 1] <= entries)) {
      throw new FormatError(file, `indptr ${i + 1}`, 'the numbers must not fall');
    }
    major.fill(i, indptr[i], indptr[i + 1]);
  }
  return major;
}

/** The row, the column and the value of each entry of an n x V matrix. */
interface Entries extends Readonly<Record<'rows' | 'columns' | 'data', Numbers>> {
  readonly n: number;
  readonly V: number;
}

function fromEntries(
  file: string,
  { n, V, rows, columns, data }: Entries,
  builder: SparseBuilder,
): SparseRows {
  if (rows.length !== columns.length || rows.length !== data.length) {
    throw badFile(
      file,
      `has ${counted(rows.length, 'row')}, ${counted(columns.length, 'column')} and ${counted(data.length, 'value')}`,
    );
  }
  for (let k = 0; k < rows.length; k++) {
    if (!(rows[k] >= 0 && rows[k] < n && columns[k] >= 0 && columns[k] < V)) {
      throw new FormatError(
        file,
        `entry ${k + 1}`,
        `row ${rows[k]}, column ${columns[k]} is outside the ${n} x ${V} matrix`,
      );
    }
    builder.add(rows[k], columns[k], data[k]);
  }
  return builder.build(n, V);
}

/** The elements of a short array of one dimension; of text, its bytes. */
async function readVector(member: ByteSource, maxBytes: number): Promise<Numbers> {
  const { descr, shape, offset } = await npyHeader(member);
  const text = /^\|S(\d{1,2})$/.exec(descr);
  const length = shape.reduce((a, b) => a * b, 1);
  const { element, littleEndian } = text
    ? { element: 'u1' as const, littleEndian: true }
    : npyElement(member.name, descr);
  const size = length * (text ? Number(text[1]) : elementBytes(element));
  const claim = `claims ${length} elements of type ${descr}`;
  if (!(size <= member.size - offset)) throw badFile(member.name, `${claim}, more than the file holds`);
  if (size > maxBytes) throw badFile(member.name, `${claim}, more than the memory that is allowed`);
  return decodeElements(await readRange(member, offset, offset + size, 'the array'), element, littleEndian);
}
