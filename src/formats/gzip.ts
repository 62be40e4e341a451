import { FormatError } from '../rows/errors.ts';
import { type ByteSource, partOf } from './bytes.ts';

/** No byte of a gzip file stands for more than 1032 bytes: the limit of the deflate format. */
const MOST_PER_BYTE = 1032;

/**
 * The content of a gzip file (several members one after the other included), unpacked while it is read. Its size
 * is not known before its end, only bounded; the checksums are checked on the way.
 */
export function gunzip(source: ByteSource): ByteSource {
  return {
    name: source.name,
    size: source.size * MOST_PER_BYTE,
    exact: false,
    stream: (start, end) => partOf(unpacked(source), start, end),
  };
}

async function* unpacked(source: ByteSource): AsyncGenerator<Uint8Array> {
  const stream = new DecompressionStream('gzip');
  const feeding = feed(source, stream.writable);
  const reader = stream.readable.getReader();
  let finished = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      yield value;
    }
    finished = true;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw (await feeding) ?? new FormatError(source.name, '', `the gzip data are damaged (${reason})`, error);
  } finally {
    if (!finished) await reader.cancel().catch(() => undefined);
  }
  const failure = await feeding;
  if (failure) throw failure;
}

/** Writes the packed bytes; gives back what went wrong with reading them, if anything did. */
async function feed(source: ByteSource, to: WritableStream<BufferSource>): Promise<FormatError | undefined> {
  const writer = to.getWriter();
  // Failures of the stream itself show at its readable side.
  writer.closed.catch(() => undefined);
  try {
    for await (const piece of source.stream()) await writer.write(piece as Uint8Array<ArrayBuffer>);
    await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => undefined);
    if (error instanceof FormatError) return error;
  }
  return undefined;
}
