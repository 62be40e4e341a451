import type { Column } from '@uwdata/flechette';

/**
 * Looks through the descriptions in an Arrow file before they are decoded: the decoder believes the counts and
 * places it reads, and a damaged one would have it count to billions. What it throws is put into words by the
 * caller.
 */
export function checkArrow(file: Uint8Array): void {
  const magic = 'ARROW1';
  const isFile = [...magic].every((letter, k) => file[k] === letter.charCodeAt(0));
  if (isFile) checkFile(new Flat(file));
  else checkStream(new Flat(file));
}

/** Bytes with places in them, every one checked before it is used (the FlatBuffers format). */
class Flat {
  private readonly view: DataView;
  readonly length: number;

  constructor(bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.length = bytes.length;
  }

  int32(at: number): number {
    return this.view.getInt32(at, true);
  }

  int64(at: number): number {
    return Number(this.view.getBigInt64(at, true));
  }

  uint8(at: number): number {
    return this.view.getUint8(at);
  }

  part(start: number, end: number): Flat {
    if (!(start >= 0 && end >= start && end <= this.length))
      throw new Error('a message goes beyond the file');
    return new Flat(new Uint8Array(this.view.buffer, this.view.byteOffset + start, end - start));
  }

  /** Where a field of a table lies (4 is the first, 6 the second and so on); 0 where it is not given. */
  field(reference: number, field: number): number {
    const table = reference + this.int32(reference);
    const directory = table - this.int32(table);
    if (field >= this.view.getInt16(directory, true)) return 0;
    const offset = this.view.getInt16(directory + field, true);
    return offset ? table + offset : 0;
  }

  /** The places of the entries of a vector, which all have to lie within the bytes. */
  vector(reference: number, stride: number): number[] {
    if (!reference) return [];
    const start = reference + this.int32(reference);
    const count = this.int32(start);
    if (!(count >= 0 && count * stride <= this.length - start - 4))
      throw new Error(`a list claims ${count} entries`);
    return Array.from({ length: count }, (_, k) => start + 4 + k * stride);
  }
}

const SCHEMA = 1;
const DICTIONARY = 2;
const BATCH = 3;

function checkFile(file: Flat): void {
  const end = file.length - 10;
  const footer = end - file.int32(end);
  if (!(footer > 0 && footer < end)) throw new Error('the footer is not within the file');
  const schema = file.field(footer, 6);
  if (!schema) throw new Error('there is no schema');
  checkSchema(file, schema);
  checkMetadata(file, file.field(footer, 12));
  for (const list of [8, 10]) {
    for (const block of file.vector(file.field(footer, list), 24)) checkMessage(file, file.int64(block));
  }
}

function checkStream(file: Flat): void {
  for (let at: number | undefined = 0; at !== undefined && at < file.length; ) at = checkMessage(file, at);
}

/** Checks one message; where the next one starts, or nothing at the end of the stream. */
function checkMessage(file: Flat, start: number): number | undefined {
  if (!(start >= 0 && start + 4 <= file.length)) throw new Error('a message lies outside the file');
  let at = start;
  let length = file.int32(at);
  at += 4;
  if (length === -1) {
    length = file.int32(at);
    at += 4;
  }
  if (length === 0) return undefined;
  const head = file.part(at, at + length);
  const header = head.field(0, 8);
  const body = head.field(0, 10);
  const bodyLength = body ? head.int64(body) : 0;
  file.part(at + length, at + length + bodyLength);
  const type = head.field(0, 6);
  if (header && type) {
    const kind = head.uint8(type);
    if (kind === SCHEMA) checkSchema(head, header);
    else if (kind === BATCH) checkBatch(head, header);
    else if (kind === DICTIONARY && head.field(header, 6)) checkBatch(head, head.field(header, 6));
  }
  return at + length + bodyLength;
}

function checkSchema(flat: Flat, reference: number): void {
  const budget = { fields: MAX_FIELDS };
  for (const field of flat.vector(flat.field(reference, 6), 4)) checkField(flat, field, 0, budget);
  checkMetadata(flat, flat.field(reference, 8));
}

const MAX_DEPTH = 16;
const MAX_FIELDS = 2 ** 22;
const UNION = 14;

function checkField(flat: Flat, reference: number, depth: number, budget: { fields: number }): void {
  if (depth > MAX_DEPTH || --budget.fields < 0) throw new Error('the fields are nested without end');
  const type = flat.field(reference, 8);
  if (type && flat.uint8(type) === UNION) throw new Error('union columns are not read');
  for (const child of flat.vector(flat.field(reference, 14), 4)) checkField(flat, child, depth + 1, budget);
  checkMetadata(flat, flat.field(reference, 16));
}

function checkMetadata(flat: Flat, reference: number): void {
  flat.vector(reference, 4);
}

function checkBatch(flat: Flat, reference: number): void {
  flat.vector(flat.field(reference, 6), 16);
  const buffers = flat.vector(flat.field(reference, 8), 16).length;
  for (const place of flat.vector(flat.field(reference, 12), 8)) {
    const count = flat.int64(place);
    if (!(count >= 0 && count <= buffers)) throw new Error(`a column claims ${count} buffers`);
  }
}

/** Checks that the lists of a decoded column lie within what they are lists of. */
export function checkLists(column: Column<unknown>): void {
  for (const batch of column.data) checkListBatch(batch as unknown as ListBatch, 0);
}

/** What is looked at of a decoded batch. */
interface ListBatch {
  readonly length: number;
  readonly stride?: number;
  readonly offsets?: ArrayLike<number | bigint>;
  readonly sizes?: ArrayLike<number | bigint>;
  readonly children?: readonly ListBatch[];
}

function checkListBatch({ length, stride, offsets, sizes, children }: ListBatch, depth: number): void {
  if (!children?.length || depth > MAX_DEPTH) return;
  const most = children[0].length;
  if (sizes) throw new Error('list views are not read');
  if (offsets) {
    if (offsets.length < length + 1) throw new Error('a column of lists is not complete');
    for (let i = 0; i < length; i++) {
      const [from, to] = [Number(offsets[i]), Number(offsets[i + 1])];
      if (!(from >= 0 && to >= from && to <= most))
        throw new Error(`the list of row ${i + 1} goes beyond its values`);
    }
  } else if (stride !== undefined && !(stride >= 0 && stride * length <= most)) {
    throw new Error(`lists of ${stride} values go beyond their values`);
  }
  for (const child of children) checkListBatch(child, depth + 1);
}
