import { type Random, random } from './random.ts';

/** A change of some bytes, with a name for the record. */
export interface Mutation {
  readonly name: string;
  apply(bytes: Uint8Array): Uint8Array;
}

/** One of the changes below; what it does to given bytes is settled when it is drawn. */
export function drawMutation(draw: Random, other: Uint8Array): Mutation {
  const name = draw.pick(NAMES);
  const seed = draw.below(2 ** 31);
  return { name, apply: (bytes) => (bytes.length === 0 ? bytes : CHANGES[name](bytes, random(seed), other)) };
}

type Change = (bytes: Uint8Array, draw: Random, other: Uint8Array) => Uint8Array;

/** Numbers that programs stumble over, as they stand in binary headers. */
const HOSTILE = [
  0,
  1,
  2,
  3,
  7,
  8,
  127,
  128,
  255,
  256,
  4095,
  4096,
  32_767,
  32_768,
  65_535,
  65_536,
  0xffffff,
  0x1000000,
  0x7ffffff8,
  0x7fffffff,
  0x80000000,
  0xfffffff0,
  0xfffffffe,
  0xffffffff,
  2 ** 33,
  2 ** 40,
  2 ** 53,
  2 ** 62,
];

/** The same, and more, as texts. */
const WORDS = [
  '0',
  '-1',
  '1',
  '2',
  '00',
  '1e9',
  '1e308',
  '1e400',
  '-0',
  '0.5',
  '255',
  '256',
  '65536',
  '16777216',
  '67108863',
  '2147483647',
  '4294967295',
  '4294967296',
  '9007199254740993',
  '99999999999999999999',
  'nan',
  'NaN',
  'inf',
  '-inf',
  '',
  ' ',
  'null',
  'true',
  '{}',
  '[]',
  '"',
  '""',
  ',',
  '\n',
  '\t',
  ':',
  '\0',
  '__proto__',
  'constructor',
  '\ud83d\ude00',
  '1:1',
  '-1:1',
  '0:0',
  '%',
  '#',
  '(',
  ')',
];

const CHANGES = {
  bit: (bytes, draw) => {
    const out = bytes.slice();
    out[draw.below(out.length)] ^= 1 << draw.below(8);
    return out;
  },
  byte: (bytes, draw) => {
    const out = bytes.slice();
    out[draw.below(out.length)] = draw.pick([0, 1, 127, 128, 255, draw.below(256)]);
    return out;
  },
  cut: (bytes, draw) => bytes.slice(0, draw.below(bytes.length)),
  behead: (bytes, draw) => bytes.slice(draw.below(Math.min(bytes.length, 64))),
  remove: (bytes, draw) => {
    const at = draw.below(bytes.length);
    return spliced(bytes, at, at + 1 + draw.below(16), new Uint8Array(0));
  },
  repeat: (bytes, draw) => {
    const at = draw.below(bytes.length);
    const block = bytes.subarray(at, at + 1 + draw.below(64));
    const times = draw.pick([1, 2, 3, 10, 100, 1000]);
    const copies = new Uint8Array(block.length * times);
    for (let k = 0; k < times; k++) copies.set(block, k * block.length);
    return spliced(bytes, at, at, copies);
  },
  splice: (bytes, draw, other) => {
    const from = draw.below(other.length);
    const part = other.subarray(from, from + 1 + draw.below(200));
    const at = draw.below(bytes.length);
    return spliced(bytes, at, draw.oneIn(2) ? at : at + part.length, part);
  },
  swap: (bytes, draw) => {
    const length = 1 + draw.below(Math.min(32, bytes.length));
    const [a, b] = [draw.below(bytes.length - length + 1), draw.below(bytes.length - length + 1)];
    const out = bytes.slice();
    out.set(bytes.subarray(a, a + length), b);
    out.set(bytes.subarray(b, b + length), a);
    return out;
  },
  fill: (bytes, draw) => {
    const at = draw.below(bytes.length);
    return bytes.slice().fill(draw.pick([0, 1, 255, 128]), at, at + 1 + draw.below(32));
  },
  // A number in a header: whole, of 1, 2, 4 or 8 bytes, in either order; or moved by a little.
  number: (bytes, draw) => {
    const width = draw.pick([1, 2, 4, 4, 4, 8]);
    if (bytes.length < width) return bytes;
    const out = bytes.slice();
    const view = new DataView(out.buffer);
    // Headers stand at the beginning or at the end, and their numbers mostly at even places.
    const near = draw.pick([64, 256, out.length, out.length]);
    const place = draw.below(Math.min(near, out.length - width + 1));
    const at = draw.oneIn(4) ? place : place - (place % Math.min(width, 4));
    const start = draw.oneIn(3) ? Math.max(0, out.length - width - at) : at;
    const little = !draw.oneIn(4);
    const step = draw.pick([-8, -1, 1, 2, 8]);
    const value = draw.pick(HOSTILE);
    const moved = draw.oneIn(4);
    if (width === 1) view.setUint8(start, moved ? view.getUint8(start) + step : value);
    else if (width === 2) view.setUint16(start, moved ? view.getUint16(start, little) + step : value, little);
    else if (width === 4) view.setUint32(start, moved ? view.getUint32(start, little) + step : value, little);
    else
      view.setBigUint64(
        start,
        BigInt.asUintN(64, moved ? view.getBigUint64(start, little) + BigInt(step) : BigInt(value)),
        little,
      );
    return out;
  },
  // A lie that is told more than once: a small number, replaced by the same other one in some of its places.
  agreed: (bytes, draw) => {
    const out = bytes.slice();
    const view = new DataView(out.buffer);
    const places: number[] = [];
    const start = 4 * draw.below(Math.max(1, out.length >> 2));
    let wanted: number | undefined;
    for (let at = start; at + 4 <= out.length; at += 4) {
      const found = view.getUint32(at, true);
      if (wanted === undefined && found > 0 && found < 4096) wanted = found;
      if (found === wanted) places.push(at);
    }
    const value = draw.pick([wanted! + 1, wanted! * 2, 2 ** 16, 2 ** 24, 2 ** 28, 2 ** 30]);
    for (const at of places) if (!draw.oneIn(3)) view.setUint32(at, value, true);
    return out;
  },
  // A floating-point number of the content that is hardly one.
  float: (bytes, draw) => {
    const width = draw.pick([4, 8]);
    if (bytes.length < width) return bytes;
    const out = bytes.slice();
    const view = new DataView(out.buffer);
    const place = draw.below(out.length - width + 1);
    const at = place - (place % 4);
    const value = draw.pick([Number.NaN, Number.POSITIVE_INFINITY, -1e38, 1e38, 3.4e38, 1e-45, -0, 1e300]);
    if (width === 4) view.setFloat32(at, value, true);
    else view.setFloat64(at, value, true);
    return out;
  },
  // A number, a name or a mark of a text, replaced by another.
  word: (bytes, draw) => {
    const words = [...latin1(bytes).matchAll(/[\w.+-]+|[^\w\s]/g)];
    if (words.length === 0) return bytes;
    const { 0: word, index } = draw.pick(words);
    return spliced(bytes, index, index + word.length, new TextEncoder().encode(draw.pick(WORDS)));
  },
  digits: (bytes, draw) => {
    const words = [...latin1(bytes).matchAll(/\d+/g)];
    if (words.length === 0) return bytes;
    const { 0: word, index } = draw.pick(words);
    return spliced(
      bytes,
      index,
      index + word.length,
      new TextEncoder().encode(draw.pick(WORDS.slice(0, 20))),
    );
  },
  nest: (bytes, draw) => {
    const deep = draw.pick([10, 1000, 20_000]);
    const mark = draw.pick(['[', '{"a":', '(', '"', '[[1],', '<']);
    return spliced(bytes, draw.below(bytes.length), 0, new TextEncoder().encode(mark.repeat(deep)));
  },
  line: (bytes, draw) => {
    const lines = latin1(bytes).split('\n');
    const [a, b] = [draw.below(lines.length), draw.below(lines.length)];
    const times = draw.pick([1, 2, 50]);
    lines.splice(a, draw.below(2), ...new Array<string>(times).fill(lines[b]));
    return Uint8Array.from(lines.join('\n'), (letter) => letter.charCodeAt(0));
  },
} satisfies Record<string, Change>;

const NAMES = Object.keys(CHANGES) as (keyof typeof CHANGES)[];

function spliced(bytes: Uint8Array, from: number, to: number, part: Uint8Array): Uint8Array {
  const end = Math.min(bytes.length, Math.max(from, to));
  const out = new Uint8Array(from + part.length + bytes.length - end);
  out.set(bytes.subarray(0, from));
  out.set(part, from);
  out.set(bytes.subarray(end), from + part.length);
  return out;
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
