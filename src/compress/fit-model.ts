import type { Steps } from '../rows/breath.ts';
import { type BitCoder, BitMeter } from './bit-coder.ts';
import { packModel } from './format.ts';
import { type IntegerModel, noDecoder, quantise } from './model.ts';
import { RowPredictor } from './predict-rows.ts';
import { RowLearner } from './row-learner.ts';

/** Rows and codes to choose by: n x V and n x H zeros and ones. */
export interface Sample {
  readonly n: number;
  readonly bits: Uint8Array;
  readonly codes: Uint8Array;
}

export interface FloatModel {
  readonly V: number;
  readonly H: number;
  readonly bias: boolean;
  readonly W: Float32Array;
}

/**
 * The integer model that makes the file smallest: coarser weights take fewer bytes and cost residuals. How
 * coarse is tried with the decoder alone, which is quick; `listening` then says what the file takes with
 * everything.
 */
export function* fitModel(model: FloatModel, sample: Sample, n: number): Steps<IntegerModel> {
  let best = rounded(model, STEPS[0]);
  if (best.columns.length === 0) return best;
  let size = yield* sizeOf(best, sample, n, alone);
  for (const step of STEPS.slice(1)) {
    const next = rounded(model, step);
    const nextSize = yield* sizeOf(next, sample, n, alone);
    if (nextSize >= size) break;
    [best, size] = [next, nextSize];
  }
  return best;
}

/** The bytes that a file of n rows is likely to take. */
export function* estimate(model: FloatModel, sample: Sample, n: number): Steps<number> {
  return yield* sizeOf(yield* fitModel(model, sample, n), sample, n, listening);
}

/** Units of a weight, in 1/256 nat: 1/16 nat and coarser. */
const STEPS = [16, 32, 64, 128, 256];

function rounded({ V, H, bias, W }: FloatModel, step: number): IntegerModel {
  return { V, H, bias, step, columns: quantise(W, V, bias ? H + 1 : H, step) };
}

type Predicts = (model: IntegerModel) => (coder: BitCoder, code: Uint8Array, bits: Uint8Array) => Steps<void>;

const listening: Predicts = (model) => {
  const predictor = new RowPredictor(model);
  return (coder, code, bits) => predictor.row(coder, code, bits);
};

const alone: Predicts = (model) => {
  const learner = new RowLearner(model);
  return function* row(coder, code, bits) {
    learner.row(coder, code, bits);
    yield;
  };
};

/**
 * Later rows cost less than the first, so rows beyond the sample are assumed to cost as much as its second
 * half.
 */
function* sizeOf(model: IntegerModel, sample: Sample, n: number, predicts: Predicts): Steps<number> {
  const { V, H } = model;
  const meter = new BitMeter();
  const codes = predicts(noDecoder(H));
  const rows = predicts(model);
  const half = sample.n >> 1;
  let first = 0;
  for (let i = 0; i < sample.n; i++) {
    if (i === half) first = meter.total;
    const code = sample.codes.slice(i * H, (i + 1) * H);
    yield* codes(meter, NOTHING, code);
    yield* rows(meter, code, sample.bits.slice(i * V, (i + 1) * V));
  }
  const later = sample.n > 0 ? ((meter.total - first) * (n - half)) / (sample.n - half) : 0;
  return packModel(model).length + (first + later) / 8;
}

/** The code of a code. */
export const NOTHING = new Uint8Array(0);
