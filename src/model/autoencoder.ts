import type { Where } from '../engine/scope.ts';
import type { SameSource } from '../promises/same-source.ts';
import type { Bytes } from '../rows/bytes.ts';
import type { RowsInput } from '../rows/input.ts';
import type { Rows } from '../rows/rows.ts';
import type { Effort } from '../solvers/encode-bits.ts';
import type { ModelParts } from './parts.ts';

/**
 * What models of one layer (`PCAE`) and of several (`Stack`) have in common: they encode rows and decode
 * codes.
 */
export interface Autoencoder
  extends Pick<ModelParts, 'V' | 'H' | 'encoding' | 'reconstructionLoss' | 'columnWeights'>,
    Pick<ModelParts, 'columns' | 'groups' | 'image' | 'schema'> {
  /** Encodes rows piece by piece, in order, with only one piece of a source in memory. */
  encodeSource(rows: RowsInput, options?: EncodeOptions): AsyncGenerator<EncodedPiece>;
  /** What codes (n x H) decode to: reconstructions in [-1, 1], n x V. */
  decode(codes: ArrayLike<number>, options?: Pick<EncodeOptions, 'engine'>): Promise<Float32Array>;
  /** How well rows are reconstructed from their codes, with bounds and proofs if there are any. */
  evaluate(rows: RowsInput, options?: EvaluateOptions): Promise<Reconstruction | LossReport>;
  /** The bytes of its file. */
  save(): Bytes;
}

/** A piece of the rows with its codes (n x H), its losses and, if the codes are proven, their gaps. */
export interface EncodedPiece {
  readonly n: number;
  readonly rows: Rows;
  readonly codes: Float32Array;
  readonly losses: ArrayLike<number>;
  readonly gaps?: ArrayLike<number>;
}

/** What can be measured on every autoencoder. */
export type Reconstruction = Pick<LossReport, 'n' | 'loss' | 'lossPerBit' | 'hamming'>;

export interface EncodeOptions extends Where {
  /** Each code is proven to be within this many nats of its optimum. Default 0.01. */
  readonly tolerance?: number;
  /** Codes of bits: how hard to search. 'exhaustive' tries all codes, for H up to 16. */
  readonly effort?: Effort;
  /**
   * Codes of bits: also solve each row's relaxation to the box, which proves the smallest gap. Default false.
   */
  readonly bound?: boolean;
  /** Codes of bits: fixes the random starts of the search. Default 1. */
  readonly seed?: number;
  /**
   * Adds (shrink/2) |e|^2 to a row's loss when its code is found: so that the code predicts unknown entries
   * better (`impute`, `chooseShrink`). Reported losses and gaps leave this term out. Default 0.
   */
  readonly shrink?: number;
  /**
   * A code that describes its row worse than even odds becomes NaN, which `decode` reads as even odds: no row
   * then costs more than `ceiling()`. The choice costs every other row 0.001 nats, which its loss includes.
   * Default false.
   */
  readonly escape?: boolean;
  /** Called with the share of rows done, a few times per second, and with 1 at the end. */
  readonly onProgress?: (fraction: number) => void;
}

export interface DecodeOptions extends Where {
  /**
   * Limits what is returned to what scores from -cap to cap decode to, which bounds the cost of a bit that
   * changed after its row was encoded.
   * Default: no cap.
   */
  readonly cap?: number;
}

export interface EvaluateOptions extends EncodeOptions {
  /** Box codes: draw bits from each code this many times and report their expected loss. Default: none. */
  readonly draws?: number;
  /** The weight of each row in the means; default 1. */
  readonly rowWeights?: ArrayLike<number>;
  /**
   * Rows to compare reconstructions with instead of the encoded ones, such as clean versions of noisy rows.
   */
  readonly against?: RowsInput;
}

/**
 * How well rows are reconstructed, each from its own optimal code. Means over rows, in the unit of the loss.
 * A model that restores noisy rows is judged by its restored rows only if `against` is given; otherwise by
 * how its codes reconstruct the given rows.
 */
export interface LossReport {
  readonly n: number;
  readonly loss: number;
  /**
   * For bounded losses, the mean loss of the reconstructions. `loss` is the convex function that codes
   * minimise, which is larger if scores are beyond the range of the loss. Absent for other losses, where the
   * two are the same.
   */
  readonly decodedLoss?: number;
  /** The mean loss with the escape, as promises use it: no row counts more than the model's ceiling. */
  readonly lossWithEscape: number;
  /** Rows whose code escapes to even odds. */
  readonly escaped: number;
  /** Whether these rows may come from the source of the calibration rows, if the model is calibrated. */
  readonly sameSource?: SameSource;
  /** The mean over all known entries. */
  readonly lossPerBit: number;
  /**
   * The worst case over all data with these codes and each correlation no further from B than these rows'
   * (App. C.1). Infinity for a model that restores noisy rows when `against` is given, because B says nothing
   * about those rows.
   */
  readonly bound: number;
  /** The largest difference of a correlation of these rows from the remembered one. */
  readonly drift: number;
  readonly gap: { readonly mean: number; readonly max: number };
  /** Mean number of wrong bits in the rounded reconstruction, compared with the same rows as the loss. */
  readonly hamming: number;
  /** The tolerance that the gap of every row had to reach. */
  readonly tolerance: number;
  /** How many codes could not be certified to the tolerance; their gaps show what was proven instead. */
  readonly uncertified: number;
  /** Codes of bits: flipping up to so many bits at once improves no code (1, 2, or H if all were tried). */
  readonly flipOptimal?: number;
  /** Box codes, with `draws`: the expected loss of bits drawn from the codes, and its standard error. */
  readonly randomised?: { readonly loss: number; readonly standardError: number; readonly draws: number };
}
