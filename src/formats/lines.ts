import { badFile, type FormatError } from '../rows/errors.ts';
import type { ByteSource } from './bytes.ts';
import { MEMORY_LIMIT, type OpenOptions } from './options.ts';

/** The most characters of a line, whose cells take about a hundred bytes for each, within `maxBytes`. */
export function lineLimit({ maxBytes = MEMORY_LIMIT }: Pick<OpenOptions, 'maxBytes'>): number {
  return Math.floor(maxBytes / 256);
}

/**
 * The lines of a text (UTF-8, see `textPieces`), some at a time, without their ends. Stops being read when
 * the caller stops.
 */
export async function* lineBlocks(
  source: ByteSource,
  options: Pick<OpenOptions, 'maxBytes'>,
  strict = false,
): AsyncGenerator<string[]> {
  const most = lineLimit(options);
  let rest = '';
  for await (const piece of textPieces(source, strict)) {
    const end = piece.lastIndexOf('\n');
    if (end >= 0) yield (rest + piece.slice(0, end)).split(/\r?\n/).map(withoutReturn);
    rest = end >= 0 ? piece.slice(end + 1) : rest + piece;
    checkLine(source.name, rest.length, most);
  }
  if (rest !== '') yield [withoutReturn(rest)];
}

/**
 * The text of a source (UTF-8) in short pieces. Long strings are kept outside of the heap, where they outlive
 * their use: pieces of a megabyte take 80 MB more. Where words matter, a text must be UTF-8 (`strict`); where
 * only numbers do, a comment in another encoding does no harm.
 */
export async function* textPieces(source: ByteSource, strict: boolean): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: strict });
  const decode = (bytes?: Uint8Array): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch (error) {
      throw notUtf8(source.name, bytes, error);
    }
  };
  for await (const bytes of source.stream()) {
    for (let at = 0; at < bytes.length; at += PIECE) yield decode(bytes.subarray(at, at + PIECE));
  }
  yield decode();
}

/**
 * What to say of it, with some letters around the place, as they are in the encoding that most such files
 * have.
 */
function notUtf8(name: string, bytes: Uint8Array | undefined, cause: unknown): FormatError {
  const [before] = new TextDecoder().decode(bytes).split('\ufffd', 1);
  const at = new TextEncoder().encode(before).length;
  const letters = (from: number, to: number) =>
    new TextDecoder('windows-1252').decode(bytes?.subarray(Math.max(0, from), to)).split(/[\r\n]+/);
  const near = `near '${letters(at - 10, at).at(-1)}${letters(at, at + 10)[0]}'`;
  const place = bytes ? near : 'it ends within a letter';
  const hint = 'Save it as UTF-8, for instance with iconv -f windows-1252 -t utf-8';
  return badFile(name, `is not text in UTF-8 (${place}). ${hint}.`, cause);
}

const PIECE = 2 ** 16;

export function checkLine(name: string, length: number, most: number): void {
  if (length <= most) return;
  const found = `has a line longer than ${most} characters`;
  throw badFile(name, `${found}: it is probably not a table in text; if it is, raise --max-bytes`);
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

/**
 * A copy of a piece of text, for keeping: the piece itself would keep all of the text that it was cut from.
 */
export function ownText(piece: string): string {
  return ` ${piece}`.slice(1);
}
