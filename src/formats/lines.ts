import { FormatError } from '../rows/errors.ts';
import type { ByteSource } from './bytes.ts';

/** A line longer than this is no line of a table: 64 MiB. */
const MAX_LINE = 2 ** 26;

/** The lines of a text (UTF-8), some at a time, without their ends. Stops being read when the caller stops. */
export async function* lineBlocks(source: ByteSource): AsyncGenerator<string[]> {
  let rest = '';
  for await (const piece of textPieces(source)) {
    const end = piece.lastIndexOf('\n');
    if (end >= 0) yield (rest + piece.slice(0, end)).split(/\r?\n/).map(withoutReturn);
    rest = end >= 0 ? piece.slice(end + 1) : rest + piece;
    checkLine(source, rest);
  }
  if (rest !== '') yield [withoutReturn(rest)];
}

/**
 * The text of a source (UTF-8) in short pieces. Long strings are kept outside of the heap, where they outlive their use:
 * pieces of a megabyte take 80 MB more.
 */
export async function* textPieces(source: ByteSource): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const bytes of source.stream()) {
    for (let at = 0; at < bytes.length; at += PIECE) {
      yield decoder.decode(bytes.subarray(at, at + PIECE), { stream: true });
    }
  }
  yield decoder.decode();
}

const PIECE = 2 ** 16;

export function checkLine(source: ByteSource, line: string): void {
  if (line.length <= MAX_LINE) return;
  throw new FormatError(
    source.name,
    '',
    `has a line longer than ${MAX_LINE} characters: this is not a table in text`,
  );
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

/** A copy of a piece of text, for keeping: the piece itself would keep all of the text that it was cut from. */
export function ownText(piece: string): string {
  return ` ${piece}`.slice(1);
}
