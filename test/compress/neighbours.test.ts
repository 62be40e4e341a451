import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BitColumns } from '../../src/compress/bit-columns.ts';
import { listen, NEIGHBOURS } from '../../src/compress/neighbours.ts';
import { atOnce } from '../../src/rows/breath.ts';
import { holds } from '../property.ts';

const table = fc
  .tuple(fc.integer({ min: 1, max: 14 }), fc.integer({ min: 1, max: 70 }))
  .chain(([V, n]) =>
    fc.array(fc.uint8Array({ min: 0, max: 1, minLength: V, maxLength: V }), { minLength: n, maxLength: n }),
  );

test('columns of bits give their rows back, and count ones and pairs', () => {
  holds(
    fc.property(table, (rows) => {
      const V = rows[0].length;
      const columns = new BitColumns(V, rows.length);
      for (const row of rows) columns.add(row);
      const read = new Uint8Array(V);
      rows.forEach((row, i) => {
        columns.read(i, read);
        expect(read).toEqual(row);
      });
      for (let v = 0; v < V; v++) {
        expect(columns.ones[v]).toBe(rows.filter((row) => row[v]).length);
        expect(columns.both(0, v)).toBe(rows.filter((row) => row[0] && row[v]).length);
      }
    }),
    { seed: 4, numRuns: 50 },
  );
});

test('neighbours are the earlier columns that correlate most, strongest first', () => {
  holds(
    fc.property(table, (rows) => {
      const [V, n] = [rows[0].length, rows.length];
      const columns = new BitColumns(V, n);
      for (const row of rows) columns.add(row);
      const { neighbours, usual, unusual } = atOnce(listen(columns));
      const mean = (of: (row: Uint8Array) => number) => rows.reduce((sum, row) => sum + of(row), 0) / n;
      const strength = (u: number, v: number) => {
        const [p, q] = [mean((row) => row[u]), mean((row) => row[v])];
        return (mean((row) => row[u] * row[v]) - p * q) ** 2 / (p * (1 - p) + 0.01);
      };
      for (let v = 0; v < V; v++) {
        const best = Array.from({ length: v }, (_, u) => strength(u, v)).sort((a, b) => b - a);
        for (let k = 0; k < NEIGHBOURS; k++) {
          const u = neighbours[v * NEIGHBOURS + k];
          expect(u < v ? strength(u, v) : 0).toBeCloseTo(best[k] ?? 0, 9);
        }
      }
      expect(unusual).toBeCloseTo(
        mean((row) => row.filter((bit, v) => bit !== usual[v]).length),
        9,
      );
    }),
    { seed: 5, numRuns: 50 },
  );
});
