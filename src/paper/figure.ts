import { fitAutoencoder, type OneLayerAutoencoder } from '../baselines/autoencoder.ts';
import { entry, type Rows, takeRows } from '../rows/rows.ts';
import { permutation } from '../rows/split.ts';
import type { PaperData } from './datasets.ts';
import type { RunContext } from './learn.ts';
import { PATIENCE } from './runs.ts';

/** A figure of the paper, made anew: pictures by file name, and the numbers behind them. */
export interface PaperFigure {
  readonly about: string;
  draw(folder: string, context: RunContext): Promise<Drawn>;
}

export interface Drawn {
  readonly pictures: Readonly<Record<string, string>>;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** An autoencoder at the epoch that validation rows chose, and its test loss. */
export async function learnAutoencoder(
  { held, test }: PaperData,
  H: number,
  units: 'logistic' | 'relu',
  context: RunContext,
): Promise<{ autoencoder: OneLayerAutoencoder; loss: number; epoch: number }> {
  const { engine, seed, epochs, signal } = context;
  const { bestOnValidation } = await fitAutoencoder(held.train, {
    ...{ H, units, epochs, seed, validation: held.validation, patience: PATIENCE, engine, signal },
    onProgress: ({ fraction }) => context.onProgress?.(`learning an autoencoder, H = ${H}`, fraction),
  });
  signal?.throwIfAborted();
  if (!bestOnValidation) throw new Error('the autoencoder has no epoch chosen by validation rows');
  const { autoencoder, epoch } = bestOnValidation;
  return { autoencoder, epoch, loss: await autoencoder.loss(test, { engine }) };
}

/** A few rows, drawn at random, the same ones every time. */
export function someRows(rows: Rows, count: number): Rows {
  return takeRows(rows, permutation(rows.n, 1).subarray(0, count));
}

/** Entries of rows as plain numbers, n x V. */
export function plainValues(rows: Rows): Float32Array {
  return Float32Array.from({ length: rows.n * rows.V }, (_, k) =>
    entry(rows, Math.floor(k / rows.V), k % rows.V),
  );
}
