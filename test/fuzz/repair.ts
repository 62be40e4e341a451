import { inflateRawSync } from 'node:zlib';
import { crc32 } from '../../src/formats/crc32.ts';
import { readSafetensors } from '../../src/formats/safetensors.ts';
import type { Format } from './seeds/seed.ts';

/** The same file with matching checksums and lengths, as an attacker's file would have. */
export function repaired(format: Format, bytes: Uint8Array): Uint8Array {
  const mend = REPAIRS[format];
  if (!mend) return bytes;
  const out = bytes.slice();
  try {
    return mend(out, new DataView(out.buffer)) ?? out;
  } catch {
    // Too damaged to be followed further: what was mended until here stays.
    return out;
  }
}

type Repair = (bytes: Uint8Array, view: DataView) => Uint8Array | undefined;

const REPAIRS: { readonly [F in Format]?: Repair } = { png, npz, bits, packed, checkpoint };

/** Each chunk: length, type, data, CRC-32 of type and data. */
function png(bytes: Uint8Array, view: DataView): undefined {
  for (let at = 8; at + 12 <= bytes.length; ) {
    const end = at + 8 + view.getUint32(at);
    view.setUint32(end, crc32(bytes.subarray(at + 4, end)));
    at = end + 4;
  }
}

/** The entries of the directory, with the content that each has where it says. */
function npz(bytes: Uint8Array, view: DataView): undefined {
  for (let at = 0; at + 46 <= bytes.length; at++) {
    if (view.getUint32(at, true) !== 0x02014b50) continue;
    const local = view.getUint32(at + 42, true);
    const from = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const raw = bytes.subarray(from, from + view.getUint32(at + 20, true));
    const stored = view.getUint16(at + 10, true) === 0;
    const content = stored ? raw : inflateRawSync(raw, { maxOutputLength: 2 ** 24, finishFlush: 2 });
    view.setUint32(at + 16, crc32(content), true);
    view.setUint32(at + 24, content.length, true);
  }
}

function bits(bytes: Uint8Array, view: DataView): undefined {
  const rows = 40 + view.getUint32(32, true);
  view.setUint32(36, crc32(bytes.subarray(40, rows), crc32(bytes.subarray(0, 36))), true);
  view.setUint32(bytes.length - 4, crc32(bytes.subarray(rows, bytes.length - 4)), true);
}

function packed(bytes: Uint8Array, view: DataView): undefined {
  let at = 40 + view.getUint32(32, true);
  view.setUint32(36, crc32(bytes.subarray(40, at), crc32(bytes.subarray(0, 36))), true);
  while (at + 16 < bytes.length - 4) {
    const end = at + 16 + view.getUint32(at + 4, true) + view.getUint32(at + 8, true);
    view.setUint32(at + 12, crc32(bytes.subarray(at + 16, end), crc32(bytes.subarray(at, at + 12))), true);
    at = end;
  }
}

/** The checksum over the text, and the name and numbers of each tensor, stands in the header. */
function checkpoint(bytes: Uint8Array, view: DataView): Uint8Array {
  const { tensors, metadata } = readSafetensors(bytes);
  const encoder = new TextEncoder();
  let sum = crc32(encoder.encode(metadata['pc-ae-checkpoint']));
  for (const [name, { data }] of [...tensors].sort(([a], [b]) => (a < b ? -1 : 1))) {
    sum = crc32(encoder.encode(name), sum);
    sum = crc32(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), sum);
  }
  const length = Number(view.getBigUint64(0, true));
  const header = new TextDecoder().decode(bytes.subarray(8, 8 + length));
  const mended = encoder.encode(header.replace(/"crc32":"\d*"/, `"crc32":"${sum}"`));
  const out = new Uint8Array(8 + mended.length + bytes.length - 8 - length);
  new DataView(out.buffer).setBigUint64(0, BigInt(mended.length), true);
  out.set(mended, 8);
  out.set(bytes.subarray(8 + length), 8 + mended.length);
  return out;
}
