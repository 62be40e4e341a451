import { badFile, FormatError } from '../rows/errors.ts';
import type { H5File, H5Reading } from './h5/file.ts';

/**
 * Where bytes come from: a file, a blob of the browser, an array. Files, compressed files and archive members
 * are all read in the same way: in pieces, from any position, as often as needed.
 */
export interface ByteSource {
  /** What to call it in messages. */
  readonly name: string;
  /** Its size in bytes; if that is not `exact` (compressed), the largest size possible. */
  readonly size: number;
  readonly exact: boolean;
  /** The bytes from `start` on, to `end` (excluded) or the end of the source, in pieces of any length. */
  stream(start?: number, end?: number): AsyncIterable<Uint8Array>;
  /** The file of the same name with another ending in the same folder, if there is one. */
  readonly beside?: (ending: string) => Promise<ByteSource>;
  /** The file as the HDF5 library sees it, if that library is available. */
  readonly hdf5?: (reading: H5Reading) => Promise<H5File>;
}

export function memoryBytes(name: string, bytes: Uint8Array): ByteSource {
  return {
    name,
    size: bytes.length,
    exact: true,
    async *stream(start = 0, end = bytes.length) {
      if (end > start) yield bytes.subarray(start, end);
    },
  };
}

/** The same bytes, until `opening` is over or the signal aborts: whoever reads them then gets its reason. */
export function stoppable(source: ByteSource, signal: AbortSignal, opening: () => boolean): ByteSource {
  const { hdf5 } = source;
  return {
    ...source,
    hdf5: hdf5 && ((reading) => hdf5(opening() ? { ...reading, signal } : reading)),
    async *stream(start, end) {
      for await (const piece of source.stream(start, end)) {
        if (opening()) signal.throwIfAborted();
        yield piece;
      }
    },
  };
}

/** A file that was dropped on a page. */
export function blobBytes(name: string, blob: Blob): ByteSource {
  const piece = 2 ** 20;
  return {
    name,
    size: blob.size,
    exact: true,
    async *stream(start = 0, end = blob.size) {
      for (let at = start; at < end; at += piece) {
        yield new Uint8Array(await blob.slice(at, Math.min(end, at + piece)).arrayBuffer());
      }
    },
  };
}

/** The bytes from `start` to before `end` of pieces that cannot be had but from the first on. */
export async function* partOf(
  pieces: AsyncIterable<Uint8Array>,
  start = 0,
  end = Number.POSITIVE_INFINITY,
): AsyncGenerator<Uint8Array> {
  let at = 0;
  for await (const piece of pieces) {
    const from = Math.max(0, start - at);
    const to = Math.min(piece.length, end - at);
    if (to > from) yield piece.subarray(from, to);
    at += piece.length;
    if (at >= end) return;
  }
}

/** Bytes of a source read one after the other in lengths that the caller chooses. */
export class ByteReader {
  /** How far it has read. */
  position: number;
  private readonly source: ByteSource;
  private readonly pieces: AsyncIterator<Uint8Array>;
  private piece = new Uint8Array(0);

  constructor(source: ByteSource, start = 0) {
    this.source = source;
    this.position = start;
    this.pieces = source.stream(start)[Symbol.asyncIterator]();
  }

  /** The next `count` bytes, in an array of their own; an error where the source ends before. */
  async take(count: number, what: string): Promise<Uint8Array<ArrayBuffer>> {
    if (this.source.exact && count > this.source.size - this.position) this.ends(what);
    const taken = new Uint8Array(count);
    const got = await this.fill(taken);
    if (got < count) this.ends(what);
    return taken;
  }

  /** Fills the array as far as the source goes; how far that was. */
  async fill(into: Uint8Array): Promise<number> {
    let got = 0;
    while (got < into.length) {
      if (this.piece.length === 0) {
        const { done, value } = await this.pieces.next();
        if (done) break;
        this.piece = value as Uint8Array<ArrayBuffer>;
      }
      const part = this.piece.subarray(0, into.length - got);
      into.set(part, got);
      got += part.length;
      this.piece = this.piece.subarray(part.length);
    }
    this.position += got;
    return got;
  }

  /** Lets the file go. To be called when reading stops, early or not. */
  async close(): Promise<void> {
    await this.pieces.return?.();
  }

  private ends(what: string): never {
    throw new FormatError(
      this.source.name,
      `byte ${this.position}`,
      `the file ends before ${what} is complete`,
    );
  }
}

/** The bytes from start to end; an error where the source is shorter. */
export async function readRange(
  source: ByteSource,
  start: number,
  end: number,
  what: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = new ByteReader(source, start);
  try {
    return await reader.take(end - start, what);
  } finally {
    await reader.close();
  }
}

/** The first bytes, fewer if the source is shorter. */
export async function readStart(source: ByteSource, count: number): Promise<Uint8Array> {
  const start = new Uint8Array(Math.min(count, source.size));
  const reader = new ByteReader(source);
  try {
    return start.subarray(0, await reader.fill(start));
  } finally {
    await reader.close();
  }
}

/** All bytes, for formats that cannot be read in pieces; an error where that is more than the limit. */
export async function readAll(source: ByteSource, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const tooLarge = () =>
    badFile(source.name, `this format is read whole, and the file is larger than ${maxBytes} bytes`);
  if (source.exact) {
    if (source.size > maxBytes) throw tooLarge();
    return readRange(source, 0, source.size, 'the file');
  }
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of source.stream()) {
    size += piece.length;
    if (size > maxBytes) throw tooLarge();
    pieces.push(piece);
  }
  return joined(pieces);
}

/** One piece after the other. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
