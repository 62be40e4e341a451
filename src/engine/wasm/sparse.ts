import type { Memory } from './memory.ts';

/** A matrix that is mostly zeros, as src/kernels/sparse.ts reads it; all of it is one piece of memory. */
export interface SparseMatrix {
  readonly entries: number;
  readonly entryStarts: number;
}

/**
 * The nonzero entries of the K x width matrix at `at`, laid out for the kernel. Undefined where so many are
 * not zero that the dense product, which needs no addresses, is the faster one.
 */
export function sparseMatrix(memory: Memory, at: number, K: number, width: number): SparseMatrix | undefined {
  let count = 0;
  for (const value of memory.floats(at, K * width)) if (value !== 0) count++;
  if (count > SPARSE * K * width) return undefined;
  const entries = memory.allocate(8 * count + 4 * (K + 1), 'the entries of a sparse matrix');
  const entryStarts = entries + 8 * count;
  // Views are made after the allocation: the memory may have grown.
  const from = memory.floats(at, K * width);
  const columns = memory.integers(entries, 2 * count);
  const values = memory.floats(entries, 2 * count);
  const rows = memory.integers(entryStarts, K + 1);
  let next = 0;
  for (let k = 0; k < K; k++) {
    for (let h = 0; h < width; h++) {
      const value = from[k * width + h];
      if (value === 0) continue;
      columns[2 * next] = PANEL_ROW * h;
      values[2 * next + 1] = value;
      next++;
    }
    rows[k + 1] = next;
  }
  rows[0] = 0;
  return { entries, entryStarts };
}

/** The share of entries up to which skipping zeros pays; measured in docs/extensions.md. */
const SPARSE = 0.3;
/** Bytes between two coordinates in a panel: eight lanes of float32. */
const PANEL_ROW = 32;
