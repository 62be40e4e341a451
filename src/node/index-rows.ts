import type { PackedCodes } from '../bits/pack.ts';
import { FormatError } from '../rows/errors.ts';
import { type IndexRows, RECORD, readRowsPayload } from '../search/index-format.ts';
import type { IndexFile } from './index-file.ts';

/** The rows of an index in memory: those of all its records, deleted ones too. */
export interface LoadedRows extends Required<IndexRows> {
  readonly packed: PackedCodes;
  /** A bit for each row that is not deleted. */
  readonly live: Uint8Array;
  /** Whether any row is deleted. */
  readonly deleted: boolean;
  isLive(row: number): boolean;
  /** The row of each id that is not deleted. */
  readonly places: ReadonlyMap<string, number>;
  /** The number of the next row to be added. */
  readonly next: number;
}

/** Reads all rows of a file, whose codes have H bits. */
export async function loadRows(file: IndexFile, H: number): Promise<LoadedRows> {
  const width = Math.ceil(H / 8);
  const parts: IndexRows[] = [];
  const gone: number[] = [];
  let numbered = 0;
  for (const record of file.records) {
    if (record.kind === RECORD.model) continue;
    if (record.kind === RECORD.numbered) {
      numbered = record.count;
      continue;
    }
    const bytes = await file.payload(record);
    if (record.kind === RECORD.rows) parts.push(readRowsPayload(bytes, record.count, width, file.path));
    else if (record.kind === RECORD.deleted) {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      for (let i = 0; i < record.count; i++) gone.push(view.getUint32(4 * i, true));
    } else throw new FormatError(file.path, `byte ${record.at}`, 'a record has an unknown kind');
  }
  const rows = joined(parts, width);
  const { codes, ids, numbers } = rows;
  const n = numbers.length;
  const live = bitsAt(rows.numbers.keys(), n);
  for (const row of gone) live[row >> 3] &= ~(1 << (row & 7));
  const isLive = (row: number) => ((live[row >> 3] >> (row & 7)) & 1) === 1;
  let made: Map<string, number> | undefined;
  return {
    ...{ ...rows, live, isLive, deleted: gone.length > 0 },
    packed: { n, H, order: 'lsb', bytes: codes },
    // Only who adds, deletes or filters needs to find rows by their ids.
    get places() {
      made ??= new Map(ids.flatMap((id, row) => (isLive(row) ? [[id, row] as const] : [])));
      return made;
    },
    next: numbers.reduce((most, number) => Math.max(most, number + 1), numbered),
  };
}

/** The rows that are not deleted, without names where these are but their numbers. */
export function liveRows({ codes, constants, numbers, ids, isLive }: LoadedRows): IndexRows {
  const kept = Array.from(numbers.keys()).filter((row) => isLive(row));
  const width = codes.length / Math.max(1, numbers.length);
  const packed = new Uint8Array(kept.length * width);
  kept.forEach((row, i) => {
    packed.set(codes.subarray(row * width, (row + 1) * width), i * width);
  });
  return {
    codes: packed,
    constants: Float32Array.from(kept, (row) => constants[row]),
    numbers: Uint32Array.from(kept, (row) => numbers[row]),
    ids: kept.some((row) => ids[row] !== String(numbers[row])) ? kept.map((row) => ids[row]) : undefined,
  };
}

/** A bit for each row with one of these ids; unknown ids are ignored. */
export function rowsCalled(ids: Iterable<string>, { live, places }: LoadedRows): Uint8Array {
  const found = Array.from(ids, (id) => places.get(String(id)) ?? -1).filter((row) => row >= 0);
  return bitsAt(found, 8 * live.length);
}

function bitsAt(rows: Iterable<number>, n: number): Uint8Array {
  const bits = new Uint8Array(Math.ceil(n / 8));
  for (const row of rows) bits[row >> 3] |= 1 << (row & 7);
  return bits;
}

function joined(parts: readonly IndexRows[], width: number): Required<IndexRows> {
  const n = parts.reduce((sum, part) => sum + part.numbers.length, 0);
  const all = {
    codes: new Uint8Array(n * width),
    constants: new Float32Array(n),
    numbers: new Uint32Array(n),
    ids: new Array<string>(n),
  };
  let at = 0;
  for (const { codes, constants, numbers, ids } of parts) {
    all.codes.set(codes, at * width);
    all.constants.set(constants, at);
    all.numbers.set(numbers, at);
    for (let i = 0; i < numbers.length; i++) all.ids[at + i] = ids?.[i] ?? String(numbers[i]);
    at += numbers.length;
  }
  return all;
}
