import type { BitCoder } from './bit-coder.ts';
import { Counts } from './counts.ts';
import { LOGIT_UNIT } from './logistic.ts';

/** A decoder in whole numbers. */
export interface IntegerModel {
  readonly V: number;
  readonly H: number;
  readonly bias: boolean;
  /** One unit of a weight, in units of 1/256 nat. */
  readonly step: number;
  /** The columns of W one after the other, (H or H + 1) x V; |w| < 2^15. */
  readonly columns: Int32Array;
}

/** No decoder: what a table of V columns (or a code of V bits) shows by itself is all there is to go by. */
export function noDecoder(V: number): IntegerModel {
  return { V, H: 0, bias: false, step: 1, columns: new Int32Array(0) };
}

/** Rounds W (V x width) to multiples of step/256 nat. */
export function quantise(W: Float32Array, V: number, width: number, step: number): Int32Array {
  const columns = new Int32Array(width * V);
  for (let v = 0; v < V; v++) {
    for (let h = 0; h < width; h++) {
      const w = W[v * width + h];
      if (!Number.isFinite(w)) {
        throw new RangeError(
          `W: the weight of column ${v + 1}, unit ${h + 1} is ${w}, expected a finite number`,
        );
      }
      const units = Math.round((w * LOGIT_UNIT) / step);
      columns[h * V + v] = Math.max(-LARGEST, Math.min(LARGEST, units));
    }
  }
  return columns;
}

/** 127 nats at the finest step: beyond any score that matters. */
const LARGEST = 2 ** 15 - 1;

/**
 * Codes a model's numbers; reading fills `columns` in. A weight is predicted by that of the column before.
 */
export function codeModel(coder: BitCoder, model: IntegerModel): void {
  const { V, columns } = model;
  const width = model.bias ? model.H + 1 : model.H;
  for (let h = 0; h < width; h++) {
    const numbers = new NumberCoder(coder);
    let expected = 0;
    for (let k = h * V; k < (h + 1) * V; k++) {
      expected += numbers.code(columns[k] - expected);
      columns[k] = expected;
    }
  }
}

/** Small signed integers: the magnitude's length in unary (adaptive), then its lower bits and the sign. */
class NumberCoder {
  private readonly coder: BitCoder;
  private readonly lengths = new Counts(LONGEST + 1);
  private readonly high = new Counts(LONGEST + 1);
  private readonly sign = new Counts(1);

  constructor(coder: BitCoder) {
    this.coder = coder;
  }

  code(value: number): number {
    const magnitude = Math.abs(value);
    const length = this.length(32 - Math.clz32(magnitude));
    if (length === 0) return 0;
    // The leading bit is certain, the second is adaptive, the others are taken as even.
    let result = 1;
    for (let k = length - 2; k >= 0; k--) {
      const bit = (magnitude >> k) & 1;
      result =
        2 * result + (k === length - 2 ? this.adaptive(this.high, length, bit) : this.coder.code(bit, 32768));
    }
    return this.adaptive(this.sign, 0, value < 0 ? 1 : 0) ? -result : result;
  }

  private length(length: number): number {
    for (let k = 0; k < LONGEST; k++) if (!this.adaptive(this.lengths, k, length > k ? 1 : 0)) return k;
    return LONGEST;
  }

  private adaptive(counts: Counts, k: number, bit: number): number {
    const coded = this.coder.code(bit, counts.get(k));
    counts.update(k, coded);
    return coded;
  }
}

/** Bits of the largest magnitude: a difference of two weights. */
const LONGEST = 17;
