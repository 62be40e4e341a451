import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { costWeighted, crossEntropy, hamming } from '../../src/math.ts';
import { calibrate, faultOf, roundUp } from '../../src/promises/calibration.ts';
import { withEscape } from '../../src/promises/ceiling.ts';
import { holds } from '../property.ts';

const decoding = { V: 10, reconstructionLoss: crossEntropy };

describe('a calibration', () => {
  it('remembers losses with the escape, sorted and rounded up', () => {
    const losses = [3.3, 0.1, 500, 0];
    const { n, losses: kept, ceiling } = calibrate(losses, decoding);
    expect(n).toBe(4);
    expect(ceiling).toBeCloseTo(10 * Math.LN2 + Math.log(1000), 9);
    losses
      .sort((a, b) => a - b)
      .forEach((loss, i) => {
        const exact = withEscape(loss, 10 * Math.LN2, decoding);
        expect(kept[i]).toBeGreaterThanOrEqual(exact);
        expect(kept[i]).toBeCloseTo(exact, 5);
      });
  });

  it('escapes to the even odds of what is known of a row', () => {
    const { losses } = calibrate([500, 500], decoding, { evenOdds: [2, 5] });
    expect(losses[0]).toBeCloseTo(2 + Math.log(1000), 5);
    expect(losses[1]).toBeCloseTo(5 + Math.log(1000), 5);
  });

  it('is the same for any order of the rows', () => {
    expect(calibrate([1, 2, 3], decoding)).toEqual(calibrate([3, 1, 2], decoding));
  });

  it('is refused without rows and with losses that are none', () => {
    expect(() => calibrate([], decoding)).toThrow('no rows');
    expect(() => calibrate([1, Number.NaN], decoding)).toThrow('row 1 is NaN');
    expect(() => calibrate([-1], decoding)).toThrow('row 0 is -1');
  });

  it('takes a loss of 0 that float32 has rounded to less', () => {
    const loss = costWeighted(hamming, { falseOne: 2, falseZero: 1 });
    expect(calibrate([-3.6e-7, 1], { V: 30, reconstructionLoss: loss }).losses).toEqual(
      Float32Array.of(0, 1),
    );
  });

  it('from elsewhere is looked at', () => {
    const good = calibrate([1, 2, 900], decoding);
    expect(faultOf(good)).toBeUndefined();
    expect(faultOf({ ...good, n: 2 })).toContain('3 losses for 2 rows');
    expect(faultOf({ ...good, losses: Float32Array.of(2, 1, 3) })).toContain('do not rise');
    expect(faultOf({ ...good, losses: Float32Array.of(1, 2, 99) })).toContain('a loss of 99');
    expect(faultOf({ ...good, losses: Float32Array.of(1, 2, Number.NaN) })).toContain('a loss of NaN');
    const guesses = { perRow: 2, values: new Float32Array(5), hide: 0.1, shrink: 0 };
    expect(faultOf({ ...good, guesses })).toContain('5 guesses, 2 to a row');
  });

  it('rounds to the next float32, upwards', () => {
    holds(
      fc.property(fc.double({ min: 0, max: 1e30, noNaN: true }), (x) => {
        const up = roundUp(x);
        expect(up).toBeGreaterThanOrEqual(x);
        expect(up).toBe(Math.fround(up));
        expect(up - x).toBeLessThanOrEqual(Math.max(2 ** -149, x * 2 ** -23));
      }),
      { seed: 1 },
    );
    expect(roundUp(0.5)).toBe(0.5);
  });
});
