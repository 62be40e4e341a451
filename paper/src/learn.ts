import type { Checkpoint, CheckpointSink, EncodeOptions, Engine, FitOptions, PCAE } from 'pc-ae';
import { fit } from 'pc-ae';
import type { Rows } from 'pc-ae/rows';

/** What every run is given. */
export interface RunContext {
  readonly engine: Engine;
  readonly seed: number;
  /** At most so many epochs in every run, for trying things out. */
  readonly epochs?: number;
  /** The folder where autoencoders are kept that several results are made of. Default: they are not kept. */
  readonly models?: string;
  readonly signal?: AbortSignal;
  /** Called with the share of the step at hand that is done. */
  readonly onProgress?: (step: string, fraction: number) => void;
}

/** Learns a model; throws when interrupted, because half a run is no result. */
export async function learn(
  rows: Rows,
  options: FitOptions,
  context: RunContext,
  step = 'learning',
): Promise<PCAE> {
  const { engine, seed, epochs, signal } = context;
  const limited = epochs === undefined ? {} : { epochs };
  return fit(rows, {
    ...{ ...limited, seed, engine, signal, ...options },
    onProgress(progress) {
      options.onProgress?.(progress);
      context.onProgress?.(step, progress.fraction);
    },
  });
}

/**
 * The same learning, finished once for the box and once for real codes: they differ in the scale of the units
 * alone. The second model goes on from the checkpoint at the end of learning, so it is the very model that
 * learning anew would give.
 */
export async function learnBoth(
  rows: Rows,
  options: Omit<FitOptions, 'encoding'>,
  context: RunContext,
): Promise<{ box: PCAE; real: PCAE }> {
  const { model: box, end } = await learnWithState(rows, { ...options, encoding: 'box' }, context);
  const real = await learn(
    rows,
    { ...options, encoding: 'real', resume: end },
    context,
    'finishing for real codes',
  );
  return { box, real };
}

/** Learns a model, and keeps the state at the end of learning: what a procedure carries on from there. */
export async function learnWithState(
  rows: Rows,
  options: FitOptions,
  context: RunContext,
): Promise<{ model: PCAE; end: Checkpoint }> {
  let end: Checkpoint | undefined;
  const checkpoint: CheckpointSink = {
    every: Number.POSITIVE_INFINITY,
    async save(taken) {
      end = taken;
    },
  };
  const model = await learn(rows, { ...options, checkpoint }, context);
  if (!end) throw new Error('learning ended without a checkpoint');
  return { model, end };
}

/** The mean loss of rows, and how far their codes are from proven optimal. */
export interface TestLoss {
  readonly loss: number;
  readonly gap: { readonly mean: number; readonly max: number };
}

export async function testLoss(
  model: PCAE,
  rows: Rows,
  context: RunContext,
  options: EncodeOptions = {},
  step = 'encoding test rows',
): Promise<TestLoss> {
  const { engine, signal } = context;
  const onProgress = (fraction: number) => context.onProgress?.(step, fraction);
  const { losses, gaps } = await model.encode(rows, { engine, signal, onProgress, ...options });
  return { loss: mean(losses), gap: { mean: mean(gaps), max: gaps.reduce((a, b) => Math.max(a, b), 0) } };
}

export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum / values.length;
}
