import { counted } from '../rows/counted.ts';
import { badFile, guarded } from '../rows/errors.ts';
import { type ArrowValues, readBatch } from './arrow-batch.ts';
import { type ArrowField, readSchema } from './arrow-schema.ts';
import { type ByteSource, readAll } from './bytes.ts';
import { Flat } from './flat.ts';
import { MAX_COLUMNS, MEMORY_LIMIT, type OpenedSource, type OpenOptions } from './options.ts';
import { startsLike } from './recognise.ts';
import type { RecordSource } from './table/records.ts';
import { openRecords } from './table/table.ts';

/**
 * Arrow IPC, file or stream (Feather version 2 too), compressed or not: the columns that Parquet may have.
 */
export async function openArrow(bytes: ByteSource, options: OpenOptions): Promise<OpenedSource> {
  return openRecords(await arrowRecords(bytes, options), options);
}

/** The file is in memory as it is; one record batch of it is unpacked at a time. */
export async function arrowRecords(bytes: ByteSource, options: OpenOptions): Promise<RecordSource> {
  const { name } = bytes;
  const maxBytes = options.maxBytes ?? MEMORY_LIMIT;
  const file = await readAll(bytes, maxBytes);
  const read = <T>(run: () => T) => guarded(name, 'an Arrow file', run);
  const { fields, messages } = await read(() => readMessages(new Flat(file)));
  const columns = fields.map((field) => field.name);
  if (columns.length === 0 || columns.length > MAX_COLUMNS)
    throw badFile(name, `has ${counted(columns.length, 'column')}`);
  async function* batches(): AsyncGenerator<unknown[][]> {
    const dictionaries = new Map<number, unknown[]>();
    const types = dictionaryFields(fields);
    for (const message of messages) {
      if (message.kind === DICTIONARY) {
        await read(() => addDictionary(message, types, dictionaries, maxBytes));
        continue;
      }
      const batch = await read(() => readBatch(message, message.body, fields, dictionaries, maxBytes));
      const step = Math.max(1, Math.floor(CELLS / columns.length));
      for (let start = 0; start < batch.n; start += step) {
        yield await read(() => rowsOf(batch.columns, start, Math.min(batch.n, start + step)));
      }
    }
  }
  return { name, format: 'arrow', columns, batches };
}

/** Cells that are handed on at a time. */
const CELLS = 2 ** 16;

function rowsOf(columns: readonly ArrowValues[], start: number, end: number): unknown[][] {
  return Array.from({ length: end - start }, (_, i) => columns.map((column) => column.at(start + i)));
}

/** A dictionary or a record batch: its description, and the bytes that it describes. */
interface Message {
  readonly kind: number;
  readonly flat: Flat;
  readonly reference: number;
  readonly body: Uint8Array;
}

const SCHEMA = 1;
const DICTIONARY = 2;
const BATCH = 3;

/** The columns, and the messages with their values in the order of use. */
function readMessages(file: Flat): { fields: ArrowField[]; messages: Message[] } {
  if (!startsLike('arrow', file.part(0, Math.min(8, file.length)))) return readStream(file);
  // A file ends with where everything lies: the footer, its length, and the six letters that it began with.
  const end = file.length - 10;
  const footer = end - file.int32(end);
  if (!(footer > 0 && footer < end)) throw new Error('the footer is not within the file');
  const schema = file.field(footer, 1);
  if (!schema) throw new Error('there is no schema');
  const places = [...file.vector(footer, 2, 24), ...file.vector(footer, 3, 24)];
  const messages = places.map((block) => readMessage(file, file.int64(block)));
  const wanted = (message?: Message): message is Message =>
    message?.kind === DICTIONARY || message?.kind === BATCH;
  if (!messages.every((found) => wanted(found?.message)))
    throw new Error('the footer names other messages than its own');
  const size = messages.reduce(
    (sum, found) => sum + found!.message.flat.length + found!.message.body.length,
    0,
  );
  if (size > file.length) throw new Error('the footer names messages more than once');
  return { fields: readSchema(file, schema), messages: messages.map((found) => found!.message) };
}

/** A stream is its messages one after the other, the schema first. */
function readStream(file: Flat): { fields: ArrowField[]; messages: Message[] } {
  let fields: ArrowField[] | undefined;
  const messages: Message[] = [];
  for (let at = 0; at < file.length; ) {
    const found = readMessage(file, at);
    if (!found) break;
    const { kind, flat, reference } = found.message;
    if (kind === SCHEMA) fields ??= readSchema(flat, reference);
    else if (kind === DICTIONARY || kind === BATCH) messages.push(found.message);
    at = found.end;
  }
  if (!fields) throw new Error('there is no schema');
  return { fields, messages };
}

/** The message at a place, and where the next one starts; nothing at the end of a stream. */
function readMessage(file: Flat, start: number): { message: Message; end: number } | undefined {
  const continued = file.int32(start) === -1;
  const at = start + (continued ? 8 : 4);
  const length = file.int32(at - 4);
  if (length === 0) return undefined;
  const flat = new Flat(file.part(at, at + length));
  const reference = flat.field(0, 2);
  if (!reference) throw new Error('a message has no content');
  const end = at + length + flat.number(0, 3, 'int64');
  const body = file.part(at + length, end);
  return { message: { kind: flat.number(0, 1, 'uint8'), flat, reference, body }, end };
}

/** The fields whose values stand in dictionaries, by the numbers of those. */
function dictionaryFields(
  fields: readonly ArrowField[],
  found = new Map<number, ArrowField>(),
): Map<number, ArrowField> {
  for (const field of fields) {
    if (field.dictionary) found.set(field.dictionary.id, { ...field, dictionary: undefined });
    dictionaryFields(field.children, found);
  }
  return found;
}

/** Takes the values of a dictionary, in the place of those before it or in addition to them. */
function addDictionary(
  { flat, reference, body }: Message,
  types: ReadonlyMap<number, ArrowField>,
  dictionaries: Map<number, unknown[]>,
  maxBytes: number,
): void {
  const id = flat.number(reference, 0, 'int64');
  const field = types.get(id);
  const data = flat.field(reference, 1);
  if (!field || !data) throw new Error(`the dictionary ${id} is of no column, or empty`);
  const { n, columns } = readBatch({ flat, reference: data }, body, [field], dictionaries, maxBytes);
  const before = flat.number(reference, 2, 'uint8') ? (dictionaries.get(id) ?? []) : [];
  for (let i = 0; i < n; i++) before.push(columns[0].at(i));
  dictionaries.set(id, before);
}
