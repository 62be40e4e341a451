import { describe, expect, it, test } from 'vitest';
import { crossEntropy, hamming } from '../../src/math.ts';
import { calibrate } from '../../src/promises/calibration.ts';
import { withEscape } from '../../src/promises/ceiling.ts';
import { promise, promises } from '../../src/promises/promise.ts';
import { broken, meanOf, mostBroken, sources, uniforms, unsorted } from './sources.ts';

const V = 72;
const decoding = { V, reconstructionLoss: crossEntropy };
const source = sources['heavy tails'];
const calibration = calibrate(unsorted(source, 2000, uniforms(1)), decoding);

describe('promises', () => {
  it('are sentences with a bound, what they assume and how they were found', () => {
    const said = promises.map((of) => promise(decoding, calibration, { of }).statement);
    expect(said).toMatchInlineSnapshot(`
      [
        "The mean loss of rows from this source is at most 8.313 nats per row (99% confidence).",
        "At least 95% of the rows from this source have a loss of at most 38.10 nats (99% confidence).",
        "The next row from this source has a loss of at most 29.87 nats, with probability 95%.",
        "The worst 10% of the rows from this source have a mean loss of at most 40.17 nats (99% confidence).",
        "If 1% of new rows may be anything and the others are from this source, their mean loss is at most 8.798 nats per row (99% confidence).",
        "No row from any source has a loss of more than 56.82 nats.",
        "If any one bit of every row may change after encoding, the mean loss with scores capped at 4.26 in decoding is at most 13.59 nats per row (99% confidence).",
      ]
    `);
    for (const of of promises) {
      const { bound, assumes, method } = promise(decoding, calibration, { of });
      expect(bound).toBeLessThanOrEqual(calibration.ceiling);
      expect(bound).toBeGreaterThan(0);
      expect(assumes.length).toBeGreaterThan(0);
      expect(method.length).toBeGreaterThan(0);
    }
  });

  it('are larger for more confidence, and for more that may go wrong', () => {
    const bound = (asked: Parameters<typeof promise>[2]) => promise(decoding, calibration, asked).bound;
    for (const of of ['mean', 'quantile', 'tail', 'contaminated', 'changed bits'] as const) {
      expect(bound({ of, confidence: 0.999 })).toBeGreaterThanOrEqual(bound({ of, confidence: 0.9 }));
    }
    expect(bound({ of: 'quantile', share: 0.99 })).toBeGreaterThan(bound({ of: 'quantile', share: 0.9 }));
    expect(bound({ of: 'next row', share: 0.99 })).toBeGreaterThan(bound({ of: 'next row', share: 0.9 }));
    expect(bound({ of: 'tail', share: 0.05 })).toBeGreaterThan(bound({ of: 'tail', share: 0.5 }));
    expect(bound({ of: 'contaminated', share: 0.1 })).toBeGreaterThan(bound({ of: 'mean' }));
    expect(bound({ of: 'changed bits', bits: 2 })).toBeGreaterThan(bound({ of: 'changed bits', bits: 1 }));
    expect(bound({ of: 'changed bits', bits: V })).toBeLessThanOrEqual(bound({ of: 'ceiling' }));
  });

  test.each(['mean', 'contaminated'] as const)('of the %s hold for sources with an escape', (of) => {
    const losses = source.map((loss) => withEscape(loss, V * Math.LN2, decoding));
    const [share, times] = [0.02, 1000];
    const clean = meanOf(losses);
    const truth = of === 'mean' ? clean : (1 - share) * clean + share * calibration.ceiling;
    const count = broken(times, 2, (random) => {
      const found = calibrate(unsorted(source, 100, random), decoding);
      return promise(decoding, found, { of, share, confidence: 0.9 }).bound < truth;
    });
    expect(count).toBeLessThanOrEqual(mostBroken(times, 0.1));
  });

  it('of changed bits hold for rows that cost nearly as much as the ceiling, and then more', () => {
    // Every score is at the cap. 40 of 100 bits are wrong, hardly worse than even odds, and 25 others change.
    const decoding = { V: 100, reconstructionLoss: crossEntropy };
    const [score, right] = [Math.log(3), Math.log(4 / 3)];
    const [before, after] = [100 * right + 40 * score, 100 * right + 65 * score];
    const found = calibrate(new Float64Array(5000).fill(before), decoding);
    expect(before).toBeLessThan(found.ceiling);
    expect(after).toBeGreaterThan(found.ceiling);
    const { bound, cap } = promise(decoding, found, { of: 'changed bits', bits: 25 });
    expect(cap).toBeCloseTo(score, 3);
    expect(bound).toBeGreaterThanOrEqual(after);
    expect(bound).toBeLessThanOrEqual(100 * Math.log(4) + 0.002);
  });

  it('of the tail are the ceiling where every row costs that, though losses are rounded up', () => {
    const found = calibrate(new Float64Array(500).fill(1e6), decoding);
    expect(found.losses[0]).toBeGreaterThan(found.ceiling);
    expect(promise(decoding, found, { of: 'tail' }).bound).toBe(found.ceiling);
  });

  it('say so where even odds would do as well', () => {
    const tiny = calibrate([5, 9], decoding);
    expect(promise(decoding, tiny, { of: 'mean' }).statement).toContain(
      'Guessing every bit at even odds does no worse: it costs 49.91 nats.',
    );
    expect(promise(decoding, calibration, { of: 'mean' }).statement).not.toContain('even odds');
  });

  it('assume one row or several', () => {
    expect(promise(decoding, calibrate([5], decoding), { of: 'mean' }).assumes).toMatch(
      /^The one calibration row is an independent draw from/,
    );
    expect(promise(decoding, calibrate([5, 9], decoding), { of: 'mean' }).assumes).toMatch(
      /^The 2 calibration rows are independent draws from/,
    );
  });

  it('of other losses have no nats', () => {
    const other = { V, reconstructionLoss: hamming };
    const { bound, statement } = promise(other, calibrate([5, 9, 100], other), { of: 'ceiling' });
    expect(bound).toBe(36);
    expect(statement).toContain('hamming loss');
    expect(statement).not.toContain('nats');
  });

  it('from rows that were learned from pay for the description of the weights, and are fewer', () => {
    const learned = { ...calibration, described: { nats: 50, gap: 0.01 } };
    const { bound, method } = promise(decoding, learned, { of: 'mean' });
    expect(bound).toBeGreaterThan(promise(decoding, calibration, { of: 'mean' }).bound + 0.5);
    // New rows may cost more than the best codes would by the gap of theirs.
    const exact = { ...calibration, described: { nats: 50, gap: 0 } };
    expect(bound - promise(decoding, exact, { of: 'mean' }).bound).toBeCloseTo(0.01, 9);
    expect(method).toContain('described');
    expect(() => promise(decoding, learned, { of: 'next row' })).toThrow('took no part in learning');
    expect(promise(decoding, learned, { of: 'ceiling' }).assumes).toBe('Nothing.');
  });

  it('are refused where they make no sense', () => {
    const ask = (asked: object) => () => promise(decoding, calibration, asked as never);
    expect(ask({ of: 'luck' })).toThrow(
      "one of mean, quantile, next row, tail, contaminated, ceiling, changed bits, got 'luck'",
    );
    expect(ask({})).toThrow("say what to promise, as in promise({ of: 'mean' })");
    expect(ask({ of: 'mean', confidence: 1 })).toThrow('confidence must lie between 0 and 1, got 1');
    expect(ask({ of: 'tail', share: 0 })).toThrow('share must lie between 0 and 1, got 0');
    expect(ask({ of: 'changed bits', bits: 73 })).toThrow('bits must be a whole number from 0 to 72, got 73');
  });
});
