import { describe, expect, it, test } from 'vitest';
import { fillThreshold } from '../../src/promises/filled.ts';
import { meanBound } from '../../src/promises/mean.ts';
import { broken, mostBroken, uniforms } from './sources.ts';

/** A model of entries: how sure it is of a guess is drawn, and how often such guesses are wrong is known. */
interface Guesser {
  /** Probabilities that the model gives to its guess, each as likely. */
  readonly sure: readonly number[];
  /** How often a guess of this probability is wrong. */
  readonly wrong: (sure: number) => number;
}

const levels = Array.from({ length: 40 }, (_, i) => 1 / (1 + Math.exp(-0.25 * i - 0.1)));
const guessers: Readonly<Record<string, Guesser>> = {
  calibrated: { sure: levels, wrong: (p) => 1 - p },
  'too sure': { sure: levels, wrong: (p) => Math.min(0.5, 4 * (1 - p) + 0.004) },
  'worst where it is surest': { sure: levels, wrong: (p) => (p > 0.999 ? 0.1 : p > 0.9 ? 0.004 : 0.2) },
  'never wrong': { sure: [0.7, 0.9, 0.99], wrong: () => 0 },
  'ever wrong': { sure: [0.7, 0.9, 0.99], wrong: () => 1 },
  'just not good enough': { sure: [0.9], wrong: () => 0.0501 },
};
const WRONG = 0.05;

/** Entries of one row are equally sure and share their luck in part, as entries of real rows do. */
function guess(guesser: Guesser, n: number, perRow: number, random: () => number) {
  const values = new Float32Array(n * perRow);
  for (let i = 0; i < n; i++) {
    const luck = random();
    for (let k = 0; k < perRow; k++) {
      const sure = guesser.sure[Math.floor(random() * guesser.sure.length)];
      const isWrong = (random() < 0.5 ? luck : random()) < guesser.wrong(sure);
      values[i * perRow + k] = isWrong ? -sure : sure;
    }
  }
  return { perRow, values };
}

/**
 * Rows of two kinds, each as likely: those with few hidden entries are guessed well, those with many badly.
 * As rows 2% of the guesses are wrong, as entries 3.6% are.
 */
function unlike(n: number, random: () => number) {
  const perRow = 10;
  const values = new Float32Array(n * perRow);
  for (let i = 0; i < n; i++) {
    const [count, wrong] = random() < 0.5 ? [1, 0] : [9, 0.04];
    for (let k = 0; k < count; k++) values[i * perRow + k] = random() < wrong ? -0.99 : 0.99;
  }
  return { perRow, values };
}

/** The share of what a threshold fills that is wrong, in truth. */
function truth({ sure, wrong }: Guesser, threshold: number): number {
  const filled = sure.filter((p) => Math.fround(p) >= threshold);
  return filled.length === 0 ? 0 : filled.reduce((sum, p) => sum + wrong(p), 0) / filled.length;
}

describe('entries filled in', () => {
  const cases = Object.keys(guessers).flatMap((name) =>
    [
      [20, 1],
      [300, 1],
      [150, 6],
    ].map(([n, perRow]) => [name, n, perRow] as const),
  );
  test.each(cases)(
    '%s, %i rows with %i guesses: too many are wrong as seldom as allowed',
    (name, n, perRow) => {
      const guesser = guessers[name];
      const times = 1000;
      const count = broken(times, n, (random) => {
        const guesses = guess(guesser, n, perRow, random);
        return truth(guesser, fillThreshold(guesses, WRONG, -Math.log(0.1)).threshold) > WRONG;
      });
      expect(count).toBeLessThanOrEqual(mostBroken(times, 0.1));
    },
  );

  it('count by entry, not by row, where some rows lack more of them than others', () => {
    const filledAt = (wrong: number) => (random: () => number) =>
      fillThreshold(unlike(1500, random), wrong, -Math.log(0.1)).threshold <= 0.99;
    expect(broken(60, 7, filledAt(0.0355))).toBeLessThanOrEqual(mostBroken(60, 0.1));
    expect(broken(20, 8, filledAt(0.05))).toBe(20);
  });

  it('are as many as the guesses justify, or nearly so', () => {
    const guesses = guess(guessers.calibrated, 20_000, 3, uniforms(4));
    const { threshold, filled, wrong } = fillThreshold(guesses, WRONG, -Math.log(0.01));
    expect(wrong).toBeLessThanOrEqual(WRONG);
    expect(filled).toBeGreaterThan(0.9);
    expect(truth(guessers.calibrated, threshold)).toBeGreaterThan(0.8 * WRONG);
  });

  it('are filled exactly where the bound on the share of wrong ones is what was allowed, or less', () => {
    // One guess a row, all equally sure: the share of wrong ones is a mean, tested from the one start that
    // they pass.
    const evidence = -Math.log(0.01);
    const [n, sure] = [4000, 0.9999999];
    const outcomes = Array.from({ length: 81 }, (_, k) => {
      const wrong = Float64Array.from({ length: n }, (_, i) => (i < 110 + k ? 1 : 0));
      const values = Float32Array.from(wrong, (isWrong) => (isWrong ? -sure : sure));
      const { filled } = fillThreshold({ perRow: 1, values }, WRONG, evidence);
      expect(filled, `${110 + k} wrong`).toBe(meanBound(wrong, 1, evidence + Math.log(7)) <= WRONG ? 1 : 0);
      return filled;
    });
    expect(new Set(outcomes).size).toBe(2);
  });

  it('are none where nothing can be said', () => {
    const few = guess(guessers['never wrong'], 20, 1, uniforms(5));
    expect(fillThreshold(few, WRONG, -Math.log(0.01))).toEqual({ threshold: 2, filled: 0, wrong: 0 });
    const none = { perRow: 2, values: new Float32Array(20) };
    expect(fillThreshold(none, WRONG, -Math.log(0.01)).filled).toBe(0);
  });
});
