import type { EncodingName } from '../encodings/encoding.ts';
import type { Loss } from '../losses/loss.ts';
import type { Calibration } from '../promises/calibration.ts';
import type { ColumnGroup } from '../rows/about.ts';
import type { TableSchema } from '../rows/schema.ts';
import type { Seen } from '../rows/seen.ts';
import type { Neighbours } from '../solvers/neighbours.ts';
import type { HistoryEntry, Stopped } from '../training/loop/history.ts';

/** The parts of a model: everything that its file holds. */
export abstract class ModelParts {
  declare readonly V: number;
  declare readonly H: number;
  declare readonly encoding: EncodingName;
  declare readonly bias: boolean;
  /** The reconstruction loss. */
  declare readonly reconstructionLoss: Loss;
  /** Decoding weights, V x width; width is H, or H + 1 with the bias in the last column. */
  declare readonly W: Float32Array;
  /** The correlations remembered from the training data, X E^T / n: V x width. */
  declare readonly B: Float32Array;
  /**
   * Second moments of the training codes, E E^T / n, including the bias unit's 1; further learning needs
   * them.
   */
  declare readonly moments?: Float32Array;
  declare readonly curvature: Float32Array;
  declare readonly radius: number;
  /**
   * V x H of 0 and 1: the pairs whose correlations are used and whose weights exist. Absent: all (Sec. 4.1).
   */
  declare readonly chosen?: Uint8Array;
  /** The weight of an entry of each column; 1 if absent. Codes and losses use these weights. */
  declare readonly columnWeights?: Float32Array;
  /**
   * Codes of bits: what scores are multiplied by when codes are searched by the likelihood of a row, chosen
   * by the neighbours of held-out rows if there are any. See docs/search.md.
   */
  declare readonly temperature?: number;
  /** For models learned from noisy rows: how codes decode to the rows before the noise. */
  declare readonly restoring?: Restoring;
  declare readonly training: TrainingRecord;
  /** Names of the columns, if the data had them. */
  declare readonly columns?: readonly string[];
  /** Groups of columns that are the values of one category, if the data had any. */
  declare readonly groups?: readonly ColumnGroup[];
  /** Height and width of a row, if it is a picture. */
  declare readonly image?: { readonly height: number; readonly width: number };
  /** How the training rows were read, if they came from a file. */
  declare readonly schema?: TableSchema;
  /** Losses of rows that took no part in learning, from `calibrate`. */
  declare readonly calibration?: Calibration;
  /** How other columns predict a missing entry beyond the code; `impute` uses them. */
  declare readonly neighbours?: Neighbours;

  constructor(parts: ModelParts) {
    Object.assign(this, parts);
  }
}

/** How a model was learned. */
export interface TrainingRecord {
  /** 'decoder': only the decoding layer was learned, for codes that were given. */
  readonly algorithm: 'fast' | 'paper' | 'paper-text' | 'decoder';
  readonly n: number;
  /** Mean training loss; with exact correlations it is the slack, the worst-case bound of Thm. 1. */
  readonly loss: number;
  /** After `partialFit`: the slack is proven to be at most this, and `loss` is an estimate of it. */
  readonly bound?: number;
  /** Mean certified gap of the training codes; absent if codes were given. */
  readonly meanGap?: number;
  readonly seed: number;
  readonly ridge: number;
  /** The ridge was chosen by how well it completes validation rows. */
  readonly ridgeChosen?: boolean;
  /** eps_v: how far correlations were allowed to be from B (App. C.1), one number, or one per bit. */
  readonly l1: number | readonly number[];
  /**
   * No other weights are better by more than this for the codes that W was last fitted to, including the cost
   * of their size (ridge or l1). Absent if it was not proven.
   */
  readonly weightGap?: number;
  /**
   * No weights up to 64, for codes whose mean square is 1, have a worst case for B that is lower by more
   * (Thm. 1). Absent if it was not proven.
   */
  readonly slackGap?: number;
  readonly epochs: number;
  readonly seconds: number;
  readonly stopped: Stopped;
  readonly converged: boolean;
  readonly history: readonly HistoryEntry[];
  /** A sketch of the training rows, by which they are recognised. */
  readonly seen?: Seen;
}

/**
 * How a model that was learned from noisy rows decodes to clean ones (Sec. 5.2). Codes are found with W from
 * noisy rows; decoding is corrected for delta, the share of the noise in the correlations, B = noisy
 * B - delta:
 *
 * - `W`: the clean rows were at hand, so B is theirs, and these are the weights of Thm. 1 for it. `loss` is
 *   their slack.
 * - `mask`: only the noise was known. At the W learned, the hallucinated data have the noisy correlations
 *   (App. A.2); with the probability of a one in them divided by 1 - rho, they have noisy B - delta, delta
 *   extrapolated from the ones that were kept. So that is what is decoded.
 */
export type Restoring = { readonly W: Float32Array; readonly loss: number } | { readonly mask: number };
