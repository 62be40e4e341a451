import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gaussians } from '../../../src/solvers/gaussians.ts';
import { safeShare } from '../../../src/training/further/caution.ts';
import { holds } from '../../property.ts';

const rows = fc.integer({ min: 1, max: 10_000 });
const nats = fc.double({ min: 1e-3, max: 100, noNaN: true });

describe('safeShare', () => {
  it('keeps weights whose errors are those of their rows from getting worse by more than a hundredth', () =>
    holds(
      fc.property(
        ...[rows, rows, nats, fc.integer({ min: 4, max: 200 }), fc.nat(1e6)],
        (n, m, loss, size, seed) => {
          const drawn = gaussians(2 * size, seed);
          const half = (d: Float64Array) => d.reduce((sum, value) => sum + value * value, 0) / 2;
          const old = drawn.slice(0, size).map((z) => z / Math.sqrt(n));
          const fresh = drawn.slice(size).map((z) => z / Math.sqrt(m));
          const step = old.map((d, k) => (m * (fresh[k] - d)) / (n + m));
          const share = safeShare({ n, m, loss, cost: half(step) });
          const next = old.map((d, k) => d + share * step[k]);
          expect(share).toBeGreaterThan(0);
          expect(share).toBeLessThanOrEqual(1);
          expect(half(next) - half(old)).toBeLessThanOrEqual(0.01 * loss);
        },
      ),
      { seed: 5, numRuns: 300 },
    ));

  it('takes the whole step where it costs nothing, where losses are large, and where new rows are many', () => {
    expect(safeShare({ n: 100, m: 1, loss: 1, cost: 0 })).toBe(1);
    expect(safeShare({ n: 100, m: 10, loss: 50, cost: 0.02 })).toBe(1);
    expect(safeShare({ n: 100, m: 1000, loss: 1, cost: 0.2 })).toBe(1);
    const few = safeShare({ n: 100, m: 10, loss: 1, cost: 0.02 });
    expect(few).toBeGreaterThan(0);
    expect(few).toBeLessThan(0.5);
  });
});
