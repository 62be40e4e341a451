import { counted } from '../rows/counted.ts';
import { type BitRows, rowBytes } from '../rows/rows.ts';

/**
 * Which end of a byte holds the first bit. Mixing the two up goes unnoticed until distances look random, so
 * packed codes carry their order with them:
 *
 * - `msb`: bit h in place 7 - h mod 8, as numpy.packbits, transformers.js and sentence-transformers do it;
 * - `lsb`: bit h in place h mod 8, as sqlite-vec, FAISS and the rows of this package do it.
 */
export type BitOrder = 'msb' | 'lsb';

/**
 * n codes of H bits, 1 for +1 and 0 for -1; each starts on a byte of its own, spare bits at its end are 0.
 */
export interface PackedCodes {
  readonly n: number;
  readonly H: number;
  readonly order: BitOrder;
  /** n x ceil(H / 8). */
  readonly bytes: Uint8Array;
}

export interface CodeShape {
  readonly n: number;
  readonly H: number;
  /** Numbers from one code to the next: H, or H + 1 when a bias unit follows each code. Default H. */
  readonly width?: number;
}

/**
 * Packs codes in {-1, +1}^H, code after code. Anything but -1 and 1 is refused: nothing is rounded silently.
 */
export function packCodes(codes: Float32Array, shape: CodeShape, order: BitOrder): PackedCodes {
  const { n, H, width = H } = shape;
  if (codes.length !== n * width) {
    throw new RangeError(
      `codes: found ${counted(codes.length, 'number')}, expected ${n * width} (${counted(n, 'code')} x ${width} numbers)`,
    );
  }
  const stride = rowBytes(H);
  const flip = order === 'msb' ? 7 : 0;
  const bytes = new Uint8Array(n * stride);
  for (let i = 0; i < n; i++) {
    for (let h = 0; h < H; h++) {
      const e = codes[i * width + h];
      if (e === 1) bytes[i * stride + (h >> 3)] |= 1 << ((h & 7) ^ flip);
      else if (e !== -1) {
        throw new RangeError(
          `codes: code ${i + 1}, unit ${h + 1} is ${e}, expected -1 or 1; draw bits from box codes first (drawCodes)`,
        );
      }
    }
  }
  return { n, H, order, bytes };
}

/** The codes as numbers -1 and 1, n x H, or n x width with a 1 for the bias unit after each code. */
export function unpackCodes(packed: PackedCodes, width = packed.H): Float32Array {
  const { n, H, order } = checked(packed);
  if (width !== H && width !== H + 1) {
    throw new RangeError(`width: found ${width}, expected ${H}, or ${H + 1} with a bias unit`);
  }
  const stride = rowBytes(H);
  const flip = order === 'msb' ? 7 : 0;
  const codes = new Float32Array(n * width).fill(1);
  for (let i = 0; i < n; i++) {
    for (let h = 0; h < H; h++) {
      if (((packed.bytes[i * stride + (h >> 3)] >> ((h & 7) ^ flip)) & 1) === 0) codes[i * width + h] = -1;
    }
  }
  return codes;
}

/** The same codes in the given order; always a copy. */
export function reorderCodes(packed: PackedCodes, order: BitOrder): PackedCodes {
  const { n, H } = checked(packed);
  const bytes = order === packed.order ? packed.bytes.slice() : packed.bytes.map(reverseByte);
  return { n, H, order, bytes };
}

/**
 * The codes as rows of bits with H columns, which can be saved, searched or encoded again by a second model.
 */
export function codesAsRows(packed: PackedCodes): BitRows {
  const { n, H } = packed;
  return { kind: 'bits', n, V: H, bits: reorderCodes(packed, 'lsb').bytes };
}

/** Refuses packed codes whose bytes do not fit their shape. */
export function checked(packed: PackedCodes): PackedCodes {
  const expected = packed.n * rowBytes(packed.H);
  if (packed.bytes.length === expected) return packed;
  throw new RangeError(
    `packed codes: found ${counted(packed.bytes.length, 'byte')}, expected ${expected} (${counted(packed.n, 'code')} of ${counted(packed.H, 'bit')})`,
  );
}

function reverseByte(byte: number): number {
  let reversed = ((byte >> 4) & 0x0f) | ((byte << 4) & 0xf0);
  reversed = ((reversed >> 2) & 0x33) | ((reversed << 2) & 0xcc);
  return ((reversed >> 1) & 0x55) | ((reversed << 1) & 0xaa);
}
