import type { EncodingName } from '../encodings/encoding.ts';
import type { Engine } from '../engine/engine.ts';
import type { Loss } from '../losses/loss.ts';
import type { RowsInput } from '../rows/input.ts';
import type { Checkpoint, CheckpointSink } from './checkpoint/checkpoint.ts';
import type { Progress } from './loop/progress.ts';
import type { Noise } from './noise.ts';

export interface FitOptions {
  /** Numbers in a code. */
  readonly H: number;
  /**
   * Where codes live: 'box' is [-1, 1]^H, the paper's binary codes (default); 'real' is R^H; 'bits' is {-1,
   * 1}^H; 'nonnegative' has no minus signs; on the 'simplex' codes are shares of 1; in the 'ball' their
   * length is at most 1.
   */
  readonly encoding?: EncodingName;
  /**
   * 'fast' (default), or Algorithm 1 with the settings of the paper's experiments: 'paper' follows the
   * author's published program, in which codes are carried from minibatch to minibatch; 'paper-text' follows
   * the text, in which they start at 0.
   */
  readonly algorithm?: 'fast' | 'paper' | 'paper-text';
  /** The reconstruction loss; cross-entropy by default. */
  readonly loss?: Loss;
  /**
   * A unit whose code is always 1, so that each bit's base rate costs no code. Default true ('paper': false).
   */
  readonly bias?: boolean;
  /**
   * Penalty (ridge/2)(|W|^2 + mean |e|^2). 'auto' picks the ridge that guesses hidden entries of validation
   * rows best, for models that complete rows (bits: the one with the lowest loss). Default 0.6 / n (bits:
   * chosen by the weights).
   */
  readonly ridge?: number | 'auto';
  /**
   * How far correlations may be from those measured, in a box of radius 1: one number, or eps_v for each bit
   * (App. C.1). Adds (1/2) eps_v |w_v|_1 to the loss, which leaves many weights at exactly zero. Box codes
   * only. Default 0.
   */
  readonly l1?: number | ArrayLike<number>;
  /**
   * V x H of 0 and 1: only these correlations are used and only these weights exist (Sec. 4.1). Default: all.
   */
  readonly chosen?: ArrayLike<number>;
  /**
   * Guesses missing entries from the code and from up to this many other columns of the row, chosen by their
   * correlations; for tables of up to 4096 columns. Needs `validation` to choose the ridges, including
   * `ridge` if it is not given. Default 0.
   */
  readonly neighbours?: number;
  /**
   * Passes over the rows. Default: enough for about 2,000 steps of W (bits: 16 to 120, fewer for more rows),
   * and for a run that is resumed as many as it had.
   */
  readonly epochs?: number;
  /**
   * Seconds that the call may take, from its start to the certified model. Alone, it replaces `epochs`. With
   * `epochs`, and for 'paper', learning ends at whichever comes first. A run that ends by its epochs does not
   * depend on the clock. A run that is resumed has this time once more.
   */
  readonly timeBudget?: number;
  /** Stop when an epoch lowers the loss by less than this share of it. Default 0: never. */
  readonly minImprovement?: number;
  /**
   * Rows held out to decide when to stop: a share of the rows, or rows. Learning then keeps the weights that
   * did best on them.
   */
  readonly validation?: number | RowsInput;
  /** The weight of each row: a row of weight 2 counts twice, a row of weight 0 not at all. Default 1. */
  readonly rowWeights?: ArrayLike<number>;
  /**
   * The weight of each column's entries, in learning and in encoding; 0 is the same as missing. Default 1.
   */
  readonly columnWeights?: ArrayLike<number>;
  /** The noise in the rows; the model decodes to the rows before the noise (Sec. 5.2). Default: none. */
  readonly noise?: Noise;
  /** Rows per minibatch. */
  readonly batch?: number;
  /** Step length of W at the start; it falls to zero along half a cosine wave. */
  readonly rate?: number;
  /** Fixes everything random. Default 1. */
  readonly seed?: number;
  /**
   * 'keep' keeps every row's code between visits; 'recompute' finds it again, if codes do not fit into
   * memory. Default: keep, unless codes take more than 1 GiB and no other option needs them.
   */
  readonly codes?: 'keep' | 'recompute';
  /** Certify the final training codes like those of new rows. Default true; false only brings them close. */
  readonly certify?: boolean;
  /** Start from these weights (V x width) instead of the data's leading directions. */
  readonly start?: Float32Array;
  /** The engine to compute on. Default: one that all calls share. */
  readonly engine?: Engine;
  /**
   * Ends the call early: it rejects with the signal's reason, after a last checkpoint if `checkpoint` is set.
   */
  readonly signal?: AbortSignal;
  /**
   * An abort returns the model learned so far instead of rejecting, without certificates; its
   * `training.stopped` is 'aborted'.
   */
  readonly partial?: boolean;
  /** Called with the progress of learning: once for each phase, and a few times per second in between. */
  readonly onProgress?: (progress: Progress) => void;
  /** Receives the state of learning now and then, to continue from after an interruption. */
  readonly checkpoint?: CheckpointSink;
  /**
   * Continues from such a state and ends with the same model as without the interruption; rows and options
   * must be the same.
   */
  readonly resume?: Checkpoint;
}

/** The names of all options, so that a misspelt one does not go unnoticed. */
export const FIT_OPTIONS = Object.keys({
  ...{ H: 1, encoding: 1, algorithm: 1, loss: 1, bias: 1, ridge: 1, l1: 1, chosen: 1, noise: 1 },
  neighbours: 1,
  ...{ epochs: 1, timeBudget: 1, minImprovement: 1, validation: 1, rowWeights: 1, columnWeights: 1 },
  ...{ batch: 1, rate: 1, seed: 1, codes: 1, certify: 1, start: 1 },
  ...{ engine: 1, signal: 1, partial: 1, onProgress: 1, checkpoint: 1, resume: 1 },
} satisfies Record<keyof FitOptions, 1>);
