import { joined } from '../../../src/formats/bytes.ts';
import type { FormatName } from '../../../src/formats/options.ts';

/**
 * A valid file, in the parts of which it is made. A part is what stands inside compression and checksums, so
 * that a damaged part still comes in a file whose checksums fit, and the damage reaches whoever reads the
 * part.
 */
export interface Seed {
  readonly format: Format;
  /** The name of the file; its ending counts. */
  readonly name: string;
  readonly parts: readonly Uint8Array[];
  build(parts: readonly Uint8Array[]): Uint8Array;
}

/** What is read: the formats of tables by their names, and the package's own kinds of files. */
export type Format = FormatName | 'model' | 'checkpoint' | 'packed' | 'codes';

/** A file that is its own only part. */
export function plain(format: Format, name: string, bytes: Uint8Array): Seed {
  return { format, name, parts: [bytes], build: ([part]) => part };
}

export function text(format: Format, name: string, content: string): Seed {
  return plain(format, name, new TextEncoder().encode(content));
}

export const concat = (...parts: readonly Uint8Array[]): Uint8Array => joined(parts);

export async function collected(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const piece of pieces) parts.push(piece);
  return concat(...parts);
}
