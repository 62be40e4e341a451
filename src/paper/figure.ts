import { fitAutoencoder, type OneLayerAutoencoder } from '../baselines/autoencoder.ts';
import { entry, type Rows, takeRows } from '../rows/rows.ts';
import { permutation } from '../rows/split.ts';
import type { PaperData } from './datasets.ts';
import type { RunContext } from './learn.ts';

/** A figure of the paper, made anew: pictures by file name, and the numbers behind them. */
export interface PaperFigure {
  readonly about: string;
  draw(folder: string, context: RunContext): Promise<Drawn>;
}

export interface Drawn {
  readonly pictures: Readonly<Record<string, string>>;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** Adam steps of an autoencoder that is only looked at: its loss has nearly stopped falling. */
const AUTOENCODER_STEPS = 12_000;

/** An autoencoder at the epoch that validation rows chose, and its test loss. */
export async function learnAutoencoder(
  { held, test }: PaperData,
  H: number,
  units: 'logistic' | 'relu',
  context: RunContext,
): Promise<{ autoencoder: OneLayerAutoencoder; loss: number; epoch: number }> {
  const { engine, seed, signal } = context;
  const enough = Math.ceil(AUTOENCODER_STEPS / Math.ceil(held.train.n / 250));
  const epochs = Math.min(context.epochs ?? 500, 500, enough);
  const { bestOnValidation } = await fitAutoencoder(held.train, {
    ...{ H, units, epochs, seed, validation: held.validation, engine, signal },
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
