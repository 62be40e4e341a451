import type { Engine, Floats, Point, Shape } from '../../engine/engine.ts';
import type { Loss } from '../../losses/loss.ts';
import { sum } from '../../rows/sum.ts';
import type { PlacedBlock, TrainingData } from '../data.ts';
import { bitLosses } from '../look.ts';

/** The convex problem of every bit at once, for the codes as they are (App. C.1). */
export interface RelaxedProblem {
  readonly data: TrainingData;
  readonly shape: Shape;
  /** Moved. */
  readonly W: Floats;
  /** One code for each row of the data. */
  readonly E: Floats;
  readonly loss: Loss;
  /** eps_v / 2 for each weight, `FORBIDDEN` where it must not exist: V x width. */
  readonly prices: Float32Array;
}

/**
 * argmin over W of the mean loss + sum prices |w|, by proximal Newton steps: each bit's loss is replaced by
 * the quadratic that touches it, whose Hessian is estimated from some of the rows, and the minimum of that
 * with the penalty is found one weight at a time, which leaves exact zeros. A bit whose objective rises stays
 * where it was and takes a shorter step next time. Ends when the next round is expected to gain less than
 * `tolerance`, in the unit of the loss per row whose columns have weight 1 in the mean.
 */
export async function relaxWeights(
  engine: Engine,
  problem: RelaxedProblem,
  { tolerance, rounds = ROUNDS, over }: RelaxOptions,
): Promise<void> {
  const { shape, W, prices, data, E } = problem;
  const { V } = shape;
  const width = W.length / V;
  const sample = await sampleOf(data, E, Math.min(data.n, sampleRows(V, width)), width);
  const columnWeights = data.columnWeights?.values;
  const enough = tolerance * (columnWeights ? sum(columnWeights) / V : 1);
  const damping = new Float64Array(V).fill(FIRST_DAMPING);
  const values = await objectives(engine, problem);
  for (let round = 0; round < rounds && !over?.(); round++) {
    const before = await W.read();
    const gradient = await meanGradient(engine, problem);
    const after = before.slice();
    let gain = 0;
    for (let v = 0; v < V; v++) {
      await engine.turn();
      const columnWeight = columnWeights?.[v] ?? 1;
      const bit = { v, width, gradient, prices, sample, columnWeight, loss: problem.loss };
      gain += newtonStep(bit, after, damping[v]);
    }
    W.write(after);
    const tried = await objectives(engine, problem);
    for (let v = 0; v < V; v++) {
      const rises = tried[v] > values[v] + ROUNDING * Math.abs(values[v]);
      damping[v] = rises ? Math.max(1, 8 * damping[v]) : damping[v] / 4;
      if (rises) after.set(before.subarray(v * width, (v + 1) * width), v * width);
      else values[v] = tried[v];
    }
    W.write(after);
    if (gain <= enough) break;
  }
}

interface RelaxOptions {
  readonly tolerance: number;
  readonly rounds?: number;
  /** Whether time is over. */
  readonly over?: () => boolean;
}

/** Gradient of the mean loss in W at the present codes, V x width: half the residual of the correlations. */
async function meanGradient(engine: Engine, problem: Omit<RelaxedProblem, 'prices'>): Promise<Float64Array> {
  const { data, W } = problem;
  const sums = engine.floats(W.length);
  const gradient = new Float64Array(W.length);
  for await (const placed of data.blocks()) {
    await engine.gradients(pointAt(problem, placed), { weights: sums });
    (await sums.read()).forEach((sum, i) => {
      gradient[i] += sum / data.n;
    });
  }
  sums.free();
  return gradient;
}

function pointAt(problem: Omit<RelaxedProblem, 'prices'>, placed: PlacedBlock): Point {
  const { data, shape, W, E, loss } = problem;
  const { block, offset } = placed;
  const rowWeights = placed.rowWeights?.floats;
  const columnWeights = data.columnWeights?.floats;
  return { block, shape, W, E, offset, loss, rowWeights, columnWeights };
}

/** The objective of each bit: its mean loss and the price of its weights. */
async function objectives(engine: Engine, problem: RelaxedProblem): Promise<Float64Array> {
  const { data, shape, prices } = problem;
  const out = new Float64Array(shape.V);
  for await (const placed of data.blocks()) {
    (await bitLosses(engine, pointAt(problem, placed))).forEach((mean, v) => {
      out[v] += (mean * placed.block.n) / data.n;
    });
  }
  const W = await problem.W.read();
  const width = W.length / shape.V;
  for (let k = 0; k < W.length; k++) out[Math.floor(k / width)] += prices[k] * Math.abs(W[k]);
  return out;
}

/** Enough where codes move on afterwards. */
const ROUNDS = 8;
/** A first guess at how much the rows that were not sampled bend more than those that were. */
const FIRST_DAMPING = 0.1;
/** Relative error of a bit's loss, summed in float32. */
const ROUNDING = 1e-6;
/** Weights at zero whose gradient comes this close to their price may leave it. */
const NEARLY = 0.9;
const SWEEPS = 60;

/** Enough rows for a Hessian, within a few seconds for all bits. */
function sampleRows(V: number, width: number): number {
  return Math.round(Math.min(2000, Math.max(4 * width, 2e9 / (V * width * width))));
}

/** Codes of the first rows, and what each of them counts. */
interface Sample {
  readonly codes: Float32Array;
  readonly rowWeights?: Float32Array;
}

async function sampleOf(data: TrainingData, E: Floats, count: number, width: number): Promise<Sample> {
  const codes = await E.read(0, count * width);
  // Rows with weights are all in one block.
  for await (const { rowWeights } of data.blocks())
    return { codes, rowWeights: rowWeights?.values.subarray(0, count) };
  return { codes };
}

interface Bit {
  readonly v: number;
  readonly width: number;
  readonly gradient: Float64Array;
  readonly prices: Float32Array;
  readonly sample: Sample;
  readonly columnWeight: number;
  readonly loss: Loss;
}

/** Moves bit v's weights to the minimum of its penalised quadratic model; returns the predicted gain. */
function newtonStep(bit: Bit, W: Float32Array, damping: number): number {
  const { v, width, gradient, prices } = bit;
  const first = v * width;
  const active: number[] = [];
  for (let h = 0; h < width; h++) {
    const price = prices[first + h];
    if (W[first + h] !== 0 || Math.abs(gradient[first + h]) > NEARLY * price) active.push(h);
  }
  const D = sampledHessian(bit, W, active, damping);
  const size = active.length;
  const step = new Float64Array(size);
  const slope = Float64Array.from(active, (h) => gradient[first + h]);
  for (let sweep = 0, moved = true; moved && sweep < SWEEPS; sweep++) {
    moved = false;
    for (let i = 0; i < size; i++) {
      const at = first + active[i];
      const bend = D[i * size + i];
      const z = W[at] + step[i];
      const target = softThreshold(z - slope[i] / bend, prices[at] / bend);
      const change = target - z;
      if (Math.abs(change) <= 1e-7 * (1 + Math.abs(z))) continue;
      moved = true;
      step[i] += change;
      for (let j = 0; j < size; j++) slope[j] += change * D[i * size + j];
    }
  }
  let gain = 0;
  for (let i = 0; i < size; i++) {
    const at = first + active[i];
    // slope is g + D d: the model's change is (g + slope) . d / 2.
    gain -= 0.5 * (gradient[at] + slope[i]) * step[i];
    gain += prices[at] * (Math.abs(W[at]) - Math.abs(W[at] + step[i]));
    // A weight that the penalty removed is removed exactly, whatever the rounding of w + (0 - w).
    W[at] = Math.abs(W[at] + step[i]) < 1e-12 ? 0 : W[at] + step[i];
  }
  return gain;
}

/**
 * The weighted mean of (1/2) Psi''(m) e e^T over the sampled rows, on the active weights, its diagonal raised
 * by the damping.
 */
function sampledHessian(bit: Bit, W: Float32Array, active: readonly number[], damping: number): Float64Array {
  const { v, width, sample, loss, columnWeight } = bit;
  const { codes, rowWeights } = sample;
  const size = active.length;
  const D = new Float64Array(size * size);
  const bends = new Float64Array(codes.length / width);
  let mean = 0;
  for (let row = 0; row < bends.length; row++) {
    let m = 0;
    for (const h of active) m += W[v * width + h] * codes[row * width + h];
    bends[row] = (0.5 * columnWeight * (rowWeights?.[row] ?? 1) * loss.psiSecond(m)) / bends.length;
    mean += bends[row] / bends.length;
  }
  for (let row = 0; row < bends.length; row++) {
    // Most rows are sure of most bits: those that bend by less than a hundredth of the mean make no
    // difference.
    if (bends[row] < 0.01 * mean) continue;
    const at = row * width;
    for (let i = 0; i < size; i++) {
      const scaled = bends[row] * codes[at + active[i]];
      for (let j = 0; j <= i; j++) D[i * size + j] += scaled * codes[at + active[j]];
    }
  }
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < i; j++) D[j * size + i] = D[i * size + j];
    D[i * size + i] = (D[i * size + i] + LEAST_BEND * (columnWeight || 1)) * (1 + damping);
  }
  return D;
}

/** Bits that every sampled row is sure of bend a little all the same: no step is endless. */
const LEAST_BEND = 1e-6;

function softThreshold(z: number, price: number): number {
  return Math.sign(z) * Math.max(0, Math.abs(z) - price);
}
