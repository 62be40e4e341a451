import { WORD_RIDGE } from '../engine/word-codes.ts';
import { factor } from '../math/linear.ts';
import { HALF } from '../search/tables.ts';

/**
 * The words (16 halves x V) whose sums come closest to the vectors, given which of them each vector has
 * chosen: the least-squares fit of W in x = W f(e), where f(e) has a one for the value of each half byte of
 * the code, with a ridge. From one fit to the next only the choices that changed are counted anew; late in
 * learning those are few.
 */
export class WordFit {
  readonly #vectors: Float32Array;
  readonly #V: number;
  readonly #halves: number;
  /** The word that each half byte of each vector was counted for, or `NONE`. */
  readonly #counted: Uint8Array;
  /**
   * How many vectors have chosen two words together: the lower triangle of f f^T, summed over the vectors.
   */
  readonly #together: Int32Array;
  /** The sums of the vectors that have chosen a word. */
  readonly #sums: Float64Array;

  constructor(vectors: Float32Array, V: number, halves: number) {
    const K = HALF * halves;
    this.#vectors = vectors;
    this.#V = V;
    this.#halves = halves;
    this.#counted = new Uint8Array((vectors.length / V) * halves).fill(NONE);
    this.#together = new Int32Array(K * K);
    this.#sums = new Float64Array(K * V);
  }

  fit(chosen: Uint8Array): Float32Array {
    const halves = this.#halves;
    const n = chosen.length / halves;
    // Some vectors at a time, one half byte after the other: its 16 words and their counts stay in the cache.
    for (let first = 0; first < n; first += BLOCK) {
      const end = Math.min(n, first + BLOCK);
      for (let m = 0; m < halves; m++) {
        for (let i = first; i < end; i++) {
          const word = chosen[i * halves + m];
          if (word !== this.#counted[i * halves + m]) this.#recount(i, m, word);
        }
      }
    }
    const K = HALF * halves;
    const together = new Float64Array(this.#together);
    for (let k = 0; k < K; k++) together[k * K + k] += WORD_RIDGE;
    const words = this.#sums.slice();
    solveAll(factor(together, K, 1e-9), words, K, this.#V);
    return Float32Array.from(words);
  }

  /** Half byte m of vector i takes another word. */
  #recount(i: number, m: number, word: number): void {
    const k = i * this.#halves + m;
    const before = this.#counted[k];
    if (before !== NONE) this.#count(i, m, HALF * m + before, -1);
    this.#count(i, m, HALF * m + word, 1);
    this.#counted[k] = word;
  }

  #count(i: number, m: number, place: number, times: 1 | -1): void {
    const [V, halves] = [this.#V, this.#halves];
    const K = HALF * halves;
    const [together, sums, vectors, counted] = [this.#together, this.#sums, this.#vectors, this.#counted];
    together[place * K + place] += times;
    for (let j = 0; j < halves; j++) {
      const word = counted[i * halves + j];
      if (j === m || word === NONE) continue;
      const other = HALF * j + word;
      together[j < m ? place * K + other : other * K + place] += times;
    }
    for (let v = 0; v < V; v++) sums[place * V + v] += times * vectors[i * V + v];
  }
}

const NONE = 255;
const BLOCK = 512;

/** Solves L L^T Y = B in place, for the V columns of B at once. */
function solveAll(L: Float64Array, B: Float64Array, K: number, V: number): void {
  const subtract = (to: number, from: number, factor: number) => {
    const [a, b] = [to * V, from * V];
    for (let v = 0; v < V; v++) B[a + v] -= factor * B[b + v];
  };
  const divide = (k: number) => {
    const scale = 1 / L[k * K + k];
    for (let v = k * V; v < (k + 1) * V; v++) B[v] *= scale;
  };
  for (let k = 0; k < K; k++) {
    for (let j = 0; j < k; j++) subtract(k, j, L[k * K + j]);
    divide(k);
  }
  for (let k = K - 1; k >= 0; k--) {
    for (let j = k + 1; j < K; j++) subtract(k, j, L[j * K + k]);
    divide(k);
  }
}
