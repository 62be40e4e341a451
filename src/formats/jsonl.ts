import { FormatError } from '../rows/errors.ts';
import type { RowSource } from '../rows/source.ts';
import type { ByteSource } from './bytes.ts';
import { placesOf } from './like.ts';
import { lineBlocks } from './lines.ts';
import type { OpenedSource, OpenOptions } from './options.ts';
import { openRecords, type RecordSource } from './records.ts';
import { type WriteOptions, writtenValue } from './write.ts';

/**
 * JSON lines: an array of numbers on each line, or an object with the same names on each. What an object lacks is
 * missing; what it has besides would be lost, and is refused unless columns were chosen.
 */
export async function openJsonl(bytes: ByteSource, options: OpenOptions): Promise<OpenedSource> {
  const records = await jsonlRecords(bytes, options);
  // An array of arrays of numbers has no names; the first record must not be taken for them.
  return openRecords(records, records.columns ? options : { ...options, header: false });
}

export async function jsonlRecords(bytes: ByteSource, options: OpenOptions): Promise<RecordSource> {
  let columns: string[] | undefined;
  for await (const [first] of jsonBatches(bytes)) {
    if (!Array.isArray(first)) columns = Object.keys(first as object);
    break;
  }
  const chosen = options.columns ?? options.variable ?? placesOf(options.vocabulary, columns);
  const all = chosen === undefined;
  return { name: bytes.name, format: 'jsonl', columns, batches: () => cellBatches(bytes, columns, all) };
}

async function* cellBatches(
  bytes: ByteSource,
  columns: readonly string[] | undefined,
  all: boolean,
): AsyncGenerator<unknown[][]> {
  for await (const batch of jsonBatches(bytes, columns, all)) {
    yield batch.map((value) =>
      columns ? columns.map((key) => (value as Record<string, unknown>)[key]) : (value as unknown[]),
    );
  }
}

/** The values of the lines; all are arrays, or, where names are given, all are objects; `all`: with no other names. */
async function* jsonBatches(
  bytes: ByteSource,
  columns?: readonly string[],
  all = false,
): AsyncGenerator<unknown[]> {
  const names = new Set(columns);
  let line = 0;
  let arrays = columns === undefined ? undefined : false;
  for await (const lines of lineBlocks(bytes)) {
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

/** JSON lines of a source: arrays of numbers, null for a missing entry; with names of rows, objects. */
export async function* encodeJsonl(
  source: RowSource,
  options: WriteOptions = {},
): AsyncGenerator<Uint8Array> {
  const { ids } = source;
  const encoder = new TextEncoder();
  let row = 0;
  for await (const rows of source.chunks(1024)) {
    let text = '';
    for (let i = 0; i < rows.n; i++, row++) {
      const values = Array.from({ length: rows.V }, (_, v) => {
        const x = writtenValue(rows, i, v, options);
        return Number.isNaN(x) ? null : Number(x.toPrecision(9));
      });
      text += `${JSON.stringify(ids ? { id: ids.at(row), row: values } : values)}\n`;
    }
    yield encoder.encode(text);
  }
}
