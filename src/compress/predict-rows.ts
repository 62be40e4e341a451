import type { BitCoder } from './bit-coder.ts';
import { Counts } from './counts.ts';
import { LOGIT_LIMIT, LOGIT_UNIT, ONE, squash, stretch } from './logistic.ts';
import type { IntegerModel } from './model.ts';
import { OnlineLogit } from './online-logit.ts';

/**
 * Rows, given their codes: the decoder's score of every column, corrected by what the row has already shown.
 *
 * The decoder's probabilities are independent given the code; real data are not. Each column v therefore listens
 * to a few earlier columns, chosen by the writer: to how far each of them came out from what was expected, and to
 * how often v was a one after just this pattern of them. What that is worth is learnt on the way (OnlineLogit).
 */
export class RowPredictor {
  private readonly model: IntegerModel;
  private readonly scores: Int32Array;
  /** x - p in units of 1/512: by how much each column of the row at hand surprised the decoder alone. */
  private readonly surprise: Int32Array;
  /** For each of the depths: how often a one followed each pattern of that many neighbours. */
  private readonly counts: Counts[];
  private readonly logit: OnlineLogit;
  private seen = 0;

  constructor(model: IntegerModel) {
    const { V, K } = model;
    this.model = model;
    this.scores = new Int32Array(V);
    this.surprise = new Int32Array(V);
    this.counts = depths(K).map((depth) => new Counts(V << depth));
    this.logit = new OnlineLogit(V, 2 + this.counts.length + K, 7);
    this.logit.trust(0);
  }

  /** `code` and `bits` hold 0 or 1 for each unit and column; reading fills `bits` in. */
  row(coder: BitCoder, code: Uint8Array, bits: Uint8Array): void {
    const { V, K, step, neighbours } = this.model;
    const { logit, counts, scores, surprise } = this;
    const { inputs } = logit;
    this.score(code);
    inputs[1] = LOGIT_UNIT;
    const depth = depths(K);
    const at = depth.map(() => 0);
    const first = 2 + counts.length;
    for (let v = 0; v < V; v++) {
      const score = Math.max(-LOGIT_LIMIT, Math.min(LOGIT_LIMIT, step * scores[v]));
      let pattern = 0;
      inputs[0] = score;
      for (let k = 0; k < K; k++) {
        const u = neighbours[v * K + k];
        // A column without enough earlier ones names itself: it hears nothing.
        inputs[first + k] = u < v ? surprise[u] : 0;
        if (u < v && bits[u]) pattern += 1 << k;
      }
      for (let d = 0; d < counts.length; d++) {
        at[d] = (v << depth[d]) | (pattern & ((1 << depth[d]) - 1));
        inputs[2 + d] = stretch(counts[d].get(at[d]));
      }
      const bit = coder.code(bits[v], logit.predict(v));
      bits[v] = bit;
      logit.update(bit, this.seen);
      for (let d = 0; d < counts.length; d++) counts[d].update(at[d], bit);
      surprise[v] = ((bit ? ONE : 0) - squash(score)) >> 7;
    }
    this.seen++;
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
const DEPTHS = [3, 6, 10];

function depths(K: number): number[] {
  return DEPTHS.filter((depth) => depth <= K);
}
