import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { decode } from 'fast-png';
import { FormatError } from 'pc-ae';

/** What a folder of pictures holds, whatever their order: SHA-256 over the sorted SHA-256 of their pixels. */
export interface UnpackedPictures {
  readonly count: number;
  readonly digest: string;
  /** Members that are no readable pictures; they are left out. */
  readonly broken: number;
}

/**
 * Unpacks the PNG pictures of a .tar.gz archive into a folder, which appears when all of them are there and
 * `check` has agreed. Other members and pictures that cannot be read are left out.
 */
export async function unpackPictures(
  archive: string,
  folder: string,
  check: (found: UnpackedPictures) => void,
): Promise<UnpackedPictures> {
  const temporary = `${folder}.part`;
  await rm(temporary, { recursive: true, force: true });
  const digests: Buffer[] = [];
  let broken = 0;
  try {
    for await (const { name, bytes } of tarFiles(archive)) {
      if (!/\.png$/i.test(name)) continue;
      const pixels = pixelsOf(bytes);
      if (!pixels) {
        broken++;
        continue;
      }
      digests.push(createHash('sha256').update(pixels).digest());
      const path = join(temporary, ...safeParts(archive, name));
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, bytes);
    }
    digests.sort(Buffer.compare);
    const digest = createHash('sha256').update(Buffer.concat(digests)).digest('hex');
    const found = { count: digests.length, digest, broken };
    check(found);
    await rename(temporary, folder);
    return found;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

function pixelsOf(bytes: Uint8Array): Uint8Array | undefined {
  try {
    const { data } = decode(bytes);
    return data instanceof Uint8Array ? data : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The parts of a member's name below the archive's own top folder; a name that leads elsewhere is an error.
 */
function safeParts(archive: string, name: string): string[] {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (name.startsWith('/') || parts.includes('..') || name.includes('\\')) {
    throw new FormatError(archive, `member '${name}'`, 'leads out of the folder to unpack to');
  }
  return parts.length > 1 ? parts.slice(1) : parts;
}

/** The plain files of a .tar.gz archive (ustar): a header of 512 bytes, then the content, padded to 512. */
async function* tarFiles(archive: string): AsyncGenerator<{ name: string; bytes: Uint8Array }> {
  const file = createReadStream(archive);
  const unpacked = file.pipe(createGunzip());
  file.once('error', (error) => unpacked.destroy(error));
  const take = pieces(archive, unpacked);
  let longName = '';
  try {
    for (;;) {
      const header = await take(BLOCK);
      if (header.every((byte) => byte === 0)) return;
      const size = Number.parseInt(field(header, 124, 136) || '0', 8);
      if (!(size >= 0 && size < MAX_MEMBER)) {
        throw new FormatError(archive, '', 'is not a tar archive, or holds a member that is too large');
      }
      const bytes = (await take(Math.ceil(size / BLOCK) * BLOCK)).subarray(0, size);
      const type = field(header, 156, 157);
      const prefix = field(header, 345, 500);
      const name = longName || (prefix ? `${prefix}/` : '') + field(header, 0, 100);
      // GNU tar writes a name of more than 100 letters as a member of its own, before the one it belongs to.
      longName = type === 'L' ? field(bytes, 0, size) : '';
      if (type === '' || type === '0') yield { name, bytes };
    }
  } finally {
    file.destroy();
    unpacked.destroy();
  }
}

/** Takes so many bytes at a time from a stream of chunks. */
function pieces(archive: string, stream: AsyncIterable<Buffer>): (size: number) => Promise<Buffer> {
  const chunks = stream[Symbol.asyncIterator]();
  let ahead: Buffer = Buffer.alloc(0);
  return async (size) => {
    const parts = [ahead];
    let length = ahead.length;
    while (length < size) {
      const { done, value } = await chunks.next();
      if (done) throw new FormatError(archive, '', 'ends in the middle of a file');
      parts.push(value);
      length += value.length;
    }
    const all = parts.length === 1 ? ahead : Buffer.concat(parts);
    ahead = all.subarray(size);
    return all.subarray(0, size);
  };
}

/** A text of a header: it ends at a zero byte, or where its field does. */
function field(header: Uint8Array, from: number, to: number): string {
  return new TextDecoder().decode(header.subarray(from, to)).replace(/\0.*$/s, '').trim();
}

const BLOCK = 512;
/** A picture is smaller than this. */
const MAX_MEMBER = 2 ** 28;
