import { blobBytes, gunzip } from 'pc-ae/formats';

/** What each row is, besides its bits: nothing is learned from it, points of the map are coloured by it. */
export interface Labels {
  /** For each row the number of its label. */
  readonly values: Float32Array;
  readonly names: readonly string[];
}

/** Labels from an IDX file of bytes, as MNIST has them, or a text with one in each line; gzipped or not. */
export async function readLabels(file: File, n: number): Promise<Labels> {
  const bytes = await unpacked(file);
  const words = isIdx(bytes)
    ? Array.from(bytes.subarray(8), String)
    : new TextDecoder().decode(bytes).replace(/\s+$/, '').split(/\r?\n/);
  // A text may name its column first.
  const labels = words.length === n + 1 ? words.slice(1) : words;
  if (labels.length !== n)
    throw new RangeError(
      `${file.name} holds ${words.length} labels for ${n} rows; expected one label per row.`,
    );
  const names = [...new Set(labels)].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const numbers = new Map(names.map((name, k) => [name, k]));
  return { names, values: Float32Array.from(labels, (label) => numbers.get(label)!) };
}

async function unpacked(file: File): Promise<Uint8Array> {
  const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const gzipped = start[0] === 0x1f && start[1] === 0x8b;
  const bytes = blobBytes(file.name, file);
  const pieces: BlobPart[] = [];
  for await (const piece of (gzipped ? gunzip(bytes) : bytes).stream()) pieces.push(piece as BlobPart);
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

function isIdx(bytes: Uint8Array): boolean {
  return bytes[0] === 0 && bytes[1] === 0 && bytes[2] === 8 && bytes[3] === 1;
}
