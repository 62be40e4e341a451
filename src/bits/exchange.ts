import { counted } from '../rows/counted.ts';
import { type BitOrder, checked, type PackedCodes, reorderCodes } from './pack.ts';

/**
 * Packed codes as other programs take them.
 *
 * pgvector's `bit(n)` and PostgreSQL's `bit varying` take text, first bit first: '0101'.
 *
 * FAISS's IndexBinary takes an n x H/8 matrix of bytes, H a multiple of 8. Hamming distance does not depend
 * on the order of bits, so FAISS finds the same neighbours in either, as long as base and queries agree.
 * Where FAISS itself turns numbers into bits (fvecs2bitvecs) or reads single bits (IndexBinaryHash), the
 * first is the least significant, hence `lsb` by default; people who build their base with numpy.packbits
 * have `msb`.
 */
export function faissBytes(packed: PackedCodes, order: BitOrder = 'lsb'): Uint8Array {
  if (packed.H % 8 !== 0) {
    throw new RangeError(
      `FAISS takes codes of a multiple of 8 bits, these have H = ${packed.H}; train with H = ${8 * Math.ceil(packed.H / 8)}`,
    );
  }
  return reorderCodes(packed, order).bytes;
}

/** Codes from a matrix of bytes as FAISS holds it: `d` bits per code. */
export function codesFromFaiss(bytes: Uint8Array, d: number, order: BitOrder = 'lsb'): PackedCodes {
  if (!Number.isInteger(d) || d < 8 || d % 8 !== 0) {
    throw new RangeError(`d: found ${d}, expected a multiple of 8`);
  }
  if (bytes.length % (d / 8) !== 0) {
    throw new RangeError(
      `bytes: found ${bytes.length}, expected a multiple of ${d / 8} (codes of ${counted(d, 'bit')})`,
    );
  }
  return { n: bytes.length / (d / 8), H: d, order, bytes: bytes.slice() };
}

/** Each code as text of H characters '0' (-1) and '1' (+1), first bit first. */
export function codesAsText(packed: PackedCodes): string[] {
  const { n, H, bytes } = reorderCodes(packed, 'msb');
  const stride = Math.ceil(H / 8);
  const lines: string[] = [];
  for (let i = 0; i < n; i++) {
    let line = '';
    for (const byte of bytes.subarray(i * stride, (i + 1) * stride))
      line += byte.toString(2).padStart(8, '0');
    lines.push(line.slice(0, H));
  }
  return lines;
}

/** Codes from their text; all must be of one length. */
export function codesFromText(lines: readonly string[], order: BitOrder = 'lsb'): PackedCodes {
  const n = lines.length;
  const H = n > 0 ? lines[0].length : 0;
  const stride = Math.ceil(H / 8);
  const bytes = new Uint8Array(n * stride);
  for (let i = 0; i < n; i++) {
    const line = lines[i];
    if (line.length !== H) {
      throw new RangeError(
        `code ${i + 1} has ${counted(line.length, 'bit')}, expected ${H} like the first one`,
      );
    }
    const stray = line.search(/[^01]/);
    if (stray >= 0) {
      throw new RangeError(`code ${i + 1}, bit ${stray + 1}: found '${line[stray]}', expected 0 or 1`);
    }
    for (let k = 0; k < stride; k++) {
      bytes[i * stride + k] = Number.parseInt(line.slice(8 * k, 8 * k + 8).padEnd(8, '0'), 2);
    }
  }
  return reorderCodes(checked({ n, H, order: 'msb', bytes }), order);
}
