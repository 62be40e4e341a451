import { FormatError } from '../../rows/errors.ts';
import type { RowSource } from '../../rows/source.ts';
import type { ByteSource } from '../bytes.ts';
import { lineBlocks, lineLimit } from '../lines.ts';
import type { OpenedSource, OpenOptions } from '../options.ts';
import { idHeading, numberText, type WriteOptions, writtenValue } from '../write.ts';
import { placesOf } from './columns.ts';
import type { RecordSource } from './records.ts';
import { openRecords } from './table.ts';

/**
 * JSON lines: an array of numbers on each line, or an object with the same names on each. What an object lacks is
 * missing; what it has besides would be lost, and is refused unless columns were chosen.
 */
export async function openJsonl(bytes: ByteSource, options: OpenOptions): Promise<OpenedSource> {
  return openRecords(await jsonlRecords(bytes, options), options);
}

export async function jsonlRecords(bytes: ByteSource, options: OpenOptions): Promise<RecordSource> {
  const columns = await firstNames(bytes, options);
  const chosen = options.columns ?? options.variable ?? placesOf(options.like?.columns, columns);
  const all = chosen === undefined;
  const batches = () => cellBatches(bytes, options, columns, all);
  return { name: bytes.name, format: 'jsonl', columns, batches };
}

/** The names of the first line, where it is an object. */
async function firstNames(bytes: ByteSource, options: OpenOptions): Promise<string[] | undefined> {
  let line = 0;
  for await (const lines of lineBlocks(bytes, true, lineLimit(options))) {
    for (const text of lines) {
      line++;
      if (text.trim() === '') continue;
      const value = parseLine(bytes.name, text, line);
      if (Array.isArray(value)) return undefined;
      // Names that are whole numbers come before all others in an object, but the first name in the text is the one
      // that may name the rows.
      const first = /^\s*\{\s*("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
      return [...new Set([...(first ? [JSON.parse(first) as string] : []), ...Object.keys(value)])];
    }
  }
  return undefined;
}

async function* cellBatches(
  bytes: ByteSource,
  options: OpenOptions,
  columns: readonly string[] | undefined,
  all: boolean,
): AsyncGenerator<unknown[][]> {
  for await (const batch of jsonBatches(bytes, options, columns, all)) {
    yield batch.map((value) =>
      columns ? columns.map((key) => (value as Record<string, unknown>)[key]) : (value as unknown[]),
    );
  }
}

/** The values of the lines; all are arrays, or, where names are given, all are objects; `all`: with no other names. */
async function* jsonBatches(
  bytes: ByteSource,
  options: OpenOptions,
  columns?: readonly string[],
  all = false,
): AsyncGenerator<unknown[]> {
  const names = new Set(columns);
  let line = 0;
  let arrays = columns === undefined ? undefined : false;
  for await (const lines of lineBlocks(bytes, true, lineLimit(options))) {
    const values: unknown[] = [];
    for (const text of lines) {
      line++;
      if (text.trim() === '') continue;
      const value = parseLine(bytes.name, text, line);
      arrays ??= Array.isArray(value);
      if (Array.isArray(value) !== arrays) {
        throw new FormatError(bytes.name, `line ${line}`, 'arrays and objects are mixed');
      }
      const other = all && !arrays ? Object.keys(value).find((key) => !names.has(key)) : undefined;
      if (other !== undefined) {
        throw new FormatError(
          bytes.name,
          `line ${line}`,
          `has '${other}', which the first object does not have: give it a value there, null for instance, or choose ` +
            'columns with --columns',
        );
      }
      values.push(value);
    }
    if (values.length > 0) yield values;
  }
}

function parseLine(name: string, text: string, line: number): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new FormatError(name, `line ${line}`, 'is not JSON', error);
  }
  if (typeof value !== 'object' || value === null) {
    throw new FormatError(name, `line ${line}`, 'expected an array or an object');
  }
  return value;
}

/**
 * JSON lines of a source, null for a missing entry: objects where its columns have names and objects keep these; arrays of
 * numbers otherwise, within an object where rows have names.
 */
export async function* encodeJsonl(
  source: RowSource,
  options: WriteOptions = {},
): AsyncGenerator<Uint8Array> {
  const { ids, columns } = source;
  const keys = columns && isKept(columns) ? columns.map((name) => `${JSON.stringify(name)}:`) : undefined;
  const idKey = ids && `${JSON.stringify(idHeading(ids, keys ? columns : ['row']))}:`;
  const encoder = new TextEncoder();
  let row = 0;
  for await (const rows of source.chunks(1024)) {
    let text = '';
    for (let i = 0; i < rows.n; i++, row++) {
      const id = ids ? `${idKey}${JSON.stringify(ids.at(row))},` : '';
      const values = Array.from({ length: rows.V }, (_, v) => {
        const x = writtenValue(rows, i, v, options);
        return `${keys ? keys[v] : ''}${Number.isNaN(x) ? 'null' : numberText(x)}`;
      }).join();
      if (keys) text += `{${id}${values}}\n`;
      else text += id ? `{${id}"row":[${values}]}\n` : `[${values}]\n`;
    }
    yield encoder.encode(text);
  }
}

/** Whether an object has these names in their order: each only once, and whole numbers before all others, by size. */
function isKept(names: readonly string[]): boolean {
  const kept = Object.keys(Object.fromEntries(names.map((name) => [name, 0])));
  return kept.length === names.length && kept.every((name, k) => name === names[k]);
}
