import { Option } from 'commander';
import { entry, type Rows, rowBytes } from '../rows/rows.ts';

/** What a reconstruction is written as. */
export type WrittenAs = 'unit' | 'signs' | 'bits';

export const asOption = () =>
  new Option('--as <kind>', 'write probabilities of a one (unit), numbers from -1 to 1 (signs), or bits')
    .choices(['unit', 'signs', 'bits'])
    .default('unit', 'unit, and bits for a .bits file');

/** Reconstructions in [-1, 1], as real rows or rounded to bits. */
export function reconstructedRows(values: Float32Array, V: number, as: WrittenAs): Rows {
  const n = values.length / V;
  if (as !== 'bits') return { kind: 'real', n, V, values };
  const stride = rowBytes(V);
  const bits = new Uint8Array(n * stride);
  for (let k = 0; k < values.length; k++) {
    const v = k % V;
    if (values[k] > 0) bits[Math.floor(k / V) * stride + (v >> 3)] |= 1 << (v & 7);
  }
  return { kind: 'bits', n, V, bits };
}

/** Known entries as they are; only missing ones are taken from the reconstruction. Works in place. */
export function fillMissing(rows: Rows, reconstruction: Float32Array): Float32Array {
  for (let k = 0; k < reconstruction.length; k++) {
    const x = entry(rows, Math.floor(k / rows.V), k % rows.V);
    if (!Number.isNaN(x)) reconstruction[k] = x;
  }
  return reconstruction;
}
