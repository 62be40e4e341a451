import fc from 'fast-check';
import { decode } from 'fast-png';
import { zlibSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { crc32 } from '../../src/formats/crc32.ts';
import { decodePng } from '../../src/formats/png-grey.ts';
import { holds } from '../property.ts';

function chunk(type: string, data: Uint8Array): Uint8Array {
  const out = Buffer.concat([Buffer.alloc(4), Buffer.from(type), data, Buffer.alloc(4)]);
  out.writeUInt32BE(data.length);
  out.writeUInt32BE(crc32(out.subarray(4, -4)), out.length - 4);
  return out;
}

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly colour: number;
  readonly interlace: number;
}

/** A PNG file of lines as they are packed, filters in front. */
function png({ width, height, depth, colour, interlace }: Picture, lines: Uint8Array, ...more: Uint8Array[]) {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head.set([depth, colour, 0, 0, interlace], 8);
  const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
  const parts = [
    signature,
    chunk('IHDR', head),
    ...more,
    chunk('IDAT', zlibSync(lines)),
    chunk('IEND', new Uint8Array(0)),
  ];
  return new Uint8Array(Buffer.concat(parts));
}

const CHANNELS: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const KINDS = [
  ...[1, 2, 4, 8, 16].map((depth) => ({ colour: 0, depth })),
  ...[8, 16].map((depth) => ({ colour: 2, depth })),
  { colour: 3, depth: 8 },
];

/**
 * How many bytes the lines of a picture take, told by another decoder's tables: width and height of each
 * grid.
 */
function linesOf({ width, height, depth, colour, interlace }: Picture): { stride: number; count: number }[] {
  const grids = interlace
    ? [
        [0, 0, 8, 8],
        [4, 0, 8, 8],
        [0, 4, 4, 8],
        [2, 0, 4, 4],
        [0, 2, 2, 4],
        [1, 0, 2, 2],
        [0, 1, 1, 2],
      ]
    : [[0, 0, 1, 1]];
  return grids.flatMap(([x, y, dx, dy]) => {
    const [w, h] = [Math.ceil((width - x) / dx), Math.ceil((height - y) / dy)];
    return w > 0 && h > 0 ? [{ stride: Math.ceil((w * depth * CHANNELS[colour]) / 8), count: h }] : [];
  });
}

const picture = fc.record({
  size: fc.tuple(fc.integer({ min: 1, max: 19 }), fc.integer({ min: 1, max: 19 })),
  kind: fc.constantFrom(...KINDS),
  interlace: fc.constantFrom(0, 1),
  bytes: fc.uint8Array({ minLength: 2400, maxLength: 2400 }),
});

/** Grey levels by another program's decoding. */
function expected(file: Uint8Array): number[] {
  const { width, height, channels, depth, data, palette } = decode(file);
  const stride = Math.ceil((width * channels * depth) / 8);
  const most = 2 ** depth - 1;
  return Array.from({ length: width * height }, (_, place) => {
    const [x, y] = [place % width, Math.floor(place / width)];
    const sample = (c: number) => {
      if (depth >= 8) return data[place * channels + c];
      const bit = x * depth;
      return (data[y * stride + (bit >> 3)] >> (8 - depth - (bit & 7))) & most;
    };
    const mixed = (r: number, g: number, b: number) => 0.299 * r + 0.587 * g + 0.114 * b;
    if (palette)
      return Math.round(mixed(palette[sample(0)][0], palette[sample(0)][1], palette[sample(0)][2]));
    return Math.round(((channels < 3 ? sample(0) : mixed(sample(0), sample(1), sample(2))) * 255) / most);
  });
}

describe('grey levels of PNG pictures', () => {
  test('are those of another decoder, for every depth, colour, filter and interlacing', async () => {
    await holds(
      fc.asyncProperty(picture, async ({ size: [width, height], kind, interlace, bytes }) => {
        // fast-png does not unpack interlaced pixels of less than a byte.
        fc.pre(!(interlace && kind.depth < 8));
        const about = { width, height, ...kind, interlace };
        const lines: number[] = [];
        for (const { stride, count } of linesOf(about)) {
          for (let y = 0; y < count; y++) {
            lines.push(bytes[lines.length % bytes.length] % 5);
            for (let k = 0; k < stride; k++) lines.push(bytes[lines.length % bytes.length]);
          }
        }
        const palette = Uint8Array.from({ length: 768 }, (_, k) => (k * 37) & 255);
        const file = png(
          about,
          Uint8Array.from(lines),
          ...(kind.colour === 3 ? [chunk('PLTE', palette)] : []),
        );
        expect([...(await decodePng(file, 'a.png')).grey]).toEqual(expected(file));
      }),
      { seed: 11, numRuns: 300 },
    );
  });

  test('of interlaced pixels of less than a byte are where they belong', async () => {
    // 3 x 3 pixels of one bit: grids of 1, 1 (below, column 2), ... line by line.
    const lines = Uint8Array.of(0, 0x80, 0, 0x80, 0, 0x80, 0, 0x80, 0, 0x00, 0, 0xa0);
    const { grey } = await decodePng(
      png({ width: 3, height: 3, depth: 1, colour: 0, interlace: 1 }, lines),
      'a.png',
    );
    expect([...grey].map((level) => level / 255)).toEqual([1, 1, 1, 1, 0, 1, 1, 0, 0]);
  });

  const small = { width: 4, height: 4, depth: 8, colour: 0, interlace: 0 };

  test('are unpacked as far as the header says, and other chunks not at all', async () => {
    const bomb = png(small, new Uint8Array(10 ** 6));
    await expect(decodePng(bomb, 'a.png')).rejects.toThrow(
      'a.png: unpacks to more than the limit of 20 bytes',
    );
    const unused = chunk('iCCP', Uint8Array.of(97, 0, 0, 1, 2, 3));
    expect([...(await decodePng(png(small, new Uint8Array(20), unused), 'a.png')).grey]).toEqual(
      new Array(16).fill(0),
    );
  });

  test.each([
    [png({ ...small, depth: 3 }, new Uint8Array(20)), 'a kind that PNG does not have'],
    [
      png({ ...small, width: 2 ** 20, height: 2 ** 20 }, new Uint8Array(20)),
      'claims 1048576 x 1048576 pixels',
    ],
    [png(small, new Uint8Array(19)), 'the pixels are not complete'],
    [png(small, new Uint8Array(20).fill(9)), 'line 1 of pixels: filter 9 is not known'],
    [png({ ...small, colour: 3 }, new Uint8Array(20)), 'the palette has 0 bytes'],
    [png(small, new Uint8Array(20), chunk('ABCD', new Uint8Array(0))), 'a chunk of type ABCD is not known'],
    [png(small, new Uint8Array(20)).subarray(0, 50), 'the file'],
  ])('of a damaged picture are refused (%#)', async (file, message) => {
    await expect(decodePng(file, 'a.png')).rejects.toThrow(message);
  });
});
