import { gzipSync, zipSync, zlibSync } from 'fflate';
import { encodeBits } from '../../../src/formats/bits.ts';
import { crc32 } from '../../../src/formats/crc32.ts';
import { memorySource } from '../../../src/rows/memory.ts';
import { arraySeeds, float64, int32, npy } from './arrays.ts';
import { columnSeeds } from './columns.ts';
import { collected, concat, plain, type Seed } from './seed.ts';
import { textSeeds } from './texts.ts';

/** Of every member: the same files on every day. */
const DAY = new Date(1990, 0, 1);

/** An archive of arrays: the arrays are the parts. */
function npz(name: string, members: Readonly<Record<string, Uint8Array>>, level: 0 | 6): Seed {
  const names = Object.keys(members);
  return {
    format: 'npz',
    name,
    parts: Object.values(members),
    build: (parts) =>
      zipSync(Object.fromEntries(names.map((member, k) => [member, parts[k]])), { level, mtime: DAY }),
  };
}

const word = (text: string) => npy('|S3', '()', new TextEncoder().encode(text));
const numbers = (...data: number[]) => npy('<i4', `(${data.length},)`, int32(...data));
const ones = npy('<f8', '(3,)', float64(1, 1, 1));

const archives = [
  npz('a.npz', { 'x.npy': npy('|b1', '(2, 3)', Uint8Array.of(0, 1, 1, 1, 0, 0)) }, 6),
  npz('b.npz', { 'x.npy': npy('<f8', '(2, 2)', float64(0, 1, 1, 0), true) }, 0),
  ...(['csr', 'csc'] as const).map((format) =>
    npz(
      `${format}.npz`,
      {
        'format.npy': word(format),
        'shape.npy': numbers(3, 3),
        'data.npy': ones,
        'indptr.npy': numbers(0, 2, 2, 3),
        'indices.npy': numbers(1, 2, 0),
      },
      6,
    ),
  ),
  npz(
    'coo.npz',
    {
      'format.npy': word('coo'),
      'shape.npy': numbers(3, 3),
      'data.npy': ones,
      'row.npy': numbers(0, 0, 2),
      'col.npy': numbers(1, 2, 0),
    },
    0,
  ),
];

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

export function pngChunk(type: string, data: Uint8Array): Uint8Array {
  const out = concat(new Uint8Array(4), new TextEncoder().encode(type), data, new Uint8Array(4));
  const view = new DataView(out.buffer);
  view.setUint32(0, data.length);
  view.setUint32(out.length - 4, crc32(out.subarray(4, out.length - 4)));
  return out;
}

/** A picture: its header, its lines as they are packed, and one more chunk are the parts. */
function png(name: string, header: readonly number[], lines: readonly number[], extra = 'tEXt'): Seed {
  return {
    format: 'png',
    name,
    parts: [
      Uint8Array.from(header),
      Uint8Array.from(lines),
      extra === 'PLTE' ? Uint8Array.of(0, 0, 0, 255, 255, 255) : new TextEncoder().encode('note\0words'),
    ],
    build: ([head, data, more]) =>
      concat(
        SIGNATURE,
        pngChunk('IHDR', head),
        pngChunk(extra, extra === 'iCCP' ? concat(Uint8Array.of(110, 0, 0), zlibSync(more)) : more),
        pngChunk('IDAT', zlibSync(data)),
        pngChunk('IEND', new Uint8Array(0)),
      ),
  };
}

const pictures = [
  png('grey.png', [0, 0, 0, 3, 0, 0, 0, 2, 8, 0, 0, 0, 0], [0, 0, 255, 0, 1, 255, 1, 2]),
  png('colour.png', [0, 0, 0, 2, 0, 0, 0, 1, 8, 2, 0, 0, 0], [2, 1, 2, 3, 4, 5, 6], 'iCCP'),
  png('palette.png', [0, 0, 0, 9, 0, 0, 0, 2, 1, 3, 0, 0, 0], [0, 0xa0, 0x80, 0, 0x40, 0], 'PLTE'),
  png('deep.png', [0, 0, 0, 2, 0, 0, 0, 2, 16, 0, 0, 0, 0], [4, 0, 1, 2, 3, 3, 4, 5, 6, 7]),
  png('interlaced.png', [0, 0, 0, 2, 0, 0, 0, 2, 8, 0, 0, 0, 1], [0, 9, 0, 8, 0, 7, 6]),
];

const rows = { kind: 'bits', n: 3, V: 10, bits: Uint8Array.of(5, 2, 255, 3, 0, 1) } as const;
const names = { columns: Array.from('abcdefghij'), ids: ['x', 'y', 'z'], image: { height: 2, width: 5 } };

/** Packed bits; checksums are mended afterwards. */
const bits = [
  plain('bits', 'a.bits', await collected(encodeBits(memorySource(rows)))),
  plain('bits', 'b.bits', await collected(encodeBits(memorySource(rows, names), { masked: true }))),
];

function gzipped(seed: Seed): Seed {
  return {
    ...seed,
    name: `${seed.name}.gz`,
    build: (parts) => gzipSync(seed.build(parts), { mtime: 0 }),
  };
}

function inUtf16(seed: Seed, big: boolean): Seed {
  return {
    ...seed,
    build(parts) {
      const text = `\ufeff${new TextDecoder().decode(seed.build(parts))}`;
      const bytes = Buffer.from(text, 'utf16le');
      return new Uint8Array(big ? bytes.swap16() : bytes);
    },
  };
}

const single = [...textSeeds, ...arraySeeds, ...columnSeeds, ...archives, ...pictures, ...bits];

/** Every format of tables: as it is, in gzip and, where it is text, in UTF-16. */
export const tableSeeds: Seed[] = [
  ...single,
  ...single.filter((_, k) => k % 3 === 0).map(gzipped),
  ...textSeeds.filter((_, k) => k % 2 === 0).map((seed, k) => inUtf16(seed, k % 2 === 0)),
];
