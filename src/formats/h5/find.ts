import { badFile, FormatError } from '../../rows/errors.ts';
import type { H5Array, H5File, H5Group } from './file.ts';

/** A matrix in an HDF5 file: an array of two dimensions, or the three arrays of a compressed sparse one. */
export interface Found {
  readonly path: string;
  readonly n: number;
  readonly V: number;
  /** `rows` (CSR): entries stand row after row; `columns` (CSC): column after column. */
  readonly layout: 'dense' | 'rows' | 'columns';
  /** The arrays of the names of rows and of columns, where there are any. */
  readonly ids?: string;
  readonly columns?: string;
}

/** The matrix that is asked for, that of an AnnData file (`X`) or of a 10x one, or the only one. */
export async function findMatrix(name: string, file: H5File, variable?: string): Promise<Found> {
  const path = variable ?? (await chosen(name, file));
  const node = await file.at(path);
  const found = node && (node.kind === 'array' ? dense(path, node) : await sparse(name, path, node, file));
  if (!found) {
    const where = (await matrices(file)).join(', ') || 'none';
    throw new FormatError(name, path, `is not a matrix of numbers. Matrices of the file: ${where}.`);
  }
  return { ...found, ...(await namesOf(file, found)) };
}

/** The path to read where none is said. */
async function chosen(name: string, file: H5File): Promise<string> {
  if (await file.at('X')) return 'X';
  const found = await matrices(file);
  if (found.length === 1) return found[0];
  const what = found.length === 0 ? 'holds no matrix of numbers' : `holds ${found.length} matrices`;
  const list = found.slice(0, 20).join(', ');
  throw badFile(name, found.length === 0 ? what : `${what}: ${list}. Choose one with --variable.`);
}

/** The paths of all matrices, to a few levels down. */
async function matrices(file: H5File, at = '', depth = 0): Promise<string[]> {
  const group = await file.at(at);
  if (group?.kind !== 'group' || depth > DEEPEST) return [];
  const found: string[] = [];
  for (const child of group.names) {
    const path = at === '' ? child : `${at}/${child}`;
    const node = await file.at(path);
    if (node?.kind === 'group' && !isSparse(node)) found.push(...(await matrices(file, path, depth + 1)));
    else if (node && (node.kind === 'group' || dense(path, node))) found.push(path);
  }
  return found;
}

const DEEPEST = 4;

function dense(path: string, { shape, holds }: H5Array): Found | undefined {
  if (holds !== 'numbers' || shape.length !== 2) return undefined;
  return { path, n: shape[0], V: shape[1], layout: 'dense' };
}

function isSparse({ names }: H5Group): boolean {
  return ['data', 'indices', 'indptr'].every((part) => names.includes(part));
}

async function sparse(name: string, path: string, group: H5Group, file: H5File): Promise<Found | undefined> {
  if (!isSparse(group)) return undefined;
  const either = async (one: string, other: string) =>
    (await group.attribute(one)) ?? (await group.attribute(other));
  const size = numbersOf(await either('shape', 'h5sparse_shape'));
  const type = String((await either('encoding-type', 'h5sparse_format')) ?? '');
  if (size?.length === 2 && /^cs[rc]/.test(type)) {
    return { path, n: size[0], V: size[1], layout: type.startsWith('csr') ? 'rows' : 'columns' };
  }
  // 10x: features x cells, column after column, which are rows of cells.
  const shape = await file.at(`${path}/shape`);
  if (shape?.kind === 'array' && group.names.includes('barcodes')) {
    const [V, n] = Array.from(await shape.numbers(0, 2));
    return { path, n, V, layout: 'rows' };
  }
  throw new FormatError(
    name,
    path,
    'is a sparse matrix that does not say its shape and whether it is csr or csc',
  );
}

function numbersOf(value: unknown): number[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return Array.from(value as ArrayLike<number | bigint>, Number);
}

/** Where the names are: the index of `obs` and `var` in AnnData, barcodes and features in 10x files. */
async function namesOf(file: H5File, { path, n, V }: Found): Promise<Pick<Found, 'ids' | 'columns'>> {
  const index = async (place: string) => {
    const group = await file.at(place);
    if (group?.kind !== 'group') return place;
    return `${place}/${String((await group.attribute('_index')) ?? '_index')}`;
  };
  const words = async (length: number, ...places: string[]) => {
    for (const place of places) {
      const node = await file.at(place);
      if (
        node?.kind === 'array' &&
        node.holds === 'words' &&
        node.shape.length === 1 &&
        node.shape[0] === length
      )
        return place;
    }
    return undefined;
  };
  return {
    ids: await words(n, await index('obs'), `${path}/barcodes`),
    columns: await words(
      V,
      await index('var'),
      await index('raw/var'),
      `${path}/features/name`,
      `${path}/features/id`,
      `${path}/gene_names`,
    ),
  };
}
