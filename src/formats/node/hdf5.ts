import type { H5Array, H5File, H5Group, H5Reading } from '../h5/file.ts';
import type { Place } from './hdf5-program.ts';
import { Reader } from './hdf5-reader.ts';

/** An HDF5 file of the file system, read by h5wasm, which is loaded when the first one comes. */
export async function hdf5File(path: string, reading: H5Reading): Promise<H5File> {
  const reader = await Reader.open(path, reading);
  return {
    async at(place) {
      const found = await reader.ask<Place | undefined>({ ask: 'at', place });
      if (found?.kind === 'array') return array(reader, place, found);
      return found && group(reader, place, found);
    },
    close: () => reader.close(),
  };
}

function group(reader: Reader, place: string, { names }: Place & { kind: 'group' }): H5Group {
  return { kind: 'group', names, attribute: (name) => reader.ask({ ask: 'attribute', place, name }) };
}

function array(reader: Reader, place: string, { shape, type }: Place & { kind: 'array' }): H5Array {
  return {
    kind: 'array',
    shape,
    holds: NUMBERS.has(type) ? 'numbers' : type === STRING ? 'words' : 'other',
    numbers: (start, end) => reader.ask({ ask: 'numbers', place, start, end }),
    words: () => reader.ask({ ask: 'words', place }),
  };
}

/** Classes of HDF5: whole numbers, fractions, and enumerations, which h5py writes for booleans; words. */
const NUMBERS = new Set([0, 1, 8]);
const STRING = 3;
