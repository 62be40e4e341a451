import { LOGIT_LIMIT, ONE, squash } from './logistic.ts';

/**
 * Logistic regressions that learn as they go, one a column: the probability of a bit is the logistic function of a
 * weighted sum of inputs, and after each bit the weights take a step down the gradient of its cost. Both sides of
 * a stream see the same bits, so they hold the same weights and none need be stored.
 *
 * Inputs are logits in units of 1/256 nat, weights integers in units of 2^-16. Products and sums stay far below
 * 2^53, so they are exact.
 */
export class OnlineLogit {
  /** Set these before `predict`. */
  readonly inputs: Float64Array;
  /** columns x inputs. */
  private readonly weights: Int32Array;
  private readonly size: number;
  private readonly slowest: number;
  private at = 0;
  private probability = 0;

  constructor(columns: number, inputs: number, slowest: number) {
    this.size = inputs;
    this.inputs = new Float64Array(inputs);
    this.weights = new Int32Array(columns * inputs);
    this.slowest = slowest;
  }

  /** Starts every column with weight 1 on one input. */
  trust(input: number): void {
    for (let k = input; k < this.weights.length; k += this.size) this.weights[k] = ONE;
  }

  predict(column: number, used = this.size): number {
    this.at = column * this.size;
    let sum = 0;
    for (let k = 0; k < used; k++) sum += this.inputs[k] * this.weights[this.at + k];
    const logit = Math.max(-LOGIT_LIMIT, Math.min(LOGIT_LIMIT, Math.floor(sum / ONE)));
    this.probability = squash(logit);
    return this.probability;
  }

  /** `seen` is the number of rows before this one: early steps are long, later ones settle at 2^-slowest. */
  update(bit: number, seen: number, used = this.size): void {
    const error = (bit ? ONE : 0) - this.probability;
    // Nothing to learn from what was certain; most entries of most tables are.
    if (error < CERTAIN && error > -CERTAIN) return;
    const rate = Math.min(this.slowest, FASTEST + Math.max(0, 27 - Math.clz32(seen)));
    const scale = 2 ** -(8 + rate);
    for (let k = 0; k < used; k++) {
      const moved = this.weights[this.at + k] + Math.floor(this.inputs[k] * error * scale + 0.5);
      this.weights[this.at + k] = Math.max(-LARGEST, Math.min(LARGEST, moved));
    }
  }
}

/** Steps start at 2^-FASTEST and halve with every doubling of the rows seen beyond 32. */
const FASTEST = 5;
/** 1/512. */
const CERTAIN = ONE >> 9;
const LARGEST = 16 * ONE;
