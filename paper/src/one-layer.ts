import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FormatError } from 'pc-ae';
import type { AutoencoderOptions, ChosenEpoch, Units } from 'pc-ae/baselines';
import { fitAutoencoder, OneLayerAutoencoder } from 'pc-ae/baselines';
import { readSafetensors, type Tensor, writeSafetensors } from 'pc-ae/formats';
import { writeAtomic } from 'pc-ae/node';
import type { Rows } from 'pc-ae/rows';
import type { PaperData } from './datasets.ts';
import type { RunContext } from './learn.ts';

/** Epochs without a lower test or validation loss that end the run of an autoencoder. */
export const PATIENCE = 50;

/** An autoencoder at an epoch, and its test loss. */
export interface Chosen {
  readonly autoencoder: OneLayerAutoencoder;
  readonly epoch: number;
  readonly loss: number;
}

/** What is free in the paper's recipe. */
export type Recipe = Pick<AutoencoderOptions, 'units' | 'inputs' | 'gain'>;

/** The paper's autoencoder at the epoch that test rows choose; it ends when that has not changed for long. */
export async function learnOneLayer(
  train: Rows,
  test: Rows,
  H: number,
  recipe: Recipe,
  context: RunContext,
): Promise<Chosen> {
  const { bestOnTest } = await learn(train, { test }, H, recipe, context);
  return chosen(bestOnTest, 'test');
}

/** The same without the validation rows, at the epochs that either choose, and how many there were. */
interface HeldOut {
  readonly onValidation: Chosen;
  readonly onTest: Chosen;
  readonly epochs: number;
}

/** Learns it and keeps it for `keptOneLayer`. */
export async function heldOutOneLayer(
  data: PaperData,
  H: number,
  units: Units,
  context: RunContext,
): Promise<HeldOut> {
  const { held, test } = data;
  const learned = await learn(held.train, { test, validation: held.validation }, H, { units }, context);
  const onValidation = chosen(learned.bestOnValidation, 'validation');
  if (context.models) {
    await mkdir(context.models, { recursive: true });
    await writeAtomic(fileOf(data, H, units, context.models, context), [toBytes(onValidation)], {
      force: true,
    });
  }
  return { onValidation, onTest: chosen(learned.bestOnTest, 'test'), epochs: learned.history.length };
}

/**
 * The autoencoder at the epoch that validation rows choose: the one that was kept, or else one that is
 * learned now. Some take a quarter of an hour, and the figures show those of the table.
 */
export async function keptOneLayer(
  data: PaperData,
  H: number,
  units: Units,
  context: RunContext,
): Promise<Chosen> {
  const path = context.models && fileOf(data, H, units, context.models, context);
  if (path && existsSync(path)) return fromBytes(Uint8Array.from(await readFile(path)), path, H, units);
  return (await heldOutOneLayer(data, H, units, context)).onValidation;
}

async function learn(
  train: Rows,
  measured: { readonly test: Rows; readonly validation?: Rows },
  H: number,
  recipe: Recipe,
  context: RunContext,
) {
  const { engine, seed, epochs, signal } = context;
  const learned = await fitAutoencoder(train, {
    ...{ ...recipe, H, patience: PATIENCE, epochs, seed, engine, signal, ...measured },
    onProgress: ({ fraction }) => context.onProgress?.(`learning an autoencoder, H = ${H}`, fraction),
  });
  signal?.throwIfAborted();
  return learned;
}

function chosen(best: ChosenEpoch | undefined, by: string): Chosen {
  if (best?.test === undefined) throw new Error(`the autoencoder has no epoch chosen by ${by} rows`);
  const { autoencoder, epoch, test: loss } = best;
  return { autoencoder, epoch, loss };
}

/** Named by all that it depends on. */
function fileOf(
  { held, test }: PaperData,
  H: number,
  units: Units,
  folder: string,
  { seed, epochs }: RunContext,
): string {
  const hash = createHash('sha256').update(JSON.stringify({ H, units, seed, epochs, PATIENCE }));
  for (const rows of [held.train, held.validation, test]) {
    const { n, V, kind } = rows;
    hash.update(JSON.stringify({ n, V, kind })).update(kind === 'bits' ? rows.bits : rows.values);
  }
  return join(folder, `${units}-${H}-${hash.digest('hex').slice(0, 16)}.safetensors`);
}

function toBytes({ autoencoder, epoch, loss }: Chosen): Uint8Array {
  const { V, H, U, b, W } = autoencoder;
  const tensor = (data: Float32Array, ...shape: number[]): Tensor => ({ type: 'F32', shape, data });
  const tensors: [string, Tensor][] = [
    ['U', tensor(U, V, H)],
    ['b', tensor(b, H)],
    ['W', tensor(W, V, H + 1)],
  ];
  return writeSafetensors(tensors, { epoch: `${epoch}`, loss: `${loss}` });
}

function fromBytes(bytes: Uint8Array, path: string, H: number, units: Units): Chosen {
  const { tensors, metadata } = readSafetensors(bytes, path);
  const floats = (key: string, length: number) => {
    const data = tensors.get(key)?.data;
    if (data instanceof Float32Array && data.length === length) return data;
    throw new FormatError(
      path,
      `tensor '${key}'`,
      'is not that of this autoencoder; remove the file to learn it anew',
    );
  };
  const number = (key: string) => {
    const value = Number(metadata[key] ?? Number.NaN);
    if (Number.isFinite(value)) return value;
    throw new FormatError(path, `metadata '${key}'`, 'is missing; remove the file to learn it anew');
  };
  const V = tensors.get('W')?.shape[0] ?? 0;
  const parameters = { U: floats('U', V * H), b: floats('b', H), W: floats('W', V * (H + 1)) };
  return {
    autoencoder: new OneLayerAutoencoder({ V, H, units, inputs: 'zero-one', ...parameters }),
    epoch: number('epoch'),
    loss: number('loss'),
  };
}
