import type { CodeSet, Encoding } from '../encodings/encoding.ts';
import type { Loss } from '../losses/loss.ts';
import type { Relaxation } from './prices.ts';

/** What `fast` needs to know, every default filled in (see `FitOptions` for what each is for). */
export interface Settings {
  readonly H: number;
  readonly bias: boolean;
  readonly loss: Loss;
  readonly ridge: number;
  /** eps_v, in the box of radius 1. */
  readonly l1: Relaxation;
  /** V x H: the pairs whose weights exist; all of them where there is no mask. */
  readonly mask?: Uint8Array;
  readonly encoding: Encoding;
  /** The set that codes are confined to, where it is no box; `radius` is its size while they are learned. */
  readonly set?: CodeSet;
  /** Codes are held within this radius while they are learned; Infinity where their scale does not matter. */
  readonly radius: number;
  readonly epochs: number;
  /** Seconds; Infinity when there is no budget. */
  readonly timeBudget: number;
  readonly tolerance: number;
  readonly batch: number;
  readonly rate: number;
  /** Conjugate-gradient steps on the codes of a minibatch, at most. */
  readonly codeSteps: number;
  /** A code rests when its next step is expected to gain less than this many nats. */
  readonly codeTolerance: number;
  readonly certify: boolean;
  readonly keepCodes: boolean;
  readonly seed: number;
}

/** Rows a minibatch: enough for a steady gradient, few enough that W moves often. */
export function defaultBatch(n: number): number {
  return Math.max(1, Math.min(n, 1000, Math.max(64, Math.ceil(n / 16))));
}

/** Enough epochs for about two thousand steps of W. */
export function defaultEpochs(n: number, batch: number): number {
  return Math.max(20, Math.min(500, Math.round(2000 / Math.ceil(n / batch))));
}

/** Adam's step is the same for every weight; scores add up H of them with codes of unit variance. */
export function defaultRate(H: number): number {
  return 0.28 / Math.sqrt(H);
}

/** A prior of about unit strength on each weight: its share in the mean over rows fades as rows are added. */
export function defaultRidge(n: number): number {
  return 0.6 / n;
}
