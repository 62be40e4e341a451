import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CORRUPTIONS, corrupt } from '../../src/rows/corrupt.ts';
import { type BitRows, entry, type Rows, rowBytes, sliceRows } from '../../src/rows/rows.ts';
import { holds } from '../property.ts';

/** n rows of V bits, every third of them set. */
function someBits(n: number, V: number): BitRows {
  const stride = rowBytes(V);
  const bits = new Uint8Array(n * stride);
  for (let i = 0; i < n; i++) {
    for (let v = 0; v < V; v++) if ((i + v) % 3 === 0) bits[i * stride + (v >> 3)] |= 1 << (v & 7);
  }
  return { kind: 'bits', n, V, bits };
}

function asReal(rows: Rows): Rows {
  const values = Float32Array.from({ length: rows.n * rows.V }, (_, k) =>
    entry(rows, Math.floor(k / rows.V), k % rows.V),
  );
  return { kind: 'real', n: rows.n, V: rows.V, values };
}

function entries(rows: Rows): number[] {
  return Array.from((asReal(rows) as { values: Float32Array }).values);
}

describe('corrupt', () => {
  it('takes a flat table as fit does', () => {
    const rows = corrupt({ data: [true, false, true, true], n: 2, V: 2 }, { kind: 'flip', rho: 1 });
    expect(entries(rows)).toEqual([-1, 1, -1, -1]);
  });

  it('does to each entry what its kind says, with the probability asked for', () => {
    const rows = someBits(400, 50);
    const before = entries(rows);
    const share = (
      after: number[],
      hit: (x: number, y: number) => boolean,
      among: (x: number) => boolean,
    ) => {
      const chosen = before.flatMap((x, k) => (among(x) ? [hit(x, after[k]) ? 1 : 0] : []));
      return chosen.reduce((sum: number, one) => sum + one, 0) / chosen.length;
    };
    const rho = 0.25;
    const seen = (kind: (typeof CORRUPTIONS)[number]) => entries(corrupt(rows, { kind, rho, seed: 5 }));
    const ones = (x: number) => x > 0;
    const all = () => true;
    expect(share(seen('mask'), (_, y) => y < 0, ones)).toBeCloseTo(rho, 1);
    expect(
      share(
        seen('mask'),
        (x, y) => x !== y,
        (x) => x < 0,
      ),
    ).toBe(0);
    expect(share(seen('flip'), (x, y) => y === -x, all)).toBeCloseTo(rho, 1);
    expect(share(seen('salt'), (x, y) => y !== x, all)).toBeCloseTo(rho / 2, 1);
    expect(share(seen('hide'), (_, y) => Number.isNaN(y), all)).toBeCloseTo(rho, 1);
    expect(share(seen('hide'), (x, y) => !Number.isNaN(y) && y !== x, all)).toBe(0);
  });

  it('depends on the row and the seed alone: pieces, and bits or numbers, give the same', () => {
    holds(
      fc.property(
        fc.constantFrom(...CORRUPTIONS),
        fc.nat(1000),
        fc.integer({ min: 1, max: 11 }),
        (kind, seed, at) => {
          const rows = someBits(12, 19);
          const whole = corrupt(rows, { kind, rho: 0.3, seed });
          const end = corrupt(sliceRows(rows, at, 12), { kind, rho: 0.3, seed }, at);
          expect(entries(end)).toEqual(entries(sliceRows(whole, at, 12)));
          expect(entries(corrupt(asReal(rows), { kind, rho: 0.3, seed }))).toEqual(entries(whole));
        },
      ),
      { seed: 1, numRuns: 40 },
    );
  });

  it('leaves the rows it was given alone, and missing entries missing', () => {
    const rows: BitRows = { ...someBits(3, 8), known: Uint8Array.of(0b11111110, 255, 255) };
    const before = rows.bits.slice();
    const flipped = corrupt(rows, { kind: 'flip', rho: 1 });
    expect(rows.bits).toEqual(before);
    expect(entry(flipped, 0, 0)).toBeNaN();
    expect(entry(flipped, 1, 2)).toBe(-entry(rows, 1, 2));
  });

  it('names what is wrong', () => {
    expect(() => corrupt(someBits(1, 1), { kind: 'flip', rho: 1.5 })).toThrow(/share from 0 to 1, got 1.5/);
    expect(() => corrupt(someBits(1, 1), { kind: 'blur' as 'flip', rho: 0 })).toThrow(
      /mask, flip, salt, hide/,
    );
  });
});
