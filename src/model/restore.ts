import type { Engine } from '../engine/engine.ts';
import { softplus } from '../losses/cross-entropy.ts';
import { readRows } from '../rows/input.ts';
import type { Rows } from '../rows/rows.ts';
import type { TableSchema } from '../rows/schema.ts';
import { checkNoise, type KnownNoise } from '../training/noise.ts';
import type { FitOptions } from '../training/options.ts';
import type { PCAE } from './model.ts';
import type { Restoring } from './parts.ts';

/** The noise that options speak of, checked before anything is learned from the rows it is said to be in. */
export async function checkedNoise(
  options: Pick<FitOptions, 'noise'>,
  noisy: Pick<Rows, 'n' | 'V'>,
  like?: TableSchema,
): Promise<KnownNoise | undefined> {
  const { noise } = options;
  if (!noise) return undefined;
  const known =
    typeof noise === 'object' && 'clean' in noise
      ? { clean: await readRows(noise.clean, 'noise.clean', like) }
      : noise;
  checkNoise(noisy, known);
  return known;
}

/**
 * Learns to restore, given the model of the noisy rows and the codes it was learned with. Rows count by their
 * weights. Columns need none: every bit's decoder is a problem of its own.
 */
export async function learnToRestore(
  engine: Engine,
  model: PCAE,
  noisy: Rows,
  noise: KnownNoise,
  weights?: ArrayLike<number>,
): Promise<Restoring> {
  if ('mask' in noise) return { mask: noise.mask };
  const { H, V, bias, reconstructionLoss: loss, trainingCodes } = model;
  // Rows that were held out have no code yet.
  const kept = trainingCodes?.length === noisy.n * H ? trainingCodes : undefined;
  const codes = kept ?? (await model.encode(noisy, { engine })).codes;
  const rowWeights = weights && Float64Array.from(weights);
  const counted = rowWeights ? rowWeights.filter((weight) => weight > 0).length : noisy.n;
  const settings = { bias, loss, ridge: RIDGE / counted, tolerance: 0.01 };
  const { learnDecoder } = await import('../training/decoder/decoder.ts');
  const learned = await learnDecoder(engine, { V, codes, rows: noise.clean, rowWeights }, H, settings);
  return { W: learned.W, loss: learned.loss };
}

/**
 * Codes are fitted to their rows as closely as they can be, so decoding them needs little smoothing: not
 * `ridge`'s.
 */
const RIDGE = 0.01;
/** No reconstruction of a masked row is more certain of a one than this: few of them are seen that far. */
const MOST_CERTAIN = 0.99;

/** A reconstruction of noisy data (in [-1, 1]) as one of the data before the mask. */
export function unmask(reconstruction: number, rho: number): number {
  return 2 * Math.min(MOST_CERTAIN, (1 + reconstruction) / 2 / (1 - rho)) - 1;
}

/** The cross-entropy of an unmasked reconstruction, from its score: no probability is rounded to 0. */
export function unmaskedLoss(x: number, score: number, rho: number): number {
  // -ln of the probability of a one before the mask, and the probability of a zero.
  const one = Math.max(-Math.log(MOST_CERTAIN), softplus(-score) + Math.log(1 - rho));
  const zero = Math.max(1 - MOST_CERTAIN, 1 - 1 / (1 + Math.exp(-score)) / (1 - rho));
  return ((1 + x) / 2) * one - ((1 - x) / 2) * Math.log(zero);
}
