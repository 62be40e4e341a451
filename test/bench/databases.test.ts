import { describe, expect, it } from 'vitest';
import { openScores } from '../../src/search/scores.ts';
import { nearest } from '../../src/search/search.ts';
import { fitVectors } from '../../src/vectors/fit.ts';
import { clustered, recallOf } from '../vectors/data.ts';

/** What bench/databases.mjs opens: the guide of docs/search.md, run where its packages are installed. */
interface Database {
  add(rows: readonly { id: number; signs: Uint8Array; code: Uint8Array }[]): Promise<void>;
  shortlist(signs: Uint8Array, count: number): Promise<{ id: number | bigint; code: Uint8Array }[]>;
  close(): Promise<void>;
}
type Open = (V: number, bits: number) => Promise<Database>;

const path: string = '../../bench/databases.mjs';
const { databases } = (await import(path)) as { databases: Record<string, Open> };

const [V, bits, count] = [20, 32, 60];
const [base, queries] = [clustered(300, V, 1), clustered(10, V, 2)];

describe('a shortlist of a database', () => {
  for (const [name, open] of Object.entries(databases)) {
    it(`comes from ${name} by Hamming distance, and codes put it in order`, async (test) => {
      const database = await open(V, bits).catch((error) => {
        if (process.env.CI) throw error;
      });
      if (!database) return test.skip('its packages are not installed: see bench/databases.mjs');
      const model = await fitVectors(base, { bits, metric: 'cosine', rounds: 3 });
      const { codes } = await model.encode(base);
      const [signs, asked] = [signsOf(base.values, 300), signsOf(queries.values, 10)];
      const at = (bytes: Uint8Array, i: number, width: number) => bytes.slice(i * width, (i + 1) * width);
      await database.add(
        Array.from({ length: 300 }, (_, id) => ({
          ...{ id, signs: at(signs, id, 3), code: at(codes.bytes, id, 4) },
        })),
      );
      const pack = (bytes: Uint8Array) => ({ n: bytes.length / 3, H: 24, order: 'lsb' as const, bytes });
      const exact = await nearest(pack(signs), pack(asked), count);
      const found = new Uint32Array(10 * 10);
      for (let q = 0; q < 10; q++) {
        const some = await database.shortlist(at(asked, q, 3), count);
        // Rows as far as the last one may be others.
        const limit = exact.distances[q * count + count - 1];
        const nearer = Array.from(exact.indices.subarray(q * count, (q + 1) * count)).filter(
          (_, r) => exact.distances[q * count + r] < limit,
        );
        expect(some.map(({ id }) => Number(id))).toEqual(expect.arrayContaining(nearer));
        const packed = {
          ...{ n: count, H: bits, order: 'lsb' as const },
          bytes: Uint8Array.from(some.flatMap(({ code }) => [...code])),
        };
        const scores = await openScores(packed, model.constants(packed));
        const tables = model.tables([queries.values.subarray(q * V, (q + 1) * V)]);
        const { indices } = await scores.nearest(tables, 10);
        indices.forEach((i, r) => {
          found[q * 10 + r] = Number(some[i].id);
        });
      }
      expect(recallOf(base, queries, 'cosine', { k: 10, indices: found })).toBeGreaterThan(0.4);
      await database.close();
    });
  }
});

/** Signs of numbers less 1, where the clusters lie around, in 3 bytes each. */
function signsOf(values: ArrayLike<number>, n: number): Uint8Array {
  const bytes = new Uint8Array(3 * n);
  for (let i = 0; i < n; i++)
    for (let v = 0; v < V; v++) if (values[i * V + v] > 1) bytes[3 * i + (v >> 3)] |= 1 << (v & 7);
  return bytes;
}
