/**
 * What is needed of an HDF5 file. The format is read by a library that jumps about in the file; whoever has a
 * place for such files offers it to the reader of tables (`ByteSource.hdf5`). Every answer may be an error:
 * files may be damaged anywhere.
 */
export interface H5File {
  /** What is at a path, such as `obs/_index`; undefined where nothing is; the root at ''. */
  at(path: string): Promise<H5Group | H5Array | undefined>;
  close(): Promise<void>;
}

/** How a file is to be read. */
export interface H5Reading {
  /** The most bytes that the library may take. */
  readonly memory: number;
  /** Ends what is being read. */
  readonly signal?: AbortSignal;
}

export interface H5Group {
  readonly kind: 'group';
  readonly names: readonly string[];
  attribute(name: string): Promise<unknown>;
}

export interface H5Array {
  readonly kind: 'array';
  readonly shape: readonly number[];
  /** `other`: records, references and whatever else is neither numbers nor words. */
  readonly holds: 'numbers' | 'words' | 'other';
  /** The elements from start to end of the first dimension, and all of the others. */
  numbers(start: number, end: number): Promise<ArrayLike<number>>;
  words(): Promise<string[]>;
}
