import { parse } from 'csv-parse/browser/esm/sync';
import { badFile, FormatError, guarded } from '../../rows/errors.ts';
import { type ByteSource, readStart } from '../bytes.ts';
import { checkLine, lineLimit, textPieces } from '../lines.ts';
import type { OpenedSource, OpenOptions } from '../options.ts';
import type { RecordSource } from './records.ts';
import { openRecords } from './table.ts';

/** Opens text tables: cells between commas, tabs, semicolons, bars or spaces, or bits as in 010011. */
export async function openCsv(bytes: ByteSource, options: OpenOptions): Promise<OpenedSource> {
  return openRecords(await csvRecords(bytes, options), options);
}

async function csvRecords(bytes: ByteSource, options: OpenOptions): Promise<RecordSource> {
  const delimiter = options.delimiter ?? (await findDelimiter(bytes, options));
  const batches = () => csvBatches(bytes, delimiter, lineLimit(options));
  return { name: bytes.name, format: 'csv', delimiter, batches };
}

async function findDelimiter(bytes: ByteSource, { layout, values }: OpenOptions): Promise<string> {
  const start = new TextDecoder().decode(await readStart(bytes, 65_536));
  if (/\r./.test(start) && !start.includes('\n')) {
    const found = 'its lines end with a carriage return alone, as in CSV for Macintosh';
    throw badFile(bytes.name, `${found}. Save it as plain CSV, for instance with tr '\\r' '\\n'.`);
  }
  const declared = SEPARATOR.exec(start);
  if (declared) return declared[1];
  const lines = start.split(/\r?\n/).filter((text) => text.trim() !== '');
  // When lines list items, the first may hold a single one.
  const line = layout === 'items' ? lines.join('\n') : (lines[0] ?? '');
  const bare = line.replaceAll(/"(?:[^"]|"")*"/g, '');
  const counts = DELIMITERS.map((delimiter) => bare.split(delimiter).length - 1);
  const most = Math.max(...counts);
  if (most > 0) return DELIMITERS[counts.indexOf(most)];
  // Names, such as those of species, may hold bars: a bar is the delimiter only if nothing else is.
  if (bare.includes('|')) return '|';
  if (/\S[^\S\n]+\S/.test(line)) return ' ';
  const together = layout !== 'items' && values !== 'numbers' && /^[01]{2,}$/.test(line.trim());
  return together ? '' : ',';
}

/** A first line in which a spreadsheet declares its delimiter. */
const SEPARATOR = /^sep=(.)\r?\n/i;

const DELIMITERS = ['\t', ',', ';'];

/** The records of a text, batch by batch, one for each piece of the file. */
async function* csvBatches(bytes: ByteSource, delimiter: string, most: number): AsyncGenerator<string[][]> {
  let rest = '';
  let quoted = false;
  let line = 1;
  for await (const piece of textPieces(bytes, true)) {
    const last = lastRecordEnd(piece, quoted);
    quoted = last.quoted;
    if (last.end > 0) {
      const block = rest + piece.slice(0, last.end);
      yield* parseBlock(bytes.name, line === 1 ? block.replace(SEPARATOR, '') : block, delimiter);
      line += breaksIn(block);
    }
    rest = last.end > 0 ? piece.slice(last.end) : rest + piece;
    if (quoted && rest.length > most) throw openQuote(bytes.name, rest, line);
    checkLine(bytes.name, rest.length, most);
  }
  if (quoted) throw openQuote(bytes.name, rest, line);
  if (rest !== '') yield* parseBlock(bytes.name, rest, delimiter);
}

function breaksIn(text: string): number {
  let count = 0;
  for (let k = text.indexOf('\n'); k >= 0; k = text.indexOf('\n', k + 1)) count++;
  return count;
}

/** The error for a quote that is never closed, with its line; the text starts at `line`. */
function openQuote(name: string, text: string, line: number): FormatError {
  let opened = 0;
  let quoted = false;
  for (let k = text.indexOf('"'); k >= 0; k = text.indexOf('"', k + 1)) {
    quoted = !quoted;
    if (quoted) opened = k;
  }
  const place = `line ${line + breaksIn(text.slice(0, opened))}`;
  return new FormatError(
    name,
    place,
    'a quote opens that is not closed: a quote within a cell is written as two',
  );
}

/**
 * Just after the last line break outside of quotes (0: there is none), and whether quotes are open at the
 * end.
 */
function lastRecordEnd(text: string, before: boolean): { end: number; quoted: boolean } {
  let quoted = before;
  if (!text.includes('"')) return { end: quoted ? 0 : text.lastIndexOf('\n') + 1, quoted };
  let end = 0;
  for (let k = 0; k < text.length; k++) {
    const code = text.charCodeAt(k);
    if (code === 34) quoted = !quoted;
    else if (code === 10 && !quoted) end = k + 1;
  }
  return { end, quoted };
}

async function* parseBlock(name: string, block: string, delimiter: string): AsyncGenerator<string[][]> {
  if (block.includes('"')) {
    const options = { delimiter: delimiter || ',', relax_column_count: true, skip_empty_lines: true };
    yield await guarded(name, 'a text table', () => parse(block, options));
    return;
  }
  // Without quotes, splitting at the delimiters is enough.
  let records: string[][] = [];
  for (const line of block.split('\n')) {
    const content = line.endsWith('\r') ? line.slice(0, -1) : line;
    // Between tabs there are cells, even if all of them are empty.
    if (content.trim() === '' && !(delimiter === '\t' && content.includes(delimiter))) continue;
    records.push(
      delimiter === ' '
        ? content.trim().split(/\s+/)
        : (delimiter ? content : content.trim()).split(delimiter),
    );
    // In small batches, so that their cells are freed before they fill up memory.
    if (records.length < RECORDS) continue;
    yield records;
    records = [];
  }
  if (records.length > 0) yield records;
}

const RECORDS = 32;
