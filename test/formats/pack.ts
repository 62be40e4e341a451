/** An LZ4 frame: blocks of `size` bytes, in which what any block before held is repeated where it can be. */
export function packLz4(bytes: Uint8Array, size = 1000): Uint8Array {
  const frame = [0x04, 0x22, 0x4d, 0x18, 0x40, 0x40, 0];
  const places = new Map<string, number>();
  for (let start = 0; start < bytes.length; start += size) {
    const block = packBlock(bytes, start, Math.min(bytes.length, start + size), places);
    const stored = block.length >= Math.min(size, bytes.length - start);
    const content = stored ? bytes.subarray(start, start + size) : block;
    frame.push(...uint32(stored ? content.length + 2 ** 31 : content.length), ...content);
  }
  return Uint8Array.from([...frame, 0, 0, 0, 0]);
}

function packBlock(bytes: Uint8Array, start: number, end: number, places: Map<string, number>): number[] {
  const block: number[] = [];
  let fresh = start;
  for (let at = start; at + 4 <= end; ) {
    const key = bytes.subarray(at, at + 4).join();
    const from = places.get(key);
    places.set(key, at);
    if (from === undefined || at - from > 65_535) {
      at++;
      continue;
    }
    let length = 4;
    while (at + length < end && bytes[from + length] === bytes[at + length]) length++;
    block.push((Math.min(15, at - fresh) << 4) | Math.min(15, length - 4));
    block.push(...rest(at - fresh), ...bytes.subarray(fresh, at), (at - from) & 255, (at - from) >> 8);
    block.push(...rest(length - 4));
    at += length;
    fresh = at;
  }
  if (fresh < end)
    block.push(Math.min(15, end - fresh) << 4, ...rest(end - fresh), ...bytes.subarray(fresh, end));
  return block;
}

/** What four bits could not hold of a length. */
function rest(length: number): number[] {
  if (length < 15) return [];
  return [...new Array(Math.floor((length - 15) / 255)).fill(255), (length - 15) % 255];
}

/** A Zstandard frame of runs: blocks of equal bytes. */
export function packZstd(bytes: Uint8Array): Uint8Array {
  const frame = [0x28, 0xb5, 0x2f, 0xfd, 0xa0, ...uint32(bytes.length)];
  for (let at = 0; at < bytes.length; ) {
    let end = at + 1;
    while (end < bytes.length && bytes[end] === bytes[at]) end++;
    const header = ((end - at) << 3) | 2 | (end === bytes.length ? 1 : 0);
    frame.push(...uint32(header).slice(0, 3), bytes[at]);
    at = end;
  }
  return Uint8Array.from(frame);
}

function uint32(x: number): number[] {
  return [x & 255, (x >>> 8) & 255, (x >>> 16) & 255, x >>> 24];
}
