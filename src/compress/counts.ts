import { ONE } from './logistic.ts';

/**
 * Adaptive probabilities of single bits: each starts at one half and moves towards every bit it sees, by
 * 1/(k+1.5) at its k-th, never by less than 1/`limit`. Whole numbers throughout.
 */
export class Counts {
  private readonly probabilities: Uint16Array;
  private readonly seen: Uint16Array;
  private readonly limit: number;

  constructor(size: number, limit = 255) {
    this.probabilities = new Uint16Array(size).fill(ONE / 2);
    this.seen = new Uint16Array(size);
    this.limit = limit;
  }

  /** The probability of a one, 32 .. 65504: never so sure that a surprise costs more than 11 bits. */
  get(k: number): number {
    return this.probabilities[k];
  }

  update(k: number, bit: number): void {
    const target = bit ? ONE - 32 : 32;
    const p = this.probabilities[k];
    this.probabilities[k] = p + Math.trunc((2 * (target - p)) / (2 * this.seen[k] + 3));
    if (this.seen[k] < this.limit) this.seen[k]++;
  }
}
