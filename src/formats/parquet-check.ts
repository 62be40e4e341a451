import type { ColumnMetaData, Compressors, SchemaTree } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { decompressPage } from 'hyparquet/src/datapage.js';
import { getMaxDefinitionLevel, getMaxRepetitionLevel } from 'hyparquet/src/schema.js';

/**
 * Looks through the pages of a column before they are decoded: the decoder believes the counts it reads, and a
 * damaged one would have it count to billions. What it throws is put into words by the caller.
 */
export function checkColumn(
  bytes: Uint8Array,
  column: ColumnMetaData,
  path: SchemaTree[],
  rows: number,
  compressors: Compressors,
): void {
  const levels = { repetition: getMaxRepetitionLevel(path), definition: getMaxDefinitionLevel(path) };
  // A column without lists has a value, perhaps a missing one, for each row.
  const most = levels.repetition === 0 ? rows : Number(column.num_values);
  if (!(most >= 0 && most <= MAX_VALUES)) throw new Error(`a column claims ${column.num_values} values`);
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 };
  let seen = 0;
  while (reader.offset < bytes.length - 1 && seen < most) {
    const header = parquetHeader(reader);
    const { compressed_page_size: packed, uncompressed_page_size: size } = header;
    if (!(packed >= 0 && packed <= bytes.length - reader.offset))
      throw new Error('a page goes beyond its column');
    if (!(size >= 0 && size <= MAX_PAGE)) throw new Error(`a page claims to unpack to ${size} bytes`);
    const page = bytes.subarray(reader.offset, reader.offset + packed);
    reader.offset += packed;
    const unpack = (from: number) =>
      decompressPage(page.subarray(from), size - from, column.codec, compressors);
    const { data_page_header: one, data_page_header_v2: two, dictionary_page_header: dictionary } = header;
    if (header.type === 'DATA_PAGE' && one) {
      seen += within(one.num_values, most - seen);
      checkPage(unpack(0), one.num_values, one.encoding, column.type, levels);
    } else if (header.type === 'DATA_PAGE_V2' && two) {
      seen += within(two.num_values, most - seen);
      within(two.num_nulls, two.num_values);
      const first = within(two.repetition_levels_byte_length, packed);
      const second = first + within(two.definition_levels_byte_length, packed - first);
      if (levels.repetition) checkRuns(page, 0, first, bitWidth(levels.repetition), two.num_values);
      if (levels.definition) checkRuns(page, first, second, bitWidth(levels.definition), two.num_values);
      const values = two.is_compressed === false ? page.subarray(second) : unpack(second);
      checkValues(values, 0, two.num_values - two.num_nulls, two.encoding, column.type);
    } else if (header.type === 'DICTIONARY_PAGE' && dictionary) {
      within(dictionary.num_values, MAX_VALUES);
    } else throw new Error(`pages of type ${header.type} are not known`);
  }
  if (seen !== most) throw new Error(`a column holds ${seen} values, expected ${most}`);
}

/** A page is about a megabyte; one that claims to unpack to more than 256 is damaged. */
export const MAX_PAGE = 2 ** 28;

/** More values than this are never in one row group of one column. */
const MAX_VALUES = 2 ** 28;

function within(count: number, most: number): number {
  if (!(count >= 0 && count <= most)) throw new Error(`a page claims ${count} of at most ${most} values`);
  return count;
}

function bitWidth(level: number): number {
  return 32 - Math.clz32(level);
}

/** A page of the first version: both levels, each after its length in bytes, then the values. */
function checkPage(
  page: Uint8Array,
  count: number,
  encoding: string,
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

function checkValues(page: Uint8Array, at: number, count: number, encoding: string, type: string): void {
  if (type === 'BOOLEAN' && encoding === 'RLE') checkRuns(page, at + 4, page.length, 1, count);
  else if (encoding === 'RLE_DICTIONARY' || encoding === 'PLAIN_DICTIONARY') {
    if (count > 0) checkRuns(page, at + 1, page.length, page[at], count);
  }
}

/**
 * Runs of equal values and groups of eight packed ones, until `count` values are there. Fewer may be there than
 * that (missing entries have no value), but no run may be longer than what is left.
 */
function checkRuns(bytes: Uint8Array, start: number, end: number, width: number, count: number): void {
  if (!(width <= 32)) throw new Error(`values of ${width} bits are not known`);
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
      throw new Error(`a run of ${length} values is too long`);
    at += header % 2 === 1 ? (length / 8) * width : Math.ceil(width / 8);
    left -= length;
  }
}
