import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PackedCodes, reorderCodes } from '../../src/bits/pack.ts';
import { Memory } from '../../src/engine/wasm/memory.ts';
import { compileKernels, instantiate } from '../../src/search/module.ts';
import { openSearch as openOnThreads } from '../../src/search/node/index.ts';
import { startsOf } from '../../src/search/results.ts';
import { CodeSearch, nearest, openSearch, within } from '../../src/search/search.ts';
import { Threads } from '../../src/search/threads.ts';
import { holds } from '../property.ts';
import { randomCodes } from './codes.ts';

/** Every code against every query, sorted: the oracle. */
function plainOrder(codes: PackedCodes, queries: PackedCodes): { index: number; distance: number }[][] {
  const width = Math.ceil(codes.H / 8);
  return Array.from({ length: queries.n }, (_, q) =>
    Array.from({ length: codes.n }, (_, index) => {
      let distance = 0;
      for (let b = 0; b < width; b++) {
        let difference = codes.bytes[index * width + b] ^ queries.bytes[q * width + b];
        for (; difference > 0; difference >>= 1) distance += difference & 1;
      }
      return { index, distance };
    }).sort((a, b) => a.distance - b.distance || a.index - b.index),
  );
}

const widths = fc.oneof(
  fc.constantFrom(1, 7, 8, 63, 64, 65, 128, 129, 256, 257, 1000),
  fc.integer({ min: 1, max: 300 }),
);

describe('nearest', () => {
  it('finds what a plain loop finds, ties by the lower number', async () => {
    await holds(
      fc.asyncProperty(
        fc.integer(),
        widths,
        fc.integer({ min: 0, max: 90 }),
        fc.integer({ min: 0, max: 70 }),
        fc.integer({ min: 1, max: 100 }),
        async (seed, H, n, queryCount, k) => {
          const codes = randomCodes(n, H, seed);
          const queries = randomCodes(queryCount, H, seed + 1);
          const found = await nearest(codes, queries, k);
          const expected = plainOrder(codes, queries).flatMap((order) => order.slice(0, k));
          expect(found.k).toBe(Math.min(k, n));
          expect(Array.from(found.indices)).toEqual(expected.map(({ index }) => index));
          expect(Array.from(found.distances)).toEqual(expected.map(({ distance }) => distance));
        },
      ),
      { seed: 5, numRuns: 60 },
    );
  });

  it('keeps the lower numbers of many equals', async () => {
    const codes: PackedCodes = { n: 5000, H: 64, order: 'msb', bytes: new Uint8Array(40000) };
    const { indices } = await nearest(codes, { ...codes, n: 1, bytes: new Uint8Array(8) }, 20);
    expect(Array.from(indices)).toEqual(Array.from({ length: 20 }, (_, i) => i));
  });

  it('finds codes that come ever nearer', async () => {
    // Code i has 64 - i/100 ones, so each hundred displaces the one before.
    const n = 6400;
    const bytes = new Uint8Array(8 * n);
    for (let i = 0; i < n; i++) {
      for (let h = 0; h < 64 - Math.floor(i / 100); h++) bytes[8 * i + (h >> 3)] |= 1 << (h & 7);
    }
    const query: PackedCodes = { n: 1, H: 64, order: 'lsb', bytes: new Uint8Array(8) };
    const { indices, distances } = await nearest({ n, H: 64, order: 'lsb', bytes }, query, 150);
    expect(Array.from(indices.slice(0, 100))).toEqual(Array.from({ length: 100 }, (_, i) => 6300 + i));
    expect(Array.from(indices.slice(100))).toEqual(Array.from({ length: 50 }, (_, i) => 6200 + i));
    expect([distances[0], distances[149]]).toEqual([1, 2]);
  });

  it('compares codes of different bit orders', async () => {
    const codes = randomCodes(300, 77, 3);
    const queries = randomCodes(5, 77, 4);
    expect(await nearest(codes, reorderCodes(queries, 'msb'), 7)).toEqual(await nearest(codes, queries, 7));
  });

  it.each(['lsb', 'msb'] as const)('does not count spare bits that are set: %s', async (order) => {
    for (const H of [3, 60, 68]) {
      const [codes, queries] = [randomCodes(50, H, 5), randomCodes(4, H, 6)].map((given) => {
        const ordered = reorderCodes(given, order);
        const width = Math.ceil(H / 8);
        const spare = order === 'lsb' ? (255 << (H & 7)) & 255 : 255 >> (H & 7);
        const dirty = ordered.bytes.map((byte, k) => ((k + 1) % width === 0 && k % 3 ? byte | spare : byte));
        return { given, ordered: { ...ordered, bytes: dirty } };
      });
      expect(await nearest(codes.ordered, queries.ordered, 9)).toEqual(
        await nearest(codes.given, queries.given, 9),
      );
    }
  });
});

describe('within', () => {
  it('finds what a plain loop finds', async () => {
    await holds(
      fc.asyncProperty(
        fc.integer(),
        widths,
        fc.integer({ min: 0, max: 90 }),
        fc.integer({ min: 0, max: 70 }),
        fc.double({ min: 0, max: 1.2, noNaN: true }),
        async (seed, H, n, queryCount, share) => {
          const radius = Math.floor(share * H);
          const codes = randomCodes(n, H, seed);
          const queries = randomCodes(queryCount, H, seed + 1);
          const found = await within(codes, queries, radius);
          const expected = plainOrder(codes, queries).map((order) =>
            order.filter(({ distance }) => distance <= radius),
          );
          expect(found.starts).toHaveLength(queryCount + 1);
          expected.forEach((order, q) => {
            const [start, end] = [found.starts[q], found.starts[q + 1]];
            expect(Array.from(found.indices.slice(start, end))).toEqual(order.map(({ index }) => index));
            expect(Array.from(found.distances.slice(start, end))).toEqual(
              order.map(({ distance }) => distance),
            );
          });
        },
      ),
      { seed: 6, numRuns: 60 },
    );
  });
});

describe('more results than fit', () => {
  it('are found in parts', async () => {
    const memory = new Memory(2 ** 18);
    const kernels = await instantiate(await compileKernels(), memory.memory);
    const alone = new Threads(kernels, 1, () => {
      throw new Error('there is one thread');
    });
    const codes = randomCodes(1000, 20, 9);
    const queries = randomCodes(70, 20, 10);
    const search = new CodeSearch(codes, memory, alone);
    // All codes are 500 KiB of keys a batch, in 256 KiB; smaller radii give queries different numbers of
    // results.
    for (const radius of [20, 5, 4, 0]) {
      expect(await search.within(queries, radius)).toEqual(await within(codes, queries, radius));
    }
  });

  it('are refused where places no longer have a number', () => {
    expect(Array.from(startsOf([3, 0, 2]))).toEqual([0, 3, 3, 5]);
    expect(startsOf([2 ** 32 - 1])[1]).toBe(2 ** 32 - 1);
    expect(() => startsOf([2 ** 31, 2 ** 31, 7])).toThrow('up to number 2 find 4294967296 codes');
  });
});

describe('an open search', () => {
  it('finds the same on any number of threads', async () => {
    const codes = randomCodes(60000, 40, 7);
    const queries = randomCodes(70, 40, 8);
    const alone = await openSearch(codes);
    const expected = [await alone.nearest(queries, 9), await alone.within(queries, 2)];
    await alone.close();
    for (const threads of [2, 3]) {
      const search = await openOnThreads(codes, { threads });
      // Asked for at once: one waits for the other.
      expect(await Promise.all([search.nearest(queries, 9), search.within(queries, 2)])).toEqual(expected);
      await search.close();
    }
  });

  it('ends a job when all threads have, though one of them has died', async () => {
    const memory = new Memory();
    const kernels = await instantiate(await compileKernels(), memory.memory);
    let working = false;
    const threads = new Threads(kernels, 3, (thread) => ({
      async run() {
        if (thread === 1) throw new Error('search: thread 1 died');
        working = true;
        await new Promise((resolve) => setTimeout(resolve, 20));
        working = false;
      },
      async close() {},
    }));
    const codes = randomCodes(40_000, 64, 2);
    const search = new CodeSearch(codes, memory, threads);
    await expect(search.nearest(randomCodes(64, 64, 3), 1)).rejects.toThrow('thread 1 died');
    expect(working).toBe(false);
  });

  it('says what is wrong', async () => {
    const codes = randomCodes(10, 16, 1);
    await expect(openSearch({ ...codes, n: 11 })).rejects.toThrow('found 20 bytes, expected 22');
    await expect(openSearch(codes, { threads: 0 })).rejects.toThrow('threads: found 0');
    const search = await openSearch(codes);
    await expect(search.nearest(randomCodes(1, 24, 1), 1)).rejects.toThrow(
      'found codes of 24 bits, the codes to search have 16',
    );
    await expect(search.nearest(codes, 0)).rejects.toThrow('k: found 0');
    await expect(search.within(codes, 1.5)).rejects.toThrow('radius: found 1.5');
    await search.close();
    await expect(search.nearest(codes, 1)).rejects.toThrow('already closed');
  });
});
