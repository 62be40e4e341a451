import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect } from 'vitest';
import { type ByteSource, memoryBytes } from '../../src/formats/bytes.ts';
import { FormatError } from '../../src/rows/errors.ts';
import { collect } from '../../src/rows/memory.ts';
import { entry, type Rows } from '../../src/rows/rows.ts';
import type { RowSource } from '../../src/rows/source.ts';
import { holds } from '../property.ts';

/** Rows as arrays of numbers, to compare with what a test writes down. */
export function table(rows: Rows): number[][] {
  return Array.from({ length: rows.n }, (_, i) =>
    Array.from({ length: rows.V }, (_, v) => entry(rows, i, v)),
  );
}

/** All rows of a source as arrays of numbers. */
export async function tableOf(source: RowSource): Promise<number[][]> {
  return table(await collect(source, { maxBytes: 2 ** 24 }));
}

/** A source with the names of its rows as an array, to compare with what a test writes down. */
export function spelled<S extends RowSource>(source: S): S & { ids?: string[] } {
  return { ...source, ids: source.ids && [...source.ids] };
}

/** Bits 0/1 as the entries -1/+1; null is missing. */
export function signs(bits: readonly (readonly (number | null)[])[]): number[][] {
  return bits.map((row) => row.map((bit) => (bit === null ? Number.NaN : 2 * bit - 1)));
}

export async function concat(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  for await (const piece of pieces) parts.push(piece);
  return new Uint8Array(Buffer.concat(parts));
}

export function text(name: string, content: string): ByteSource {
  return memoryBytes(name, new TextEncoder().encode(content));
}

export function gzipped(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(gzipSync(bytes));
}

/** Bytes that are handed out in small pieces, as a slow disk or a network would. */
export function inPieces(source: ByteSource, length: number): ByteSource {
  return {
    ...source,
    async *stream(start, end) {
      for await (const piece of source.stream(start, end)) {
        for (let at = 0; at < piece.length; at += length) yield piece.subarray(at, at + length);
      }
    },
  };
}

/** A valid file with bytes changed, cut off, removed, doubled or added. */
function mutated(valid: Uint8Array): fc.Arbitrary<Uint8Array<ArrayBuffer>> {
  const place = fc.nat(valid.length - 1);
  const value = fc.oneof(fc.nat(255), fc.constantFrom(0, 1, 127, 128, 255));
  const change = fc.oneof(
    { weight: 6, arbitrary: fc.tuple(fc.constant('set' as const), place, value) },
    { weight: 2, arbitrary: fc.tuple(fc.constant('cut' as const), place, value) },
    { weight: 1, arbitrary: fc.tuple(fc.constant('remove' as const), place, fc.integer({ min: 1, max: 9 })) },
    { weight: 1, arbitrary: fc.tuple(fc.constant('double' as const), place, fc.integer({ min: 1, max: 9 })) },
    { weight: 1, arbitrary: fc.tuple(fc.constant('word' as const), place, value) },
  );
  return fc.array(change, { minLength: 1, maxLength: 4 }).map((changes) => {
    let bytes = Array.from(valid);
    for (const [what, at, k] of changes) {
      if (what === 'set' && at < bytes.length) bytes[at] = k;
      else if (what === 'cut') bytes = bytes.slice(0, at);
      else if (what === 'remove') bytes.splice(at, k);
      else if (what === 'double') bytes.splice(at, 0, ...bytes.slice(at, at + k));
      else for (let j = at; j < Math.min(bytes.length, at + 4); j++) bytes[j] = k;
    }
    return Uint8Array.from(bytes);
  });
}

const words = (V: number) => new Array<string>(V).fill('string');

/**
 * The law that every reader obeys: a damaged file gives data of the shape that was announced, all of whose
 * columns have names where any have, or a FormatError that names the file. Never another error, a hang or a
 * giant allocation.
 */
export async function survivesDamage(
  valid: Uint8Array,
  name: string,
  open: (bytes: ByteSource) => Promise<RowSource>,
  runs = 300,
): Promise<void> {
  await holds(
    fc.asyncProperty(mutated(valid), async (bytes) => {
      try {
        const source = await open(memoryBytes(name, bytes));
        if (source.columns) expect(source.columns.map((column) => typeof column)).toEqual(words(source.V));
        let n = 0;
        for await (const rows of source.chunks(7)) {
          expect(rows.V).toBe(source.V);
          n += rows.n;
          if (n > 10_000) break;
        }
        if (n <= 10_000) expect(n).toBe(source.n);
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
        expect(error.message).toContain(name);
      }
    }),
    { numRuns: runs, seed: 20_160_611 },
  );
}
