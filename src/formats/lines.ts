import { FormatError } from '../rows/errors.ts';
import type { ByteSource } from './bytes.ts';

/** A line longer than this is no line of a table: 64 MiB. */
export const MAX_LINE = 2 ** 26;

/** The lines of a text (UTF-8), some at a time, without their ends. Stops being read when the caller stops. */
export async function* lineBlocks(source: ByteSource): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of source.stream()) {
    const text = rest + decoder.decode(piece, { stream: true });
    const end = text.lastIndexOf('\n');
    rest = text.slice(end + 1);
    if (rest.length > MAX_LINE) {
      throw new FormatError(
        source.name,
        '',
        `has a line longer than ${MAX_LINE} characters: this is not a table in text`,
      );
    }
    if (end >= 0) yield text.slice(0, end).split(/\r?\n/).map(withoutReturn);
  }
  rest += decoder.decode();
  if (rest !== '') yield [withoutReturn(rest)];
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

/** A copy of a piece of text, for keeping: the piece itself would keep all of the text that it was cut from. */
export function ownText(piece: string): string {
  return ` ${piece}`.slice(1);
}
