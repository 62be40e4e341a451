import { badFile } from '../rows/errors.ts';
import { type ByteSource, partOf } from './bytes.ts';

/** A text in UTF-16 as one in UTF-8, turned while it is read. */
export function fromUtf16(source: ByteSource): ByteSource {
  return {
    name: source.name,
    // A letter of two bytes takes three at most.
    size: Math.ceil(1.5 * source.size),
    exact: false,
    stream: (start, end) => partOf(turned(source), start, end),
  };
}

async function* turned(source: ByteSource): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let decoder: TextDecoder | undefined;
  try {
    for await (const piece of source.stream()) {
      decoder ??= new TextDecoder(piece[0] === 0xff ? 'utf-16le' : 'utf-16be', { fatal: true });
      yield encoder.encode(decoder.decode(piece, { stream: true }));
    }
    if (decoder) yield encoder.encode(decoder.decode());
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw badFile(source.name, 'starts like text in UTF-16 but is not: save it as UTF-8', error);
  }
}
