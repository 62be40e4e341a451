import type { Listening } from './neighbours.ts';

/**
 * A logistic regression of each column on all earlier ones, learned as it goes: to the logit of column v
 * every earlier column that is not as usual adds a weight of its own. Rows with few unusual entries cost
 * little.
 *
 * A weight moves against the gradient by a step that shrinks with the squares of its earlier gradients (Duchi
 * et al. 2011).
 */
export class PairWeights {
  /** A triangle: the weights of column v begin at v (v - 1) / 2. */
  private readonly weights: Float32Array;
  private readonly squares: Float32Array;
  private readonly usual: Uint8Array;
  private readonly rate: number;
  /** The columns of the row at hand that were not as usual. */
  private readonly unusual: Int32Array;
  private count = 0;

  constructor(V: number, { usual, unusual }: Pick<Listening, 'usual' | 'unusual'>) {
    this.weights = new Float32Array((V * (V - 1)) / 2);
    this.squares = new Float32Array((V * (V - 1)) / 2);
    this.usual = usual;
    // The more weights move at once, the less each of them may.
    this.rate = RATE * inverseRoot(1 + unusual);
    this.unusual = new Int32Array(V);
  }

  startRow(): void {
    this.count = 0;
  }

  logit(v: number): number {
    const { weights, unusual, count } = this;
    const start = (v * (v - 1)) / 2;
    let sum = 0;
    for (let k = 0; k < count; k++) sum += weights[start + unusual[k]];
    return sum;
  }

  /** `error` is the bit of column v less the probability it was given. */
  update(v: number, error: number): void {
    const { weights, squares, unusual, count } = this;
    const start = (v * (v - 1)) / 2;
    const square = error * error;
    const step = this.rate * error;
    for (let k = 0; k < count; k++) {
      const at = start + unusual[k];
      squares[at] += square;
      weights[at] += step * shrinking(squares[at]);
    }
  }

  /** Column v has come out. */
  hear(v: number, bit: number): void {
    if (bit !== this.usual[v]) this.unusual[this.count++] = v;
  }
}

const RATE = 0.3;

const STEPS = 4096;
/** 1 / sqrt(1 + x) in steps of a quarter: products and quotients alone, the same on every machine. */
const SHRINKING = Float64Array.from({ length: STEPS }, (_, k) => inverseRoot(1 + (k + 0.5) / 4));

export function shrinking(x: number): number {
  // Math.floor and Math.min would take longer, and every pair that learns passes here.
  const k = (4 * x) | 0;
  return SHRINKING[k < STEPS ? k : STEPS - 1];
}

/** 1 / sqrt(x) for x >= 1, by Newton's steps towards the root from above. */
export function inverseRoot(x: number): number {
  let root = x;
  for (let k = 0; k < 40; k++) root = (root + x / root) / 2;
  return 1 / root;
}
