import type { Numbers } from '../rows/values.ts';

/** How one number is stored in a binary file. */
export type ElementType = 'u1' | 'i1' | 'u2' | 'i2' | 'u4' | 'i4' | 'u8' | 'i8' | 'f2' | 'f4' | 'f8';

/** Bytes that one number takes. */
export function elementBytes(type: ElementType): number {
  return Number(type[1]);
}

/**
 * The numbers stored in some bytes: bytes stay bytes, single precision stays single, all others become
 * double.
 */
export function decodeElements(
  bytes: Uint8Array<ArrayBuffer>,
  type: ElementType,
  littleEndian: boolean,
): Numbers {
  if (type === 'u1') return bytes;
  const count = Math.floor(bytes.length / elementBytes(type));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (type === 'f4') {
    if (littleEndian && LITTLE_ENDIAN && bytes.byteOffset % 4 === 0) {
      return new Float32Array(bytes.buffer, bytes.byteOffset, count);
    }
    const singles = new Float32Array(count);
    for (let k = 0; k < count; k++) singles[k] = view.getFloat32(4 * k, littleEndian);
    return singles;
  }
  const doubles = new Float64Array(count);
  const step = elementBytes(type);
  const get = elementReader(view, type, littleEndian);
  for (let k = 0; k < count; k++) doubles[k] = get(k * step);
  return doubles;
}

const LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** Reads the number at a place of some bytes. */
export function elementReader(view: DataView, type: ElementType, little: boolean): (at: number) => number {
  switch (type) {
    case 'i1':
      return (at) => view.getInt8(at);
    case 'u2':
      return (at) => view.getUint16(at, little);
    case 'i2':
      return (at) => view.getInt16(at, little);
    case 'u4':
      return (at) => view.getUint32(at, little);
    case 'i4':
      return (at) => view.getInt32(at, little);
    case 'u8':
      return (at) => Number(view.getBigUint64(at, little));
    case 'i8':
      return (at) => Number(view.getBigInt64(at, little));
    case 'f2':
      return (at) => halfPrecision(view.getUint16(at, little));
    case 'f4':
      return (at) => view.getFloat32(at, little);
    case 'f8':
      return (at) => view.getFloat64(at, little);
    default:
      return (at) => view.getUint8(at);
  }
}

/** A 16-bit float of IEEE 754: one sign bit, five of exponent, ten of fraction. */
function halfPrecision(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
