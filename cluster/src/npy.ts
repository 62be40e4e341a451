/** How a NumPy file of float32 begins, little-endian, rows x columns: the numbers follow row after row. */
export function npyHeader(rows: number, columns: number): Uint8Array {
  const text = `{'descr': '<f4', 'fortran_order': False, 'shape': (${rows}, ${columns}), }`;
  // Magic, version and length take 10 bytes; the header is filled with spaces to a multiple of 64 and ends
  // the line.
  const length = Math.ceil((10 + text.length + 1) / 64) * 64 - 10;
  const bytes = new TextEncoder().encode(`\0NUMPY\x01\0\0\0${text.padEnd(length - 1)}\n`);
  bytes[0] = 0x93;
  new DataView(bytes.buffer).setUint16(8, length, true);
  return bytes;
}
