import type { Engine } from '../engine/engine.ts';
import { withEngine } from '../engine/scope.ts';
import { entriesOf } from '../rows/entries.ts';
import { type RowsInput, readRows } from '../rows/input.ts';
import { type Rows, takeRows } from '../rows/rows.ts';
import { permutation, split } from '../rows/split.ts';
import { sum } from '../rows/sum.ts';
import { checkedRowWeights, weightedSum } from '../rows/weights.ts';
import { checksFor } from '../training/checks.ts';
import { defaultBatch, defaultEpochs, defaultRate } from '../training/defaults.ts';
import type { FitOptions } from '../training/options.ts';
import { checkExclusions } from '../training/refusals.ts';
import { leadingDirections } from '../training/start/start.ts';
import { fit } from './fit.ts';
import { PCAE } from './model.ts';

export interface PathHOptions
  extends Omit<
    FitOptions,
    'H' | 'chosen' | 'noise' | 'start' | 'validation' | 'resume' | 'checkpoint' | 'partial'
  > {
  /** Sizes to try, in growing order. */
  readonly Hs: readonly number[];
  /** Share of the rows that no model sees, to measure on. Default 0.1. */
  readonly heldOut?: number;
  /** Share of their entries that are hidden and guessed. Default 0.1. */
  readonly hide?: number;
  /** Passes over the rows for each size after the first. Default: a third of `epochs`. */
  readonly furtherEpochs?: number;
  /** Called after each size. */
  readonly onStep?: (step: PathHStep) => void;
}

/** A model of the path. Losses are in the unit of the loss. */
export interface PathHStep {
  readonly H: number;
  readonly model: PCAE;
  /** Mean loss of the training rows. */
  readonly trainingLoss: number;
  /** Mean (weighted) loss of hidden entries of the held-out rows, guessed as `impute` does. */
  readonly entryLoss: number;
  /** The same when only the columns' means are used. A model that is not better has found no structure. */
  readonly entryLossAtBaseRates: number;
  /** Mean loss of the held-out rows. */
  readonly heldOutLoss: number;
  readonly seconds: number;
}

/**
 * Models of growing size. Each starts from the units of the one before; new units start as the leading
 * directions of what is still unexplained, X - Psi'(W E). The loss of hidden entries falls while units find
 * structure and rises when they memorise rows; `best` is the model where it is lowest.
 *
 * An abort rejects; `onStep` was called for the sizes that were finished.
 *
 * The training loss never rises along the path: if learning ended above the smaller model, the smaller one is
 * returned with new units of weight 0, which change nothing.
 */
export async function pathH(
  input: RowsInput,
  options: PathHOptions,
): Promise<{ readonly steps: readonly PathHStep[]; readonly best: PathHStep }> {
  if (!options) throw new RangeError('pathH: say what sizes to try, as in pathH(rows, { Hs: [4, 8, 16] })');
  checkOptions(options);
  const rows = await readRows(input, 'rows', undefined, options.signal);
  return withEngine(options, (engine) => growing(engine, rows, options));
}

async function growing(engine: Engine, rows: Rows, options: PathHOptions): ReturnType<typeof pathH> {
  const { Hs, heldOut = 0.1, hide = 0.1, furtherEpochs, onStep, seed = 1, ...rest } = options;
  const rowWeights = options.rowWeights && checkedRowWeights(options.rowWeights, rows.n, 'pathH');
  const { training, held } = split({ rows, rowWeights }, heldOut, seed);
  const fixed = { ...rest, rowWeights: training.rowWeights, seed, engine };
  const { n } = training.rows;
  const epochs = options.epochs ?? defaultEpochs(n, options.batch ?? defaultBatch(n));
  const steps: PathHStep[] = [];
  for (const H of Hs) {
    const began = performance.now();
    const before = steps.at(-1)?.model;
    const learned = before
      ? await grow(engine, before, training.rows, {
          ...fixed,
          H,
          epochs: furtherEpochs ?? Math.ceil(epochs / 3),
        })
      : await fit(training.rows, { ...fixed, H, epochs, codes: 'keep' });
    const guessed = await learned.chooseShrink(held.rows, { hide, rowWeights: held.rowWeights, engine });
    const step = {
      H,
      model: learned,
      trainingLoss: learned.training.loss,
      entryLoss: guessed.entryLoss,
      entryLossAtBaseRates: guessed.entryLossAtBaseRates,
      heldOutLoss: weightedMean((await learned.encode(held.rows, { engine })).losses, held.rowWeights),
      seconds: (performance.now() - began) / 1000,
    };
    steps.push(step);
    onStep?.(step);
  }
  return { steps, best: steps.reduce((a, b) => (b.entryLoss < a.entryLoss ? b : a)) };
}

/** Learns a larger model that starts from a fitted one. */
async function grow(engine: Engine, model: PCAE, rows: Rows, options: FitOptions): Promise<PCAE> {
  const start = await withNewUnits(engine, model, rows, options.H, options.seed ?? 1);
  // Half the rate, so that the units learned so far are not upset.
  const rate = options.rate ?? 0.5 * defaultRate(options.H);
  const next = await fit(rows, { ...options, rate, start, codes: 'keep' });
  return next.training.loss <= model.training.loss ? next : withSilentUnits(model, options.H);
}

/** The model's weights and, for the units to come, the leading directions of X - Psi'(W E). */
async function withNewUnits(
  engine: Engine,
  model: PCAE,
  rows: Rows,
  H: number,
  seed: number,
): Promise<Float32Array> {
  const { V } = model;
  const chosen = permutation(rows.n, seed).subarray(0, Math.min(rows.n, SAMPLE));
  const sample = takeRows(rows, chosen);
  const codes = new Float32Array(sample.n * model.H);
  chosen.forEach((row, i) => {
    codes.set(model.trainingCodes!.subarray(row * model.H, (row + 1) * model.H), i * model.H);
  });
  const decoded = await model.decode(codes, { engine });
  // Half the residuals lie in [-1, 1], as rows do. For proper losses the reconstruction is Psi' itself.
  const values = entriesOf(sample).map((x, k) => (Number.isNaN(x) ? 0 : (x - decoded[k]) / 2));
  const block = engine.load({ kind: 'real', n: sample.n, V, values });
  const { directions, deviations } = await leadingDirections(engine, block, H - model.H, seed, false);
  block.free();
  const W = wider(model.W, V, model.H, H, model.bias);
  const width = W.length / V;
  for (let v = 0; v < V; v++) {
    deviations.forEach((deviation, k) => {
      W[v * width + model.H + k] = 4 * deviation * directions[v * deviations.length + k];
    });
  }
  return W;
}

/** Rows whose residuals the new units start from. */
const SAMPLE = 4000;

/** V x width with room for more units, their weights 0; the bias stays last. */
function wider(W: Float32Array, V: number, from: number, to: number, bias: boolean): Float32Array {
  const [old, width] = bias ? [from + 1, to + 1] : [from, to];
  const out = new Float32Array(V * width);
  for (let v = 0; v < V; v++) {
    out.set(W.subarray(v * old, v * old + from), v * width);
    if (bias) out[v * width + to] = W[v * old + from];
  }
  return out;
}

/** The same with room in rows and columns: width x width. */
function widerMoments(moments: Float32Array, from: number, to: number, bias: boolean): Float32Array {
  const [old, width] = bias ? [from + 1, to + 1] : [from, to];
  const rows = wider(moments, old, from, to, bias);
  const out = new Float32Array(width * width);
  out.set(rows.subarray(0, from * width));
  if (bias) out.set(rows.subarray(from * width), to * width);
  return out;
}

function withSilentUnits(model: PCAE, H: number): PCAE {
  const { V, bias, trainingCodes } = model;
  const codes = trainingCodes && wider(trainingCodes, trainingCodes.length / model.H, model.H, H, false);
  return new PCAE({
    ...model,
    H,
    W: wider(model.W, V, model.H, H, bias),
    B: wider(model.B, V, model.H, H, bias),
    moments: model.moments && widerMoments(model.moments, model.H, H, bias),
    trainingCodes: codes,
  });
}

function weightedMean(losses: Float64Array, weights?: Float64Array): number {
  const total = weights ? sum(weights) : losses.length;
  return weightedSum(losses, weights) / total;
}

function checkOptions(options: PathHOptions): void {
  const { Hs } = options;
  checksFor('pathH').absent(options, ['chosen', 'noise', 'start', 'resume', 'checkpoint']);
  if (options.codes === 'recompute') {
    throw new RangeError(
      "pathH: new units start from what the training codes leave unexplained; leave codes out or set it to 'keep'",
    );
  }
  if (!Hs?.length || Hs.some((H, k) => !Number.isInteger(H) || H < 1 || (k > 0 && H <= Hs[k - 1]))) {
    throw new RangeError(`pathH: Hs must be growing whole numbers of at least 1, got ${Hs?.join(', ')}`);
  }
  checkExclusions('pathH', { ...options, path: true });
}
