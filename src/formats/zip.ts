import { counted } from '../rows/counted.ts';
import { badFile, FormatError } from '../rows/errors.ts';
import { type ByteSource, partOf, readRange } from './bytes.ts';
import { crc32 } from './crc32.ts';
import { inflater } from './inflate.ts';

/**
 * The members of a zip archive, each a source of bytes of its own: stored ones are read in place, deflated
 * ones unpacked while they are read. Before the first byte of a member is given away, all of it has been read
 * once and its length and checksum found to fit, so that a part of it is as good as the whole. Large archives
 * (zip64) are understood.
 */
export async function zipMembers(archive: ByteSource): Promise<Map<string, ByteSource>> {
  const { name } = archive;
  const { count, offset, size } = await findDirectory(archive);
  if (size > MAX_DIRECTORY || offset + size > archive.size) {
    throw badFile(
      name,
      `the zip directory (${counted(size, 'byte')} at byte ${offset}) is not within the file`,
    );
  }
  const directory = await readRange(archive, offset, offset + size, 'the zip directory');
  const view = new DataView(directory.buffer);
  const members = new Map<string, ByteSource>();
  let at = 0;
  for (let k = 0; k < count; k++) {
    if (at + 46 > size || view.getUint32(at, true) !== 0x02014b50) {
      throw new FormatError(
        name,
        `byte ${offset + at}`,
        `the zip directory is damaged at member ${k + 1} of ${count}`,
      );
    }
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((d) => view.getUint16(at + d, true));
    const end = at + 46 + nameLength + extraLength + commentLength;
    if (end > size)
      throw new FormatError(name, `byte ${offset + at}`, 'the zip directory ends within a member');
    const member = readEntry(view, at, nameLength, extraLength);
    const memberName = new TextDecoder().decode(directory.subarray(at + 46, at + 46 + nameLength));
    members.set(memberName, memberBytes(archive, memberName, member));
    at = end;
  }
  return members;
}

const MAX_DIRECTORY = 2 ** 26;

interface Entry {
  readonly method: number;
  readonly encrypted: boolean;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly offset: number;
}

async function findDirectory(archive: ByteSource): Promise<{ count: number; offset: number; size: number }> {
  const { name, size } = archive;
  // The end record is 22 bytes and may be followed by a comment of at most 65,535.
  const from = Math.max(0, size - 22 - 65_535);
  const tail = await readRange(archive, from, size, 'the zip archive');
  const view = new DataView(tail.buffer);
  for (let at = tail.length - 22; at >= 0; at--) {
    if (view.getUint32(at, true) !== 0x06054b50) continue;
    const plain = {
      count: view.getUint16(at + 10, true),
      size: view.getUint32(at + 12, true),
      offset: view.getUint32(at + 16, true),
    };
    if (at < 20 || view.getUint32(at - 20, true) !== 0x07064b50) return plain;
    const place = Number(view.getBigUint64(at - 12, true));
    if (place + 56 > size) break;
    const large = new DataView((await readRange(archive, place, place + 56, 'the zip64 record')).buffer);
    if (large.getUint32(0, true) !== 0x06064b50) break;
    const [count, length, offset] = [32, 40, 48].map((d) => Number(large.getBigUint64(d, true)));
    return { count, size: length, offset };
  }
  throw badFile(name, 'is not a complete zip archive: it has no directory at its end');
}

function readEntry(view: DataView, at: number, nameLength: number, extraLength: number): Entry {
  let packed = view.getUint32(at + 20, true);
  let size = view.getUint32(at + 24, true);
  let offset = view.getUint32(at + 42, true);
  // Numbers that do not fit 32 bits stand, in this order, in the zip64 extra field.
  const extraEnd = at + 46 + nameLength + extraLength;
  for (let extra = at + 46 + nameLength; extra + 4 <= extraEnd; ) {
    const length = view.getUint16(extra + 2, true);
    if (view.getUint16(extra, true) === 1) {
      let field = extra + 4;
      const next = (value: number): number => {
        if (value !== 0xffffffff || field + 8 > extraEnd) return value;
        field += 8;
        return Number(view.getBigUint64(field - 8, true));
      };
      size = next(size);
      packed = next(packed);
      offset = next(offset);
    }
    extra += 4 + length;
  }
  const encrypted = (view.getUint16(at + 8, true) & 1) === 1;
  return {
    method: view.getUint16(at + 10, true),
    encrypted,
    crc: view.getUint32(at + 16, true),
    packed,
    size,
    offset,
  };
}

function memberBytes(archive: ByteSource, member: string, entry: Entry): ByteSource {
  const name = `${archive.name}[${member}]`;
  const { method, packed } = entry;
  const size = Math.min(entry.size, method === 0 ? packed : packed * 1032);
  let proven: Promise<number> | undefined;
  return {
    name,
    size,
    exact: true,
    async *stream(start = 0, end = size) {
      proven ??= prove(archive, entry, name);
      const from = await proven;
      if (method === 0) yield* archive.stream(from + start, from + Math.min(end, size));
      else yield* partOf(inflated(archive.stream(from, from + packed), name), start, end);
    },
  };
}

/** Where the content of a member begins, once all of it was read and its length and checksum fit. */
async function prove(archive: ByteSource, entry: Entry, name: string): Promise<number> {
  const { method, encrypted, packed, size, offset, crc } = entry;
  if (encrypted) throw badFile(name, 'is encrypted, which is not supported');
  if (method !== 0 && method !== 8) throw badFile(name, `compression method ${method} is not supported`);
  const local = await readRange(archive, offset, offset + 30, 'the member');
  const view = new DataView(local.buffer);
  if (view.getUint32(0, true) !== 0x04034b50)
    throw badFile(name, 'the member is not where the directory says');
  const from = offset + 30 + view.getUint16(26, true) + view.getUint16(28, true);
  const raw = archive.stream(from, from + packed);
  let length = 0;
  let sum = 0;
  for await (const piece of method === 0 ? raw : inflated(raw, name)) {
    sum = crc32(piece, sum);
    length += piece.length;
    if (length > size) break;
  }
  if (length !== size) throw badFile(name, `should unpack to ${counted(size, 'byte')}, but does not`);
  if (sum !== crc) throw badFile(name, 'is damaged: its checksum does not fit');
  return from;
}

async function* inflated(pieces: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  const unpack = inflater(name);
  for await (const piece of pieces) yield* unpack(piece, false);
  yield* unpack(new Uint8Array(0), true);
}
