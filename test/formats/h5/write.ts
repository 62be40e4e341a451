import h5wasm from 'h5wasm/node';

/** A sparse matrix, row after row (csr) or column after column (csc). */
export interface Sparse {
  readonly layout: 'csr' | 'csc';
  readonly shape: readonly [number, number];
  readonly data: Float32Array | Int32Array;
  readonly indices: Int32Array;
  readonly indptr: Int32Array | BigInt64Array;
}

/** The sparse form of a table of numbers. */
export function sparseOf(table: readonly (readonly number[])[], layout: 'csr' | 'csc'): Sparse {
  const shape = [table.length, table[0].length] as const;
  const [outer, inner] = layout === 'csr' ? shape : [shape[1], shape[0]];
  const [data, indices, indptr]: number[][] = [[], [], [0]];
  for (let a = 0; a < outer; a++) {
    for (let b = 0; b < inner; b++) {
      const value = layout === 'csr' ? table[a][b] : table[b][a];
      if (value !== 0) {
        data.push(value);
        indices.push(b);
      }
    }
    indptr.push(data.length);
  }
  return {
    ...{ layout, shape, data: Float32Array.from(data), indices: Int32Array.from(indices) },
    indptr: BigInt64Array.from(indptr, BigInt),
  };
}

export type H5Out = InstanceType<typeof h5wasm.File>;

/** Writes an HDF5 file. */
export async function writeH5(path: string, fill: (file: H5Out) => void): Promise<void> {
  await h5wasm.ready;
  const file = new h5wasm.File(path, 'w');
  try {
    fill(file);
  } finally {
    file.close();
  }
}

export function addSparse(file: H5Out, name: string, { layout, shape, data, indices, indptr }: Sparse): void {
  const group = file.create_group(name);
  group.create_attribute('encoding-type', `${layout}_matrix`);
  group.create_attribute('shape', new BigInt64Array(shape.map(BigInt)));
  for (const [part, values] of Object.entries({ data, indices, indptr })) {
    group.create_dataset({ name: part, data: values, shape: [values.length] });
  }
}

/** The names of the rows (`obs`) or columns (`var`), as AnnData keeps them. */
export function addNames(file: H5Out, name: 'obs' | 'var', names: string[]): void {
  const group = file.create_group(name);
  group.create_attribute('_index', 'index');
  group.create_dataset({ name: 'index', data: names });
}
