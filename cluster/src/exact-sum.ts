/**
 * Sums that are exact: numbers are first rounded to multiples of a power of two, the grid, and added up as
 * whole numbers of it. Whole numbers below 2^53 add up without rounding, so that a sum does not depend on who
 * added which part of it, or in which order. A worker can therefore send one sum over all its shards,
 * whichever they are.
 */
export class ExactSum {
  readonly #grid: number;
  /** Multiples of the grid. */
  readonly #steps: Float64Array;

  constructor(length: number, grid: number) {
    this.#grid = grid;
    this.#steps = new Float64Array(length);
  }

  /** Adds a shard's numbers, each rounded to the grid. */
  add(values: ArrayLike<number>): void {
    for (let k = 0; k < this.#steps.length; k++) this.#steps[k] += Math.round(values[k] / this.#grid);
  }

  /** Adds what `parts` gave elsewhere, for the same grid. */
  addParts(parts: ArrayLike<number>): void {
    for (let k = 0; k < this.#steps.length; k++) this.#steps[k] += parts[k];
  }

  /** The sum in multiples of the grid, in four bytes per number where they are enough. */
  parts(): Int32Array | Float64Array {
    const most = this.#largest();
    return most < 2 ** 31 ? Int32Array.from(this.#steps) : this.#steps;
  }

  total(): Float64Array {
    this.#largest();
    return this.#steps.map((step) => step * this.#grid);
  }

  #largest(): number {
    let most = 0;
    for (const step of this.#steps) {
      if (!(Math.abs(step) < 2 ** 53))
        throw new RangeError(`a sum over rows is not a number or too large: ${step * this.#grid}`);
      most = Math.max(most, Math.abs(step));
    }
    return most;
  }
}

/**
 * The grid of sums over n rows of numbers of about unit size. Rounding is off by at most half of it per
 * shard, about as much as a shard's own sum in float32; and four bytes hold a sum whose mean per row is below
 * 1/2.
 */
export function gridOf(n: number): number {
  return 2 ** (Math.ceil(Math.log2(n)) - 32);
}
