import type { ColumnMetaData, Compressors, SchemaTree } from 'hyparquet';
import { counted } from '../rows/counted.ts';
import { readThrift, type ThriftStruct } from './thrift.ts';

/**
 * Looks through the pages of a column before they are decoded: the decoder believes the counts it reads, and
 * a damaged one would have it count to billions. What it throws is put into words by the caller.
 */
export function checkColumn(
  bytes: Uint8Array,
  column: ColumnMetaData,
  schema: SchemaTree,
  rows: number,
  compressors: Compressors,
): void {
  const levels = levelsOf(schema, column.path_in_schema);
  // A column without lists has a value, perhaps a missing one, for each row.
  const most = levels.repetition === 0 ? rows : Number(column.num_values);
  if (!(most >= 0 && most <= MAX_VALUES))
    throw new Error(`a column claims ${counted(column.num_values, 'value')}`);
  let at = 0;
  let seen = 0;
  while (at < bytes.length - 1 && seen < most) {
    const { struct: header, end } = readThrift(bytes, at);
    const packed = within(numberOf(header, 3), bytes.length - end);
    const size = numberOf(header, 2);
    if (!(size >= 0 && size <= MAX_PAGE))
      throw new Error(`a page claims to unpack to ${counted(size, 'byte')}`);
    const page = bytes.subarray(end, end + packed);
    at = end + packed;
    const unpack = (from: number) => unpacked(page.subarray(from), size - from, column.codec, compressors);
    const [type, one, two] = [numberOf(header, 1), header.get(5), header.get(8)];
    if (type === DATA_PAGE && one instanceof Map) {
      const count = within(numberOf(one, 1), most - seen);
      seen += count;
      checkPage(unpack(0), count, numberOf(one, 2), column.type, levels);
    } else if (type === DATA_PAGE_V2 && two instanceof Map) {
      const count = within(numberOf(two, 1), most - seen);
      seen += count;
      const nulls = within(numberOf(two, 2), count);
      const first = within(numberOf(two, 6), packed);
      const second = first + within(numberOf(two, 5), packed - first);
      if (levels.repetition) checkRuns(page, 0, first, bitWidth(levels.repetition), count);
      if (levels.definition) checkRuns(page, first, second, bitWidth(levels.definition), count);
      const values = two.get(7) === false ? page.subarray(second) : unpack(second);
      checkValues(values, 0, count - nulls, numberOf(two, 4), column.type);
    } else if (type === DICTIONARY_PAGE) {
      const dictionary = header.get(7);
      within(dictionary instanceof Map ? numberOf(dictionary, 1) : -1, MAX_VALUES);
    } else throw new Error(`pages of type ${type} are not known`);
  }
  if (seen !== most) throw new Error(`a column holds ${counted(seen, 'value')}, expected ${most}`);
}

/** Looks through the description of the whole file, which the decoder believes too. */
export function checkFooter(footer: Uint8Array): void {
  readThrift(footer);
}

const [DATA_PAGE, , DICTIONARY_PAGE, DATA_PAGE_V2] = [0, 1, 2, 3];
const [PLAIN_DICTIONARY, RLE, RLE_DICTIONARY] = [2, 3, 8];

function numberOf(struct: ThriftStruct, field: number): number {
  const value = struct.get(field);
  return typeof value === 'number' ? value : Number.NaN;
}

/** How deep the values of a column are nested: in lists, and in all that may be missing. */
function levelsOf(schema: SchemaTree, path: readonly string[]): { repetition: number; definition: number } {
  let [node, repetition, definition] = [schema, 0, 0];
  for (const name of path) {
    const child = node.children.find(({ element }) => element.name === name);
    if (!child) throw new Error(`the schema has no column ${path.join('.')}`);
    node = child;
    if (node.element.repetition_type === 'REPEATED') repetition++;
    if (node.element.repetition_type !== 'REQUIRED') definition++;
  }
  return { repetition, definition };
}

function unpacked(page: Uint8Array, size: number, codec: string, compressors: Compressors): Uint8Array {
  if (codec === 'UNCOMPRESSED') return page;
  const unpack = compressors[codec as keyof Compressors];
  if (!unpack) throw new Error(`compression ${codec} is not known`);
  return unpack(page, size);
}

/** A page is about a megabyte; one that claims to unpack to more than 256 is damaged. */
export const MAX_PAGE = 2 ** 28;

/** More values than this are never in one row group of one column. */
const MAX_VALUES = 2 ** 28;

function within(count: number, most: number): number {
  if (!(count >= 0 && count <= most))
    throw new Error(`a page claims ${count} of at most ${counted(most, 'value')}`);
  return count;
}

function bitWidth(level: number): number {
  return 32 - Math.clz32(level);
}

/** A page of the first version: both levels, each after its length in bytes, then the values. */
function checkPage(
  page: Uint8Array,
  count: number,
  encoding: number,
  type: string,
  levels: { repetition: number; definition: number },
): void {
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength);
  let at = 0;
  for (const level of [levels.repetition, levels.definition]) {
    if (level === 0) continue;
    const length = within(view.getUint32(at, true), page.length - at - 4);
    checkRuns(page, at + 4, at + 4 + length, bitWidth(level), count);
    at += 4 + length;
  }
  checkValues(page, at, count, encoding, type);
}

function checkValues(page: Uint8Array, at: number, count: number, encoding: number, type: string): void {
  if (type === 'BOOLEAN' && encoding === RLE) checkRuns(page, at + 4, page.length, 1, count);
  else if (encoding === RLE_DICTIONARY || encoding === PLAIN_DICTIONARY) {
    if (count > 0) checkRuns(page, at + 1, page.length, page[at], count);
  }
}

/**
 * Runs of equal values and groups of eight packed ones, until `count` values are there. Fewer may be there
 * than that (missing entries have no value), but no run may be longer than what is left.
 */
function checkRuns(bytes: Uint8Array, start: number, end: number, width: number, count: number): void {
  if (!(width <= 32)) throw new Error(`values of ${counted(width, 'bit')} are not known`);
  let at = start;
  let left = count;
  while (left > 0 && at < end) {
    let header = 0;
    for (let shift = 0; ; shift += 7) {
      if (at >= end || shift > 28) throw new Error('a run has no proper length');
      const byte = bytes[at++];
      header += (byte & 127) * 2 ** shift;
      if (byte < 128) break;
    }
    const length = Math.floor(header / 2) * (header % 2 === 1 ? 8 : 1);
    if (length === 0 || length > left + (header % 2 === 1 ? 504 : 0))
      throw new Error(`a run of ${counted(length, 'value')} is too long`);
    at += header % 2 === 1 ? (length / 8) * width : Math.ceil(width / 8);
    left -= length;
  }
}
