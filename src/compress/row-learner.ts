import type { BitCoder } from './bit-coder.ts';
import { ContextCounts } from './context-counts.ts';
import { LOGIT_LIMIT, LOGIT_UNIT, ONE, squash, stretch } from './logistic.ts';
import type { IntegerModel } from './model.ts';
import { type Listening, NEIGHBOURS } from './neighbours.ts';
import { PairWeights, shrinking } from './pair-weights.ts';

/**
 * Predicts the columns of a row one after the other, and learns from each. The logit of a column is a
 * weighted sum of what is known before it comes: the decoder's score for the row's code, the column's rate of
 * ones, how often a one followed the pattern of its neighbours, and the weights of all earlier columns that
 * are not as usual (`PairWeights`). The weights of the sum are the column's own and take a step down the
 * gradient of each entry's cost.
 *
 * Sums, products and quotients only, which IEEE 754 fixes to the last bit: both sides of a stream learn the
 * same.
 */
export class RowLearner {
  private readonly model: IntegerModel;
  private readonly listening: Listening | undefined;
  private readonly scores: Int32Array;
  private readonly rates: Float32Array;
  private readonly counts: ContextCounts[];
  private readonly pairs: PairWeights | undefined;
  private readonly inputs: Float64Array;
  private readonly places: Int32Array;
  /** V x inputs. */
  private readonly weights: Float32Array;
  private readonly offsets: Float32Array;
  private readonly squares: Float32Array;
  private seen = 0;

  constructor(model: IntegerModel, listening?: Listening) {
    const { V, H, bias } = model;
    this.model = model;
    this.listening = listening;
    this.scores = new Int32Array(V);
    this.rates = new Float32Array(V).fill(0.5);
    this.counts = listening ? DEPTHS.map((depth) => new ContextCounts(V, depth)) : [];
    this.pairs = listening && new PairWeights(V, listening);
    this.inputs = new Float64Array(2 + this.counts.length);
    this.places = new Int32Array(this.counts.length);
    this.weights = new Float32Array(V * this.inputs.length);
    this.offsets = new Float32Array(V);
    this.squares = new Float32Array(V);
    // The decoder is trusted at first; without one, the shortest patterns; without any, the rates.
    const trusted = H > 0 || bias ? 0 : listening ? 2 : 1;
    for (let v = 0; v < V; v++) this.weights[v * this.inputs.length + trusted] = 1;
  }

  /** `code` and `bits` hold 0 or 1 for each unit and column; reading fills `bits` in. */
  row(coder: BitCoder, code: Uint8Array, bits: Uint8Array): void {
    const { V, step } = this.model;
    const { scores, rates, counts, pairs, inputs, places, weights, offsets, squares } = this;
    const size = inputs.length;
    const rate = Math.max(SLOWEST, FASTEST / Math.max(1, (this.seen + 1) / 32));
    const settled = Math.min(this.seen, MEMORY) + 2;
    this.score(code);
    pairs?.startRow();
    for (let v = 0; v < V; v++) {
      const score = step * scores[v];
      inputs[0] = Math.max(-LOGIT_LIMIT, Math.min(LOGIT_LIMIT, score)) / LOGIT_UNIT;
      let expected = rates[v];
      inputs[1] = logitOf(expected);
      const pattern = pairs ? this.pattern(v, bits) : 0;
      for (let d = 0; d < counts.length; d++) {
        places[d] = counts[d].place(v, pattern);
        expected = counts[d].estimate(places[d], expected);
        inputs[2 + d] = logitOf(expected);
      }
      let logit = offsets[v];
      for (let k = 0; k < size; k++) logit += inputs[k] * weights[v * size + k];
      // All earlier columns are asked only where the few have left it open: they take most of the time.
      const open = pairs !== undefined && logit < OPEN && logit > -OPEN;
      if (open) logit += pairs.logit(v);
      const probability = squash(Math.floor(logit * LOGIT_UNIT + 0.5));

      const bit = coder.code(bits[v], probability);
      bits[v] = bit;
      const error = bit - probability / ONE;
      // Nothing to learn from what was certain; most entries of most tables are.
      if (error > CERTAIN || error < -CERTAIN) {
        for (let k = 0; k < size; k++) weights[v * size + k] += rate * error * inputs[k];
        squares[v] += error * error;
        offsets[v] += OFFSET * error * shrinking(squares[v]);
        if (open && (error > NEWS || error < -NEWS)) pairs.update(v, error);
      }
      for (let d = 0; d < counts.length; d++) counts[d].update(places[d], bit);
      rates[v] += (bit - rates[v]) / settled;
      pairs?.hear(v, bit);
    }
    this.seen++;
  }

  /**
   * The bits of the column's neighbours, the strongest lowest. A column with too few earlier ones names
   * itself.
   */
  private pattern(v: number, bits: Uint8Array): number {
    const { neighbours } = this.listening as Listening;
    let pattern = 0;
    for (let k = 0; k < NEIGHBOURS; k++) {
      const u = neighbours[v * NEIGHBOURS + k];
      if (u < v && bits[u]) pattern |= 1 << k;
    }
    return pattern;
  }

  /** m = W e, in units of the weights. */
  private score(code: Uint8Array): void {
    const { V, H, bias, columns } = this.model;
    const { scores } = this;
    if (bias) scores.set(columns.subarray(H * V));
    else scores.fill(0);
    for (let h = 0; h < H; h++) {
      const column = columns.subarray(h * V, (h + 1) * V);
      if (code[h]) for (let v = 0; v < V; v++) scores[v] += column[v];
      else for (let v = 0; v < V; v++) scores[v] -= column[v];
    }
  }
}

/** How many neighbours the patterns reach back to: short ones learn fast, long ones end up knowing more. */
const DEPTHS = [3, 6, NEIGHBOURS];
/** Steps of the weights: long in the first 32 rows, then shorter with every row down to the slowest. */
const FASTEST = 0.02;
const SLOWEST = 0.004;
const OFFSET = 0.1;
/** Rates of ones are means over about this many rows. */
const MEMORY = 1000;
/** Errors that the weights of the sum learn from. */
const CERTAIN = 1 / 512;
/** Errors that the weights of pairs learn from. */
const NEWS = 1 / 32;
/** Logits that leave a column open, in nats: a probability between 0.7 % and 99.3 %. */
const OPEN = 5;

function logitOf(probability: number): number {
  return stretch((probability * ONE) | 0) / LOGIT_UNIT;
}
