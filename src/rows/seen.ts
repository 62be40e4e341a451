import { aboutOf } from './about.ts';
import { isSource } from './input.ts';
import { mix } from './mix.ts';
import { type Rows, rowBytes } from './rows.ts';
import type { RowSource } from './source.ts';

/**
 * A sketch that recognises rows seen before: the smallest of their hashes. Of later rows, those whose hashes
 * are as small are compared: a sample that does not depend on what the rows are.
 */
export interface Seen {
  /** The smallest hashes of the rows, in rising order. */
  readonly hashes: readonly number[];
  /** The sketch holds every hash up to this one. */
  readonly upTo: number;
  /** The share of these rows that equal another one. */
  readonly repeated: number;
}

/** Collects a sketch while rows are read. */
export class SeenRows {
  readonly #counts = new Map<number, number>();
  #upTo = LARGEST;

  add(rows: Rows): void {
    for (let i = 0; i < rows.n; i++) {
      const hash = hashOf(rows, i);
      if (hash > this.#upTo) continue;
      this.#counts.set(hash, (this.#counts.get(hash) ?? 0) + 1);
      if (this.#counts.size > 4 * KEPT) this.#trim();
    }
  }

  seen(): Seen {
    this.#trim();
    let [rows, single] = [0, 0];
    for (const count of this.#counts.values()) {
      rows += count;
      if (count === 1) single++;
    }
    const hashes = [...this.#counts.keys()].sort((a, b) => a - b);
    return { hashes, upTo: this.#upTo, repeated: rows > 0 ? 1 - single / rows : 0 };
  }

  /** Keeps only the smallest hashes. */
  #trim(): void {
    if (this.#counts.size <= KEPT) return;
    const sorted = [...this.#counts.keys()].sort((a, b) => a - b);
    for (const hash of sorted.slice(KEPT)) this.#counts.delete(hash);
    this.#upTo = sorted[KEPT - 1];
  }
}

const LARGEST = 2 ** 32 - 1;
/** Hashes kept: enough to notice when one row in fifty was seen before. */
const KEPT = 512;

/** The same rows or source, and a function that returns their sketch once they were read to the end. */
export function watched<T extends Rows | RowSource>(
  input: T,
): { readonly input: T; readonly seen: () => Seen | undefined } {
  if (!isSource(input)) return { input, seen: () => sketchOf(input as Rows) };
  const { n, V } = input;
  let seen: Seen | undefined;
  const source: RowSource = {
    ...aboutOf(input),
    n,
    V,
    async *chunks(size) {
      const gathered = seen ? undefined : new SeenRows();
      for await (const rows of input.chunks(size)) {
        gathered?.add(rows);
        yield rows;
      }
      seen ??= gathered?.seen();
    },
  };
  return { input: source as T, seen: () => seen };
}

/** The sketch of rows in memory. */
export function sketchOf(rows: Rows): Seen {
  const gathered = new SeenRows();
  gathered.add(rows);
  return gathered.seen();
}

/** The sketch of the rows of both sketches together. */
export function bothSeen(a: Seen | undefined, b: Seen | undefined): Seen | undefined {
  if (!a || !b) return a ?? b;
  const upTo = Math.min(a.upTo, b.upTo);
  const hashes = [...new Set([...a.hashes, ...b.hashes])].filter((hash) => hash <= upTo);
  return { hashes: hashes.sort((x, y) => x - y), upTo, repeated: Math.max(a.repeated, b.repeated) };
}

/** How many of these rows can be compared with a sketch, and how many of those it contains. */
export function compareSeen(seen: Seen, rows: Rows): { readonly compared: number; readonly found: number } {
  const hashes = new Set(seen.hashes);
  let [compared, found] = [0, 0];
  for (let i = 0; i < rows.n; i++) {
    const hash = hashOf(rows, i);
    if (hash > seen.upTo) continue;
    compared++;
    if (hashes.has(hash)) found++;
  }
  return { compared, found };
}

/** A hash of row i's entries, 32 bits. */
function hashOf(rows: Rows, i: number): number {
  let hash = 0x811c9dc5;
  const take = (bytes: Uint8Array, from: number, count: number) => {
    for (let k = from; k < from + count; k++) hash = Math.imul(hash ^ bytes[k], 0x01000193);
    hash = mix(hash + 0x9e3779b9);
  };
  if (rows.kind === 'real') {
    const { buffer, byteOffset, byteLength } = rows.values;
    take(new Uint8Array(buffer, byteOffset, byteLength), 4 * i * rows.V, 4 * rows.V);
  } else {
    const stride = rowBytes(rows.V);
    take(rows.bits, i * stride, stride);
    if (rows.known && !isAllKnown(rows.known, i, rows.V)) take(rows.known, i * stride, stride);
  }
  return hash >>> 0;
}

/** Whether all V entries of row i are known, so that it hashes like a row without marks. */
function isAllKnown(known: Uint8Array, i: number, V: number): boolean {
  const at = i * rowBytes(V);
  const whole = V >> 3;
  for (let k = 0; k < whole; k++) if (known[at + k] !== 255) return false;
  const rest = (1 << (V & 7)) - 1;
  return (known[at + whole] & rest) === rest || rest === 0;
}
