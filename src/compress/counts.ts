import { ONE } from './logistic.ts';

/**
 * Adaptive probabilities of single bits: each starts at one half and moves towards every bit it sees, by
 * 1/(k+1.5) at its k-th, never by less than about 1/`LIMIT`. Whole numbers throughout.
 */
export class Counts {
  private readonly probabilities: Uint16Array;
  private readonly seen: Uint16Array;

  constructor(size: number) {
    this.probabilities = new Uint16Array(size).fill(ONE / 2);
    this.seen = new Uint16Array(size);
  }

  /** The probability of a one, 32 .. 65504: never so sure that a surprise costs more than 11 bits. */
  get(k: number): number {
    return this.probabilities[k];
  }

  update(k: number, bit: number): void {
    const target = bit ? ONE - 32 : 32;
    const p = this.probabilities[k];
    this.probabilities[k] = p + Math.trunc((2 * (target - p)) / (2 * this.seen[k] + 3));
    if (this.seen[k] < LIMIT) this.seen[k]++;
  }
}

const LIMIT = 127;
