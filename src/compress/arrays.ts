import { rowBytes } from '../rows/rows.ts';

/** Item i of packed ones as zeros and ones. */
export function unpacked(bytes: Uint8Array, i: number, size: number): Uint8Array {
  const at = i * rowBytes(size);
  const bits = new Uint8Array(size);
  for (let k = 0; k < size; k++) bits[k] = (bytes[at + (k >> 3)] >> (k & 7)) & 1;
  return bits;
}
