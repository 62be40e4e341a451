import type { Engine } from '../engine/engine.ts';
import { softplus } from '../losses/cross-entropy.ts';
import { readRows } from '../rows/input.ts';
import type { Rows } from '../rows/rows.ts';
import type { TableSchema } from '../rows/schema.ts';
import { checkNoise, type KnownNoise } from '../training/noise.ts';
import type { FitOptions } from '../training/options.ts';
import type { PCAE } from './model.ts';
import type { Restoring } from './parts.ts';

/** The noise option, checked against the rows before anything is learned. */
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
 * Learns to restore clean rows, given the model of the noisy rows. Rows count by their weights. Column
 * weights do not matter, because every bit's decoder is a separate problem.
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
  // Training codes exist for all rows unless some were held out.
  const kept = trainingCodes?.length === noisy.n * H ? trainingCodes : undefined;
  const codes = kept ?? (await model.encode(noisy, { engine })).codes;
  const rowWeights = weights && Float64Array.from(weights);
  const counted = rowWeights ? rowWeights.filter((weight) => weight > 0).length : noisy.n;
  const settings = { bias, loss, ridge: RIDGE / counted, tolerance: 0.01 };
  const { learnDecoder } = await import('../training/decoder/decoder.ts');
  const learned = await learnDecoder(engine, { V, H, codes, rows: noise.clean, rowWeights }, settings);
  return { W: learned.W, loss: learned.loss };
}

/**
 * A ridge of its own: codes describe their noisy rows as closely as they can, so that decoding them needs
 * little smoothing.
 */
const RIDGE = 0.01;
/** The largest probability of a one in an unmasked reconstruction: almost no rows give evidence for more. */
const MOST_CERTAIN = 0.99;

/** Turns a reconstruction of masked data (in [-1, 1]) into one of the data before the mask. */
export function unmask(reconstruction: number, rho: number): number {
  return 2 * Math.min(MOST_CERTAIN, (1 + reconstruction) / 2 / (1 - rho)) - 1;
}

/**
 * The cross-entropy of an unmasked reconstruction, computed from its score so that no probability rounds to
 * 0.
 */
export function unmaskedLoss(x: number, score: number, rho: number): number {
  // -ln of the probability of a one before the mask, and the probability of a zero.
  const one = Math.max(-Math.log(MOST_CERTAIN), softplus(-score) + Math.log(1 - rho));
  const zero = Math.max(1 - MOST_CERTAIN, 1 - 1 / (1 + Math.exp(-score)) / (1 - rho));
  return ((1 + x) / 2) * one - ((1 - x) / 2) * Math.log(zero);
}
