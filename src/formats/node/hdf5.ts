import type * as H5wasm from 'h5wasm';
import { FormatError } from '../../rows/errors.ts';
import type { H5Array, H5File, H5Group } from '../h5/file.ts';

/** An HDF5 file of the file system, read by h5wasm, which is loaded when the first one comes. */
export async function hdf5File(path: string): Promise<H5File> {
  const library = await load(path);
  const file = honest(path, () => new library.File(path, 'r'));
  return {
    at(place) {
      return honest(path, () => {
        const node = exists(library, file, place) ? (place === '' ? file : file.get(place)) : null;
        if (node instanceof library.Dataset) return array(path, node);
        return node instanceof library.Group ? group(path, node) : undefined;
      });
    },
    close: () => void file.close(),
  };
}

type Library = Pick<typeof H5wasm, 'File' | 'Group' | 'Dataset'>;
let loading: Promise<Library> | undefined;

async function load(path: string): Promise<Library> {
  loading ??= import('h5wasm/node').then(async (library) => {
    const module = await library.ready;
    // Errors are thrown, and not written to the terminal.
    module.activate_throwing_error_handler();
    return library;
  });
  try {
    return await loading;
  } catch (error) {
    loading = undefined;
    throw new FormatError(path, '', 'HDF5 files are read by h5wasm: npm install h5wasm', error);
  }
}

/** Whether there is something at each part of a path: looking for what is not there is an error of the library. */
function exists(library: Library, file: H5wasm.File, place: string): boolean {
  let node: unknown = file;
  if (place === '') return true;
  for (const part of place.split('/')) {
    if (!(node instanceof library.Group) || !node.keys().includes(part)) return false;
    node = node.get(part);
  }
  return true;
}

function group(path: string, found: H5wasm.Group): H5Group {
  return {
    kind: 'group',
    names: found.keys(),
    attribute: (name) => honest(path, () => found.attrs[name]?.value),
  };
}

function array(path: string, found: H5wasm.Dataset): H5Array {
  const { type } = found.metadata;
  const shape = found.shape ?? [];
  const all = shape.slice(1).map((): [] => []);
  return {
    kind: 'array',
    shape,
    holds: NUMBERS.has(type) ? 'numbers' : type === STRING ? 'words' : 'other',
    numbers: (start, end) =>
      honest(path, () => {
        const read = found.slice([[start, end], ...all]) as ArrayLike<number | bigint>;
        const plain = typeof read[0] !== 'bigint';
        return plain ? (read as ArrayLike<number>) : Float64Array.from(read, Number);
      }),
    words: () => honest(path, () => found.value as string[]),
  };
}

/** Classes of HDF5: whole numbers, fractions, and enumerations, which h5py writes for booleans; words. */
const NUMBERS = new Set([0, 1, 8]);
const STRING = 3;

/** What the library says, of which the first line is for people. */
function honest<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof FormatError) throw error;
    throw new FormatError(path, '', 'is damaged: the HDF5 library cannot read it', error);
  }
}
