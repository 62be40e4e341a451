import { defaultEngine } from '../engine/default.ts';
import type { Engine } from '../engine/engine.ts';
import { scopeOf } from '../engine/scope.ts';
import { aboutColumns } from '../rows/about.ts';
import { asRows, isSource, type RowsInput } from '../rows/input.ts';
import { collect } from '../rows/memory.ts';
import type { Rows } from '../rows/rows.ts';
import type { RowSource } from '../rows/source.ts';
import { checksFor } from '../training/checks.ts';
import { checkHidden } from '../training/hidden.ts';
import type { FitOptions } from '../training/options.ts';
import { defaultRidge } from '../training/settings.ts';
import type { Layer } from '../training/stack.ts';
import { backward, deepLosses, forward } from '../training/stack-passes.ts';
import { fitIterator } from './fit.ts';
import { Stack, type StackRound } from './stack.ts';
import { mapSteps, runSteps } from './steps.ts';

export interface StackOptions extends Pick<FitOptions, 'epochs' | 'seed' | 'engine'> {
  /** Units of each layer, from the one beside the rows to the topmost, whose activations are the codes. */
  readonly layers: readonly number[];
  /** Penalty on weights, and on codes while layers are learned one by one. Default 0.6 / n. */
  readonly ridge?: number;
  /** Rounds of backward and forward passes after the layers were learned one by one. Default 20. */
  readonly rounds?: number;
  /** How much a layer's activations are bound to what the layer above decodes to, at the end. Default 256. */
  readonly coupling?: number;
  /** Ends the rounds early, with the stack as it is then. Before the first there is none: its reason is thrown. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: StackProgress) => void;
}

/** How far learning a stack has come. */
export interface StackProgress {
  /** Layers are learned one by one, then all of them together in rounds of passes. */
  readonly phase: 'layer' | 'round';
  /** The present layer, or the round that has ended, counted from 1. */
  readonly number: number;
  readonly of: number;
  /** Share of the layer, or of the rounds, that is done. */
  readonly fraction: number;
  /** Mean loss of the layer alone, or of rows decoded from the topmost codes. */
  readonly loss: number;
  /** Since the layer, or the first round, began. */
  readonly seconds: number;
}

/** Learns a stack: every layer by itself from below, then rounds of passes in which the coupling grows. */
export async function fitStack(rows: RowsInput | RowSource, options: StackOptions): Promise<Stack> {
  return runSteps(fitStackIterator(rows, options), options?.onProgress);
}

/** The same, step by step: yields after each minibatch of a layer and after each round, and returns the stack. */
export async function* fitStackIterator(
  input: RowsInput | RowSource,
  options: StackOptions,
): AsyncGenerator<StackProgress, Stack> {
  if (!options)
    throw new RangeError(
      'fitStack: say how many units layers have, as in fitStack(rows, { layers: [64, 16] })',
    );
  const { layers: sizes, rounds = 20, coupling: strongest = 256, seed = 1, signal } = options;
  if (!(sizes?.length >= 2) || sizes.some((H) => !Number.isInteger(H) || H < 1)) {
    throw new RangeError(
      `fitStack: layers must be two or more whole numbers, got ${sizes?.join(', ') || 'none'}`,
    );
  }
  const check = checksFor('fitStack');
  check.whole('rounds', rounds, 0);
  check.moreThan('coupling', strongest, 0);
  const clock = secondsFromNow();
  const rows = isSource(input) ? await collect(input, { signal: options.signal }) : asRows(input);
  sizes.forEach((H, k) => {
    checkHidden('fitStack', H, sizes[k - 1] ?? rows.V);
  });
  const { ridge = defaultRidge(rows.n) } = options;
  check.atLeast('ridge', ridge, 0);
  const { engine, release } = scopeOf(options.engine ?? (await defaultEngine()));
  const layers: Layer[] = [];
  try {
    let A = yield* learnGreedily(engine, rows, { ...options, ridge, seed }, layers);
    const block = engine.load(rows);
    const history: StackRound[] = [];
    const sinceRounds = secondsFromNow();
    let coupling = 1;
    const measure = async (round: number): Promise<StackProgress> => {
      const losses = await deepLosses(engine, layers, block, A[A.length - 1]);
      const loss = losses.reduce((sum, value) => sum + value, 0) / rows.n;
      history.push({ round, coupling, loss });
      const fraction = rounds > 0 ? round / rounds : 1;
      return { phase: 'round', number: round, of: rounds, fraction, loss, seconds: sinceRounds() };
    };
    yield await measure(0);
    for (let round = 1; round <= rounds && !signal?.aborted; round++) {
      coupling = strongest ** (round / rounds);
      A = await backward(engine, layers, block, A, coupling);
      await forward(engine, layers, block, A, ridge);
      yield await measure(round);
    }
    const { loss } = history[history.length - 1];
    return new Stack({
      V: rows.V,
      layers: await Promise.all(layers.map(async ({ shape, W }) => ({ H: shape.H, W: await W.read() }))),
      coupling,
      training: { n: rows.n, loss, seed, ridge, seconds: clock(), history },
      ...aboutColumns(rows),
    });
  } finally {
    release();
  }
}

/** Each layer fitted to the codes of the one below, stretched over most of [-1, 1]. Adds to `layers`; returns the codes. */
async function* learnGreedily(
  engine: Engine,
  rows: Rows,
  options: StackOptions,
  layers: Layer[],
): AsyncGenerator<StackProgress, Float32Array[]> {
  const { epochs, ridge, seed, signal, layers: sizes } = options;
  const A: Float32Array[] = [];
  let below = rows;
  for (const H of sizes) {
    const steps = fitIterator(below, { H, epochs, ridge, seed, engine, signal, certify: false });
    const place = { phase: 'layer', number: layers.length + 1, of: sizes.length } as const;
    const model = yield* mapSteps(steps, ({ fraction, loss, seconds }) => {
      return { ...place, fraction, loss, seconds };
    });
    signal?.throwIfAborted();
    const codes = model.trainingCodes!;
    const most = codes.reduce((largest, e) => Math.max(largest, Math.abs(e)), 1e-6);
    const stretch = REACH / most;
    const W = engine.floats(model.W.length);
    W.write(model.W.map((w, k) => (k % (H + 1) < H ? w / stretch : w)));
    layers.push({ shape: { V: below.V, H, bias: true }, W });
    const values = codes.map((e) => e * stretch);
    A.push(values);
    below = { kind: 'real', n: rows.n, V: H, values };
  }
  return A;
}

/** How far the largest activation of a layer lies from 0 when it has been learned by itself. */
const REACH = 0.95;

function secondsFromNow(): () => number {
  const began = performance.now();
  return () => (performance.now() - began) / 1000;
}
