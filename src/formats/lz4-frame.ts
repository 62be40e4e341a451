import { counted } from '../rows/counted.ts';

/**
 * Unpacks an LZ4 frame whose content is `length` bytes long: blocks one after the other, each stored or
 * packed, where a packed one may repeat what earlier blocks held. Nothing is written or read beyond the ends,
 * whatever the bytes say; checksums, which are there if the writer liked, are passed over.
 */
export function unpackLz4(frame: Uint8Array, length: number): Uint8Array {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.length);
  const flags = view.getUint8(4);
  if (view.getUint32(0, true) !== MAGIC || flags >> 6 !== 1) throw new Error('this is not an LZ4 frame');
  if (flags & DICTIONARY) throw new Error('an LZ4 frame needs a dictionary');
  const content = new Uint8Array(length);
  let at = HEAD + (flags & CONTENT_SIZE ? 8 : 0);
  let filled = 0;
  for (;;) {
    const size = view.getUint32(at, true);
    if (size === 0) break;
    const start = at + 4;
    const end = start + (size & 0x7fffffff);
    if (end > frame.length) throw new Error('an LZ4 block goes beyond its frame');
    if (size >>> 31) {
      if (filled + end - start > length) throw tooLong(length);
      content.set(frame.subarray(start, end), filled);
      filled += end - start;
    } else filled = unpackBlock(frame.subarray(start, end), content, filled);
    at = end + (flags & BLOCK_CHECKSUM ? 4 : 0);
  }
  if (filled !== length)
    throw new Error(`an LZ4 frame holds ${counted(filled, 'byte')}, not ${length} as it is said to`);
  return content;
}

const MAGIC = 0x184d2204;
/** Magic, flags, the size of blocks, a checksum of these. */
const HEAD = 7;
const DICTIONARY = 1;
const CONTENT_SIZE = 8;
const BLOCK_CHECKSUM = 16;

/**
 * Sequences of new bytes and of a stretch to be repeated; the last one has new bytes alone. Where it ends.
 */
function unpackBlock(block: Uint8Array, content: Uint8Array, start: number): number {
  let at = 0;
  let filled = start;
  // Four bits of length; where they are full, bytes are added until one is not full.
  const lengthFrom = (bits: number): number => {
    let length = bits;
    for (let more = bits === 15; more; at++) {
      if (at >= block.length) throw new Error('an LZ4 block is cut off');
      length += block[at];
      more = block[at] === 255;
    }
    return length;
  };
  while (at < block.length) {
    const token = block[at++];
    const fresh = lengthFrom(token >> 4);
    if (at + fresh > block.length) throw new Error('an LZ4 block is cut off');
    if (filled + fresh > content.length) throw tooLong(content.length);
    content.set(block.subarray(at, at + fresh), filled);
    at += fresh;
    filled += fresh;
    if (at === block.length) return filled;
    if (at + 2 > block.length) throw new Error('an LZ4 block is cut off');
    const back = block[at] | (block[at + 1] << 8);
    at += 2;
    const again = 4 + lengthFrom(token & 15);
    if (back === 0 || back > filled) throw new Error('an LZ4 block repeats what was before its content');
    if (filled + again > content.length) throw tooLong(content.length);
    // One by one: a stretch may repeat bytes that it writes itself.
    for (const end = filled + again; filled < end; filled++) content[filled] = content[filled - back];
  }
  return filled;
}

function tooLong(length: number): Error {
  return new Error(`an LZ4 frame holds more than the ${counted(length, 'byte')} it is said to`);
}
