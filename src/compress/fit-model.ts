import { inPieces, type Steps } from '../rows/breath.ts';
import { BitWriter } from './bit-coder.ts';
import { packModel } from './format.ts';
import { ONE, squash } from './logistic.ts';
import { type IntegerModel, quantise } from './model.ts';
import { chooseNeighbours, type Residuals } from './neighbours.ts';
import { RowPredictor } from './predict-rows.ts';

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
 * The integer model that makes the file smallest: coarser weights take fewer bytes and cost residuals, neighbours
 * cost bytes and save residuals. Both are tried on the sample and its residuals counted up to `n` rows.
 */
export function* fitModel(model: FloatModel, sample: Sample, n: number): Steps<IntegerModel> {
  let best = yield* tried(plainModel(model, STEPS[0]), sample, n);
  if (model.V <= WIDEST && sample.n > 0) {
    const neighbours = yield* chooseNeighbours(yield* residualsOf(best.model, sample), NEIGHBOURS);
    best = better(best, yield* tried({ ...best.model, K: NEIGHBOURS, neighbours }, sample, n));
  }
  for (const step of STEPS.slice(1)) {
    const { columns } = plainModel(model, step);
    const next = yield* tried({ ...best.model, step, columns }, sample, n);
    if (next.size >= best.size) break;
    best = next;
  }
  return best.model;
}

/** Units of a weight, in 1/256 nat: 1/16 nat and coarser. */
const STEPS = [16, 32, 64, 128, 256];
const NEIGHBOURS = 10;
/** Correlating all pairs of columns is for tables up to this width. */
const WIDEST = 4096;

interface Tried {
  readonly model: IntegerModel;
  readonly size: number;
}

function better(a: Tried, b: Tried): Tried {
  return b.size < a.size ? b : a;
}

function plainModel({ V, H, bias, W }: FloatModel, step: number): IntegerModel {
  const columns = quantise(W, V, bias ? H + 1 : H, step);
  return { V, H, bias, step, columns, K: 0, neighbours: new Int32Array(0) };
}

function* tried(model: IntegerModel, sample: Sample, n: number): Steps<Tried> {
  const { V, H } = model;
  const writer = new BitWriter();
  const predictor = new RowPredictor(model);
  yield* inPieces(sample.n, 1, (i) => {
    predictor.row(writer, sample.codes.subarray(i * H, (i + 1) * H), sample.bits.slice(i * V, (i + 1) * V));
  });
  const residual = sample.n > 0 ? (writer.finish().length * n) / sample.n : 0;
  return { model, size: packModel(model).length + residual };
}

function* residualsOf(model: IntegerModel, sample: Sample): Steps<Residuals> {
  const { V, H, bias, step, columns } = model;
  const n = Math.min(sample.n, Math.max(1, Math.floor(PRODUCTS / (V * V))));
  const values = new Float32Array(V * n);
  yield* inPieces(n, 1, (i) => {
    for (let v = 0; v < V; v++) {
      let score = bias ? columns[H * V + v] : 0;
      for (let h = 0; h < H; h++) score += sample.codes[i * H + h] ? columns[h * V + v] : -columns[h * V + v];
      values[v * n + i] = sample.bits[i * V + v] - squash(score * step) / ONE;
    }
  });
  return { V, n, values };
}

/** Work that correlating may take: a few seconds. */
const PRODUCTS = 4e9;
