/**
 * The CRC-32 of zip, gzip and PNG (reflected polynomial 0xEDB88320), eight bytes at a time: row j of the
 * table holds the checksums of a byte that is followed by j zero bytes.
 */
const TABLE = makeTable();

/** The checksum of some bytes, or its continuation: pass what it gave for the bytes before. */
export function crc32(bytes: Uint8Array, before = 0): number {
  let crc = ~before;
  let at = 0;
  const whole = bytes.length - (bytes.length & 7);
  for (; at < whole; at += 8) {
    crc ^= bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
    crc =
      TABLE[1792 + (crc & 255)] ^
      TABLE[1536 + ((crc >>> 8) & 255)] ^
      TABLE[1280 + ((crc >>> 16) & 255)] ^
      TABLE[1024 + (crc >>> 24)] ^
      TABLE[768 + bytes[at + 4]] ^
      TABLE[512 + bytes[at + 5]] ^
      TABLE[256 + bytes[at + 6]] ^
      TABLE[bytes[at + 7]];
  }
  for (; at < bytes.length; at++) crc = (crc >>> 8) ^ TABLE[(crc ^ bytes[at]) & 255];
  return ~crc >>> 0;
}

function makeTable(): Int32Array {
  const table = new Int32Array(8 * 256);
  for (let i = 0; i < 256; i++) {
    let crc = i;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    table[i] = crc;
  }
  for (let k = 256; k < table.length; k++) table[k] = (table[k - 256] >>> 8) ^ table[table[k - 256] & 255];
  return table;
}
