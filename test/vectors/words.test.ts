import fc from 'fast-check';
import { expect, test } from 'vitest';
import { WordFit } from '../../src/vectors/words.ts';
import { holds } from '../property.ts';

test('words are the least-squares fit with the ridge, also after some choices have changed', () => {
  holds(
    fc.property(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.tuple(fc.nat(), fc.nat(), fc.double({ min: -1, max: 1, noNaN: true })), {
        minLength: 6,
        maxLength: 12,
      }),
      (V, halves, seeds) => {
        const n = seeds.length;
        const vectors = Float32Array.from({ length: n * V }, (_, k) => Math.cos(k + seeds[k % n][2]));
        const choose = (which: 0 | 1) =>
          Uint8Array.from({ length: n * halves }, (_, k) => (seeds[k % n][which] + k * which) % 16);
        const fit = new WordFit(vectors, V, halves);
        fit.fit(choose(0));
        const chosen = choose(1);
        const words = fit.fit(chosen);
        expectStationary(vectors, V, halves, chosen, words);
      },
    ),
    { seed: 1, numRuns: 30 },
  );
});

/** At the fit, what the sums leave of the vectors that chose a word adds up to the ridge times the word. */
function expectStationary(
  vectors: Float32Array,
  V: number,
  halves: number,
  chosen: Uint8Array,
  words: Float32Array,
): void {
  const slopes = new Float64Array(words.length);
  for (let i = 0; i < vectors.length / V; i++) {
    for (let v = 0; v < V; v++) {
      const places = Array.from({ length: halves }, (_, m) => (16 * m + chosen[i * halves + m]) * V + v);
      const left = vectors[i * V + v] - places.reduce((sum, place) => sum + words[place], 0);
      for (const place of places) slopes[place] += left;
    }
  }
  slopes.forEach((slope, k) => {
    expect(Math.abs(slope - words[k])).toBeLessThan(1e-5);
  });
}
