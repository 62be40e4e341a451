import { type Engine, floatsOf } from '../engine/engine.ts';
import { withEngine } from '../engine/scope.ts';
import { aboutColumns } from '../rows/about.ts';
import { type RowsInput, readRows } from '../rows/input.ts';
import type { Rows } from '../rows/rows.ts';
import { checksFor } from '../training/checks.ts';
import { defaultRidge } from '../training/defaults.ts';
import { checkHidden } from '../training/hidden.ts';
import { Course } from '../training/loop/course.ts';
import { learn } from '../training/loop/loop.ts';
import { Pace } from '../training/loop/pace.ts';
import type { Progress } from '../training/loop/progress.ts';
import { Run } from '../training/loop/run.ts';
import type { FitOptions } from '../training/options.ts';
import { StackRounds } from '../training/stack/rounds.ts';
import type { Layer } from '../training/stack/stack.ts';
import { fit } from './fit.ts';
import { Stack } from './stack.ts';

export interface StackOptions extends Pick<FitOptions, 'epochs' | 'seed' | 'engine'> {
  /** Units of each layer, from the one beside the rows to the topmost, whose activations are the codes. */
  readonly layers: readonly number[];
  /** Penalty on weights, and on codes while layers are learned one by one. Default 0.6 / n. */
  readonly ridge?: number;
  /** Rounds of backward and forward passes after the layers were learned one by one. Default 20. */
  readonly rounds?: number;
  /**
   * How strongly, at the end, a layer's activations are tied to what the layer above decodes to. Default 256.
   */
  readonly coupling?: number;
  /** Ends the call early: it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** An abort during the rounds returns the present stack; before the first round it rejects. */
  readonly partial?: boolean;
  /** Called with the progress of learning a few times per second, and at the end. */
  readonly onProgress?: (progress: StackProgress) => void;
}

/** Progress of learning a stack. */
export interface StackProgress {
  /** Layers are learned one by one, then all of them together in rounds of passes. */
  readonly phase: 'layer' | 'round';
  /** The current layer, or the round that has ended, counted from 1. */
  readonly number: number;
  readonly of: number;
  /** Share of the layer, or of the rounds, that is done. */
  readonly fraction: number;
  /** Mean loss of the layer alone, or of rows decoded from the topmost codes. */
  readonly loss: number;
  /** Seconds since the layer, or the first round, began. */
  readonly seconds: number;
}

/** Learns a stack: layer by layer from below, then all layers in rounds of passes with growing coupling. */
export async function fitStack(input: RowsInput, options: StackOptions): Promise<Stack> {
  if (!options)
    throw new RangeError(
      'fitStack: say how many units layers have, as in fitStack(rows, { layers: [64, 16] })',
    );
  const { layers: sizes, rounds = 20, coupling = 256, seed = 1, signal, partial } = options;
  if (!(sizes?.length >= 2) || sizes.some((H) => !Number.isInteger(H) || H < 1)) {
    throw new RangeError(
      `fitStack: layers must be two or more whole numbers, got ${sizes?.join(', ') || 'none'}`,
    );
  }
  const check = checksFor('fitStack');
  check.whole('rounds', rounds, 0);
  check.positive('coupling', coupling);
  const course = new Course({ epochs: rounds, budget: Number.POSITIVE_INFINITY });
  const rows = await readRows(input, 'rows', undefined, signal);
  sizes.forEach((H, k) => {
    checkHidden('fitStack', H, { V: sizes[k - 1] ?? rows.V, n: rows.n });
  });
  const { ridge = defaultRidge(rows.n) } = options;
  check.notNegative('ridge', ridge);
  signal?.throwIfAborted();
  const pace = new Pace(options.onProgress);
  return withEngine({ engine: options.engine }, async (engine) => {
    const { layers, A } = await learnGreedily(engine, rows, { ...options, ridge, seed }, pace);
    const limits = { epochs: rounds, timeBudget: Number.POSITIVE_INFINITY };
    const onProgress = ({ epoch, fraction, loss, seconds }: Progress) =>
      pace.report({ phase: 'round', number: epoch + 1, of: rounds, fraction, loss, seconds });
    const run = new Run(engine, limits, { signal, partial, onProgress });
    const visited = layers.map((layer) => ({ ...layer, engine: run.visiting }));
    const trainer = new StackRounds(visited, engine.load(rows), A, { rounds, coupling, ridge });
    await trainer.start();
    await learn(trainer, run, { minImprovement: 0, patience: Number.POSITIVE_INFINITY });
    const { history } = trainer;
    const { loss, round, coupling: reached } = history[history.length - 1];
    const { seconds } = run.course;
    pace.last({ phase: 'round', number: round, of: rounds, fraction: 1, loss, seconds });
    return new Stack({
      V: rows.V,
      layers: await Promise.all(layers.map(async ({ shape, W }) => ({ H: shape.H, W: await W.read() }))),
      coupling: reached,
      training: { n: rows.n, loss, seed, ridge, seconds: course.seconds, history },
      ...aboutColumns(rows),
    });
  });
}

/** Fits each layer to the codes of the one below, which are stretched over most of [-1, 1]. */
async function learnGreedily(
  engine: Engine,
  rows: Rows,
  options: StackOptions,
  pace: Pace<StackProgress>,
): Promise<{ readonly layers: Layer[]; readonly A: Float32Array[] }> {
  const { epochs, ridge, seed, signal, layers: sizes } = options;
  const layers: Layer[] = [];
  const A: Float32Array[] = [];
  let below = rows;
  for (const H of sizes) {
    const place = { phase: 'layer', number: layers.length + 1, of: sizes.length } as const;
    const onProgress = ({ fraction, loss, seconds }: Progress) =>
      pace.report({ ...place, fraction, loss, seconds }, `layer ${place.number}`);
    const model = await fit(below, {
      H,
      epochs,
      ridge,
      seed,
      engine,
      signal,
      certify: false,
      codes: 'keep',
      onProgress,
    });
    const codes = model.trainingCodes!;
    const most = codes.reduce((largest, e) => Math.max(largest, Math.abs(e)), 1e-6);
    const stretch = REACH / most;
    const W = floatsOf(
      engine,
      model.W.map((w, k) => (k % (H + 1) < H ? w / stretch : w)),
    );
    layers.push({ engine, shape: { V: below.V, H, bias: true }, W });
    const values = codes.map((e) => e * stretch);
    A.push(values);
    below = { kind: 'real', n: rows.n, V: H, values };
  }
  return { layers, A };
}

/** The size of a layer's largest activation after it was learned by itself. */
const REACH = 0.95;
