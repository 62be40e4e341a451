import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PackedCodes } from '../../src/bits/pack.ts';
import { reorderCodes } from '../../src/bits/pack.ts';
import { openScores as openOnThreads } from '../../src/search/node/index.ts';
import { type CodeScores, openScores } from '../../src/search/scores.ts';
import type { Tables } from '../../src/search/tables.ts';
import { gaussians } from '../../src/solvers/gaussians.ts';
import { holds } from '../property.ts';
import { randomCodes } from './codes.ts';

/** Every cost in float32, added up in the order that the contract names, sorted: the oracle. */
function plainOrder(codes: PackedCodes, scores: CodeScores, { n, halves, values }: Tables) {
  const width = Math.ceil(codes.H / 8);
  return Array.from({ length: n }, (_, q) =>
    Array.from({ length: codes.n }, (_, index) => {
      let cost = scores.constant(index);
      for (let m = 0; m < halves; m++) {
        const byte = codes.bytes[index * width + (m >> 1)];
        cost = Math.fround(cost + values[(q * halves + m) * 16 + ((m & 1 ? byte >> 4 : byte) & 15)]);
      }
      return { index, cost };
    }).sort((a, b) => a.cost - b.cost || a.index - b.index),
  );
}

function randomTables(n: number, H: number, seed: number, scale = 1): Tables {
  const halves = 2 * Math.ceil(H / 8);
  return { n, halves, values: Float32Array.from(gaussians(n * halves * 16, seed), (x) => scale * x) };
}

const scaled = fc.constantFrom(0, 1e-6, 1, 1e4);

describe('openScores', () => {
  it('finds what adding up all costs in float32 finds, whatever the scales of tables and constants', async () => {
    await holds(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 1e6 }),
        fc.oneof(fc.constantFrom(1, 7, 64, 65, 128, 256), fc.integer({ min: 1, max: 520 })),
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 1, max: 120 }),
        scaled,
        scaled,
        async (seed, H, n, k, tableScale, constantScale) => {
          const codes = randomCodes(n, H, seed);
          const tables = randomTables(3, H, seed + 1, tableScale);
          const constants = Float32Array.from(gaussians(n, seed + 2), (x) => constantScale * x);
          const scores = await openScores(codes, constants);
          const found = await scores.nearest(tables, k);
          const expected = plainOrder(codes, scores, tables).flatMap((order) => order.slice(0, k));
          expect(found.k).toBe(Math.min(k, n));
          expect(Array.from(found.indices)).toEqual(expected.map(({ index }) => index));
          expect(found.costs).toEqual(Float32Array.from(expected, ({ cost }) => cost));
          await scores.close();
        },
      ),
      { seed: 7, numRuns: 60 },
    );
  });

  it('finds the same on threads, in batches, and with codes of the other order', async () => {
    const codes = randomCodes(300_000, 64, 3);
    const constants = Float32Array.from(gaussians(300_000, 4));
    const tables = randomTables(70, 64, 5);
    const alone = await openScores(codes, constants);
    const shared = await openOnThreads(reorderCodes(codes, 'msb'), constants, { threads: 3 });
    expect(await shared.nearest(tables, 10)).toEqual(await alone.nearest(tables, 10));
    await Promise.all([alone.close(), shared.close()]);
  });

  it('finds only what is allowed', async () => {
    await holds(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 1e6 }),
        fc.integer({ min: 1, max: 200 }),
        async (seed, n) => {
          const codes = randomCodes(n, 24, seed);
          const scores = await openScores(codes, new Float32Array(n));
          const allowed = Uint8Array.from(gaussians(Math.ceil(n / 8), seed), (x) => (x * 1e6) & 255);
          const tables = randomTables(2, 24, seed);
          const found = await scores.nearest(tables, 10, allowed);
          const expected = plainOrder(codes, scores, tables).flatMap((order) =>
            order.filter(({ index }) => (allowed[index >> 3] >> (index & 7)) & 1).slice(0, 10),
          );
          expect(Array.from(found.indices)).toEqual(expected.map(({ index }) => index));
          await scores.close();
        },
      ),
      { seed: 8, numRuns: 30 },
    );
  });

  it('keeps constants to within half a step of 1/32767 of their range', async () => {
    const constants = Float32Array.from([-3, 0.1, 5, 4.99, 0]);
    const scores = await openScores(randomCodes(5, 16, 1), constants);
    for (let i = 0; i < 5; i++) {
      expect(Math.abs(scores.constant(i) - constants[i])).toBeLessThan((0.51 * 8) / 32767);
    }
    await scores.close();
  });

  it('says what does not fit', async () => {
    const codes = randomCodes(3, 16, 1);
    await expect(openScores(codes, new Float32Array(2))).rejects.toThrow('expected one for each of 3 codes');
    await expect(openScores(codes, new Float32Array(3).fill(Number.NaN))).rejects.toThrow('must be finite');
    await expect(openScores(codes, new Float32Array(3), { threads: 0 })).rejects.toThrow('threads');
    const scores = await openScores(codes, new Float32Array(3));
    await expect(scores.nearest(randomTables(1, 32, 1), 1)).rejects.toThrow('tables for 8 half bytes');
    await expect(scores.nearest(randomTables(1, 16, 1), 0)).rejects.toThrow('k: found 0');
    await expect(scores.nearest(randomTables(1, 16, 1), 1, new Uint8Array(2))).rejects.toThrow('allowed');
    await scores.close();
    await expect(scores.nearest(randomTables(1, 16, 1), 1)).rejects.toThrow('already closed');
  });
});
