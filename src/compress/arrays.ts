import type { Bytes } from '../rows/bytes.ts';
import { rowBytes } from '../rows/rows.ts';

/** Item i of packed ones as zeros and ones. */
export function unpacked(bytes: Uint8Array, i: number, size: number): Uint8Array {
  const at = i * rowBytes(size);
  const bits = new Uint8Array(size);
  for (let k = 0; k < size; k++) bits[k] = (bytes[at + (k >> 3)] >> (k & 7)) & 1;
  return bits;
}

/** One array after the other. */
export function joined(parts: readonly Uint8Array[]): Bytes {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
