import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, stat, unlink } from 'node:fs/promises';
import { FormatError } from 'pc-ae';

export interface FetchOptions {
  /** Tried one after the other until one answers. */
  readonly addresses: readonly string[];
  readonly size?: number;
  readonly sha256?: string;
  readonly signal?: AbortSignal;
  /** Called with the bytes that are there so far, and all of them where that is known. */
  readonly onProgress?: (bytes: number, total: number | undefined) => void;
}

/**
 * Fetches a file to `path`. What has come so far is kept in `path.part`: a second call goes on from there, if
 * the server can. The file gets its name only when it is complete and, where a checksum is known, proven.
 */
export async function fetchFile(path: string, options: FetchOptions): Promise<'fetched' | 'there already'> {
  const { addresses, sha256, size } = options;
  if ((await sizeOf(path)) !== undefined) {
    const found = await fileDigest(path);
    if (sha256 === undefined || found === sha256) return 'there already';
    throw new FormatError(
      path,
      '',
      `is there, but is another file: its SHA-256 is ${found}, expected ${sha256}`,
    );
  }
  const part = `${path}.part`;
  const failures: string[] = [];
  for (const address of addresses) {
    try {
      await fetchPart(address, part, options);
    } catch (error) {
      options.signal?.throwIfAborted();
      failures.push(`${address}: ${reason(error)}`);
      continue;
    }
    const [length, digest] = [await sizeOf(part), await fileDigest(part)];
    if ((sha256 === undefined || digest === sha256) && (size === undefined || length === size)) {
      await rename(part, path);
      return 'fetched';
    }
    await unlink(part);
    failures.push(`${address}: sent ${length} bytes with SHA-256 ${digest}, not the file that was expected`);
  }
  throw new Error(
    `${path} could not be fetched.\n  ${failures.join('\n  ')}\nWhat has come is kept; the same command goes on.`,
  );
}

/** SHA-256 of a file, in hexadecimal. */
export async function fileDigest(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece);
  return hash.digest('hex');
}

async function fetchPart(address: string, part: string, options: FetchOptions): Promise<void> {
  const { signal, onProgress } = options;
  const begun = (await sizeOf(part)) ?? 0;
  // Without compression on the way: the bytes that come are those of the file.
  const headers: Record<string, string> = { 'accept-encoding': 'identity' };
  if (begun > 0) headers.range = `bytes=${begun}-`;
  const response = await fetch(address, { headers, signal, redirect: 'follow' });
  if (response.status === 416 && begun > 0) {
    // Nothing lies beyond what is there: it was complete already. The checksum will tell.
    await response.body?.cancel();
    return;
  }
  if (!response.ok || !response.body) throw new Error(`the server answered ${response.status}`);
  const goesOn = response.status === 206;
  const length = Number(response.headers.get('content-length') ?? Number.NaN);
  let bytes = goesOn ? begun : 0;
  const total = Number.isNaN(length) ? undefined : bytes + length;
  const file = await open(part, goesOn ? 'a' : 'w');
  try {
    const reader = response.body.getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      await file.writeFile(read.value);
      bytes += read.value.length;
      onProgress?.(bytes, total);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  if (total !== undefined && bytes !== total)
    throw new Error(`the connection broke after ${bytes} of ${total} bytes`);
}

function reason(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}

function sizeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    (info) => info.size,
    () => undefined,
  );
}
