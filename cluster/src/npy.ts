import { writeAtomic } from 'pc-ae/node';

/** Writes a NumPy file of float32, rows x columns, from pieces of its numbers, row after row. */
export async function writeNpy(
  path: string,
  [rows, columns]: readonly [rows: number, columns: number],
  pieces: AsyncIterable<Float32Array>,
  options: { readonly force?: boolean },
): Promise<void> {
  async function* bytes() {
    yield npyHeader(rows, columns);
    for await (const { buffer, byteOffset, byteLength } of pieces)
      yield new Uint8Array(buffer, byteOffset, byteLength);
  }
  await writeAtomic(path, bytes(), options);
}

/** How such a file begins, little-endian. */
function npyHeader(rows: number, columns: number): Uint8Array {
  const text = `{'descr': '<f4', 'fortran_order': False, 'shape': (${rows}, ${columns}), }`;
  // Magic, version and length take 10 bytes; the header is filled with spaces to a multiple of 64 and ends
  // the line.
  const length = Math.ceil((10 + text.length + 1) / 64) * 64 - 10;
  const bytes = new TextEncoder().encode(`\0NUMPY\x01\0\0\0${text.padEnd(length - 1)}\n`);
  bytes[0] = 0x93;
  new DataView(bytes.buffer).setUint16(8, length, true);
  return bytes;
}
