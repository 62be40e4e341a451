import { isSource } from '../../rows/input.ts';
import type { Rows } from '../../rows/rows.ts';
import type { RowSource } from '../../rows/source.ts';
import type { Settings } from '../settings.ts';
import type { HeldSet, RowSet } from '../training-set.ts';

/**
 * Everything that a run depends on, as text: every setting, and checksums of rows and other long arrays. A
 * run can only continue from a checkpoint with the same fingerprint. Codes of rows that the engine has
 * `gathered` from a source stand in another order than those of rows that are read again in each epoch, as
 * other engines do.
 */
export async function fingerprintOf(
  settings: Settings,
  training: RowSet,
  held?: HeldSet,
  gathered = false,
): Promise<string> {
  const { loss, chosen, l1, encoding, set: _, validation: __, start, ...rest } = settings;
  // The time budget may change: what the clock decides cannot be repeated anyway.
  const { rowWeights, columnWeights, method, timeBudget: ___, ...short } = rest;
  // Codes that are learned freely are brought into their set at the end, so that the set makes no difference
  // before.
  const set = encoding.free ? undefined : encoding.name;
  const { n, V } = training.rows;
  return JSON.stringify({
    algorithm: method,
    n,
    V,
    loss: loss.name,
    encoding: set,
    ...short,
    l1: typeof l1 === 'number' ? l1 : checksum(l1),
    chosen: chosen && checksum(chosen),
    rowWeights: rowWeights && checksum(rowWeights),
    columnWeights: columnWeights && checksum(columnWeights),
    start: start && checksum(start),
    'order of rows': gathered ? 'shuffled' : undefined,
    'checksum of all rows': await rowsChecksum(training.rows),
    'checksum of the rows held out': held && (await rowsChecksum(held.rows)),
  });
}

/** A checksum of all entries and of which are known. It does not depend on the size of chunks. */
async function rowsChecksum(rows: Rows | RowSource): Promise<string> {
  const entries = new Checksum();
  const known = new Checksum();
  let incomplete = false;
  const add = (part: Rows) => {
    if (part.kind === 'real') entries.add(bytesOf(part.values));
    else {
      entries.add(part.bits);
      // A chunk whose entries are all known may say so or say nothing: both count alike.
      known.add(part.known ?? new Uint8Array(part.bits.length).fill(255));
      incomplete ||= part.known !== undefined;
    }
  };
  if (isSource(rows)) for await (const part of rows.chunks(CHUNK)) add(part);
  else add(rows);
  return incomplete ? `${entries} known ${known}` : `${entries}`;
}

const CHUNK = 4096;

/** A short text that identifies a list of numbers by their float64 bits. */
function checksum(values: ArrayLike<number>): string {
  const sum = new Checksum();
  sum.add(bytesOf(Float64Array.from(values)));
  return `${values.length} numbers, ${sum}`;
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array | Float64Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** A 64-bit checksum of bytes and their order: two sums, multiplied by different odd numbers at each byte. */
class Checksum {
  #one = 0x811c9dc5;
  #other = 0x9747b28c;

  add(bytes: Uint8Array): void {
    let one = this.#one;
    let other = this.#other;
    for (let i = 0; i < bytes.length; i++) {
      one = Math.imul(one ^ bytes[i], 0x01000193);
      other = Math.imul(other ^ bytes[i], 0x9e3779b1);
      // A product carries differences upwards only; this brings them down again.
      other ^= other >>> 15;
    }
    this.#one = one;
    this.#other = other;
  }

  toString(): string {
    return [this.#one, this.#other].map((sum) => (sum >>> 0).toString(16).padStart(8, '0')).join('');
  }
}
