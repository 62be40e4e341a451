import { readFile } from 'node:fs/promises';
import { explained } from '../formats/node/file.ts';

/** A whole file. Not as a Buffer: its `slice` is a view where that of a Uint8Array is a copy. */
export async function readBytes(path: string): Promise<Uint8Array> {
  const { buffer, byteOffset, length } = await explained(path, readFile(path));
  return new Uint8Array(buffer, byteOffset, length);
}
