import { setImmediate as turn } from 'node:timers/promises';
import {
  type Checkpoint,
  type CheckpointSink,
  type EncodeOptions,
  type Engine,
  type FitOptions,
  fitIterator,
  type PCAE,
} from 'pc-ae';
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
  const steps = fitIterator(rows, { ...limited, seed, engine, signal, ...options });
  let last = performance.now();
  const { onProgress } = options;
  try {
    for (;;) {
      const next = await steps.next();
      signal?.throwIfAborted();
      if (next.done) return next.value;
      onProgress?.(next.value);
      context.onProgress?.(step, next.value.fraction);
      // Without a turn of the event loop now and then, Ctrl-C would not be heard.
      if (performance.now() - last > 50) {
        await turn();
        last = performance.now();
      }
    }
  } finally {
    // What learning holds inside the engine is given back.
    await steps.return(undefined as never);
  }
}

/**
 * The same learning, finished once for the box and once for real codes: they differ in the scale of the units alone.
 * The second model goes on from a checkpoint after the last minibatch, so it is the very model that learning anew would
 * give.
 */
export async function learnBoth(
  rows: Rows,
  options: Omit<FitOptions, 'encoding'>,
  context: RunContext,
): Promise<{ box: PCAE; real: PCAE }> {
  let ended = false;
  let checkpoint: Checkpoint | undefined;
  const sink: CheckpointSink = {
    get every() {
      return ended ? 0 : Number.POSITIVE_INFINITY;
    },
    async save(taken) {
      checkpoint = taken;
    },
  };
  const box = await learn(
    rows,
    {
      ...options,
      encoding: 'box',
      checkpoint: sink,
      onProgress: ({ phase, fraction }) => {
        ended = phase === 'learn' && fraction >= 1;
      },
    },
    context,
  );
  if (!checkpoint) throw new Error('learning ended without a checkpoint of its last minibatch');
  const real = await learn(
    rows,
    { ...options, encoding: 'real', resume: checkpoint },
    context,
    'finishing for real codes',
  );
  return { box, real };
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
