import { FormatError } from '../../rows/errors.ts';
import type { ByteSource } from '../bytes.ts';
import { lineBlocks } from '../lines.ts';
import type { OpenedSource, OpenOptions } from '../options.ts';
import { placesOf } from './columns.ts';
import type { RecordSource } from './records.ts';
import { openRecords } from './table.ts';

/**
 * Opens JSON lines: an array of numbers on each line, or an object with the same names on each. A name that
 * an object lacks is a missing entry. Additional names would be lost, and are refused unless columns were
 * chosen.
 */
export async function openJsonl(bytes: ByteSource, options: OpenOptions): Promise<OpenedSource> {
  return openRecords(await jsonlRecords(bytes, options), options);
}

async function jsonlRecords(bytes: ByteSource, options: OpenOptions): Promise<RecordSource> {
  const { name } = bytes;
  const columns = await firstNames(bytes, options);
  const all = (options.columns ?? options.variable ?? placesOf(options.like?.columns, columns)) === undefined;
  const names = new Set(columns);
  const cellsOf = ({ value, line }: Line): unknown[] => {
    if (Array.isArray(value) === (columns !== undefined))
      throw new FormatError(name, `line ${line}`, 'arrays and objects are mixed');
    if (!columns) return value as never;
    const other = all ? Object.keys(value).find((key) => !names.has(key)) : undefined;
    if (other === undefined) return columns.map((key) => (Object.hasOwn(value, key) ? value[key] : null));
    const found = `has '${other}', which the first object does not have`;
    const advice = 'give it a value there, null for instance, or choose columns with --columns';
    throw new FormatError(name, `line ${line}`, `${found}: ${advice}`);
  };
  async function* batches(): AsyncGenerator<unknown[][]> {
    for await (const lines of parsedLines(bytes, options)) yield lines.map(cellsOf);
  }
  return { name, format: 'jsonl', columns, batches };
}

/** The names in the first line, if it is an object. */
async function firstNames(bytes: ByteSource, options: OpenOptions): Promise<string[] | undefined> {
  for await (const [{ text, value }] of parsedLines(bytes, options)) {
    if (Array.isArray(value)) return undefined;
    // JavaScript lists names that are whole numbers first, but the first name in the text is the one that may
    // name the rows.
    const first = /^\s*\{\s*("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
    return [...new Set([...(first ? [JSON.parse(first) as string] : []), ...Object.keys(value)])];
  }
  return undefined;
}

interface Line {
  readonly text: string;
  /** From 1. */
  readonly line: number;
  /** An array or an object. */
  readonly value: Readonly<Record<string, unknown>>;
}

/** The nonempty lines, batch by batch. */
async function* parsedLines(bytes: ByteSource, options: OpenOptions): AsyncGenerator<Line[]> {
  let line = 0;
  for await (const texts of lineBlocks(bytes, options, true)) {
    const lines: Line[] = [];
    for (const text of texts) {
      line++;
      if (text.trim() !== '') lines.push({ text, line, value: parseLine(bytes.name, text, line) });
    }
    if (lines.length > 0) yield lines;
  }
}

function parseLine(name: string, text: string, line: number): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // The first line of an array that is written over many lines.
    if (line === 1 && /^\s*\[\s*([[{]|$)/.test(text)) throw new FormatError(name, '', ONE_ARRAY, error);
    throw new FormatError(name, `line ${line}`, 'is not JSON', error);
  }
  if (line === 1 && Array.isArray(value) && value.length > 0 && value.every(isRow))
    throw new FormatError(name, '', ONE_ARRAY);
  if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  throw new FormatError(name, `line ${line}`, 'expected an array or an object');
}

/** Cells are numbers and words: what holds cells itself is a row. */
const isRow = (value: unknown) => typeof value === 'object' && value !== null;

const ONE_ARRAY =
  "is one JSON array of rows. Write each row on a line of its own (JSON lines), for instance with jq -c '.[]' FILE > rows.jsonl";
