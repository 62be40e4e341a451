import { encodingNames, encodingOf, setOf } from '../encodings/by-name.ts';
import type { EncodingName } from '../encodings/encoding.ts';
import type { Engine } from '../engine/engine.ts';
import { crossEntropy } from '../losses/cross-entropy.ts';
import type { Loss } from '../losses/loss.ts';
import type { RowsInput } from '../rows/input.ts';
import type { Rows } from '../rows/rows.ts';
import { type Checkpoint, type CheckpointSink, isCheckpoint } from './checkpoint.ts';
import { checksFor } from './checks.ts';
import type { Noise } from './noise.ts';
import { checkMask, checkRelaxation, isRelaxed, RELAXED_RADIUS } from './prices.ts';
import { defaultBatch, defaultEpochs, defaultRate, defaultRidge, type Settings } from './settings.ts';

export interface FitOptions {
  /** Numbers in a code. */
  readonly H: number;
  /**
   * Where codes live: 'box' is [-1, 1]^H, the paper's binary codes (default); 'real' is R^H; 'bits' is {-1, 1}^H;
   * 'nonnegative' has no minus signs; on the 'simplex' codes are shares of 1; in the 'ball' their length is at most 1.
   */
  readonly encoding?: EncodingName;
  /** 'fast' (default), or 'paper': Algorithm 1 with the settings of the paper's experiments. */
  readonly algorithm?: 'fast' | 'paper';
  /** The reconstruction loss; cross-entropy by default. */
  readonly loss?: Loss;
  /** A unit whose code is always 1, so that each bit's base rate costs no code. Default true ('paper': false). */
  readonly bias?: boolean;
  /**
   * Penalty (ridge/2)(|W|^2 + mean |e|^2). 'auto' picks the one under which hidden entries of validation rows are guessed
   * best, for models that are to complete rows (bits: the one with the lowest loss). Default 0.6 / n (bits: by the weights).
   */
  readonly ridge?: number | 'auto';
  /**
   * How far correlations may be from those measured, in a box of radius 1: one number, or eps_v for each bit (App. C.1).
   * Adds (1/2) eps_v |w_v|_1 to the loss, which leaves many weights at exactly zero. Box codes only. Default 0.
   */
  readonly l1?: number | ArrayLike<number>;
  /** V x H of 0 and 1: only these correlations are used and only these weights exist (Sec. 4.1). Default: all. */
  readonly mask?: ArrayLike<number>;
  /** Passes over the rows. Default: enough for about two thousand steps of W (bits: 16 to 120, fewer for more rows). */
  readonly epochs?: number;
  /**
   * Seconds of learning, the choice of a ridge counted in. Alone, it replaces `epochs`; together, and
   * for 'paper', whichever ends first.
   */
  readonly timeBudget?: number;
  /** Stop when an epoch lowers the loss by less than this share of it. Default 0: never. */
  readonly tolerance?: number;
  /** Rows held out to stop by: a share of the rows, or rows. Learning then keeps the weights that did best there. */
  readonly validation?: number | RowsInput;
  /** What each row counts: a row of weight 2 counts as two of its kind, one of weight 0 not at all. Default 1. */
  readonly rowWeights?: ArrayLike<number>;
  /** What an entry of each column counts, in learning and in encoding; 0 is as if it were missing. Default 1. */
  readonly columnWeights?: ArrayLike<number>;
  /** What the rows have been through: the model decodes to the rows before it (Sec. 5.2). Default: nothing. */
  readonly noise?: Noise;
  /** Rows a minibatch. */
  readonly batch?: number;
  /** Step length of W at the start; it falls to zero along half a cosine wave. */
  readonly rate?: number;
  /** Fixes everything random. Default 1. */
  readonly seed?: number;
  /** Keep every row's code between visits (default), or find it anew: for more rows than codes fit in memory. */
  readonly codes?: 'keep' | 'recompute';
  /** Certify the final codes of the training rows, like those of new rows (default), or only bring them close. */
  readonly certify?: boolean;
  /** Start from these weights (V x width) instead of the data's leading directions. */
  readonly start?: Float32Array;
  /** Where the work is done. Default: one that all calls share. */
  readonly engine?: Engine;
  /** Ends learning early: the model is what was learned so far, and its `training.stopped` says 'aborted'. */
  readonly signal?: AbortSignal;
  /** Called after each minibatch. */
  readonly onProgress?: (progress: Progress) => void;
  /** Is given the state of learning now and then, to go on from after an interruption. */
  readonly checkpoint?: CheckpointSink;
  /** Goes on from such a state, to the very model that would have come of it; rows and options as they were then. */
  readonly resume?: Checkpoint;
}

/** The names of all options, so that a misspelt one does not go unnoticed. */
export const FIT_OPTIONS = Object.keys({
  ...{ H: 1, encoding: 1, algorithm: 1, loss: 1, bias: 1, ridge: 1, l1: 1, mask: 1, noise: 1 },
  ...{ epochs: 1, timeBudget: 1, tolerance: 1, validation: 1, rowWeights: 1, columnWeights: 1 },
  ...{ batch: 1, rate: 1, seed: 1, codes: 1, certify: 1, start: 1 },
  ...{ engine: 1, signal: 1, onProgress: 1, checkpoint: 1, resume: 1 },
} satisfies Record<keyof FitOptions, 1>);

/** The same, with rows that are checked and packed. */
export interface CheckedOptions extends FitOptions {
  readonly validation?: number | Rows;
}

/** How far learning has come. */
export interface Progress {
  readonly phase: 'start' | 'ridge' | 'learn' | 'finish';
  /** Share of the run that is done, 0 to 1. */
  readonly fraction: number;
  readonly epoch: number;
  /** Mean training loss of the present epoch so far. */
  readonly loss: number;
  readonly validation?: number;
  /** Mean gap of the training codes, when it was last measured. */
  readonly gap?: number;
  readonly rate: number;
  readonly rowsPerSecond: number;
  readonly seconds: number;
}

/** Every option checked and every default filled in, for n rows of V bits. */
export function resolveSettings(options: FitOptions, n: number, V: number): Settings {
  const check = checksFor('fit');
  if (!(n >= 1)) throw new RangeError(`fit: rows must hold at least one row, got ${n}`);
  if (!(V >= 1)) throw new RangeError(`fit: rows must have at least one column, got ${V}`);
  const { H, encoding = 'box', loss = crossEntropy, seed = 1, tolerance = 0, codes = 'keep' } = options;
  const { batch = defaultBatch(n), rate = defaultRate(H), timeBudget = Number.POSITIVE_INFINITY } = options;
  const { epochs = options.timeBudget ? Number.POSITIVE_INFINITY : defaultEpochs(n, batch) } = options;
  const ridge = options.ridge === undefined || options.ridge === 'auto' ? defaultRidge(n) : options.ridge;
  check.whole('H', H, 1);
  check.oneOf('encoding', encoding, encodingNames);
  check.oneOf('algorithm', options.algorithm ?? 'fast', ['fast', 'paper']);
  check.oneOf('codes', codes, ['keep', 'recompute']);
  check.loss(loss);
  check.whole('batch', batch, 1);
  if (timeBudget !== Number.POSITIVE_INFINITY) check.moreThan('timeBudget', timeBudget, 0);
  if (epochs !== Number.POSITIVE_INFINITY) check.whole('epochs', epochs, 1);
  check.atLeast('ridge', ridge, 0);
  check.atLeast('tolerance', tolerance, 0);
  check.moreThan('rate', rate, 0);
  check.whole('seed', seed, 0);
  const l1 = checkRelaxation(options, V);
  const mask = checkMask(options, V);
  const kind = encodingOf(encoding);
  if (options.resume && !isCheckpoint(options.resume)) {
    throw new RangeError('fit: resume must be a checkpoint, as `checkpoint.save` was given it');
  }
  if (typeof options.validation === 'number') {
    const share = options.validation;
    if (!(share > 0 && share < 1)) {
      throw new RangeError(`fit: validation must be rows or a share between 0 and 1, got ${share}`);
    }
  } else if (options.validation && options.validation.V !== V) {
    throw new RangeError(`fit: validation rows have ${options.validation.V} columns, the training rows ${V}`);
  }
  return {
    H,
    bias: options.bias ?? true,
    loss,
    ridge,
    l1,
    mask,
    encoding: kind,
    set: setOf(kind),
    radius: isRelaxed(l1) ? RELAXED_RADIUS : kind.learningRadius(H),
    epochs,
    timeBudget,
    tolerance,
    batch,
    rate,
    codeSteps: codes === 'recompute' ? 12 : 8,
    codeTolerance: 0.05,
    certify: options.certify ?? true,
    keepCodes: codes === 'keep',
    seed,
  };
}
