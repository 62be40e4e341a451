import { WIDE } from '../engine/engine.ts';
import { defaultPasses, RELAX_RIDGE } from './bits/plan.ts';
import type { FitOptions } from './options.ts';

/** The defaults of a method. */
interface MethodDefaults {
  readonly batch: number;
  readonly rate: number;
  readonly epochs: number;
  readonly ridge: number;
  readonly ridgeFrom: 'options' | 'weights';
  readonly bias: boolean;
}

/** The defaults for n training rows. */
type Defaults = (n: number, options: Pick<FitOptions, 'H' | 'batch' | 'engine'> & Occasion) => MethodDefaults;

/** What decides on epochs besides the rows and the options. */
interface Occasion {
  readonly V: number;
  /** Whether learning ends with Newton's rounds. */
  readonly refines: boolean;
  /** Whether rows are read, or codes found, anew in each epoch: another one brings little but steps of W. */
  readonly anew: boolean;
}

/**
 * The settings of the paper's experiments: in epoch t one fresh minibatch, encoded by 35 t steps of Adagrad
 * and then decoded by as many on W, with accumulators that start at 0.1.
 */
export const PAPER = {
  epochs: 60,
  batch: 250,
  stepsPerEpoch: 35,
  rate: 0.3,
  accumulator: 0.1,
  testSteps: 1000,
} as const;

const paper: Defaults = (n, { batch = PAPER.batch }) => ({
  batch: Math.min(n, batch),
  rate: PAPER.rate,
  epochs: PAPER.epochs,
  bias: false,
  ridge: 0,
  ridgeFrom: 'options',
});

export const methodDefaults: Readonly<Record<'fast' | 'bits' | 'paper' | 'paper-text', Defaults>> = {
  fast: (n, { V, H, batch, refines, anew, engine }) => ({
    // On a device many small minibatches cost next to nothing.
    batch: batch ?? (refines && H > MOST_REFINED && !engine?.littleWork ? steadyBatch(n) : defaultBatch(n)),
    epochs: refines
      ? epochsBefore(n, batch ?? defaultBatch(n), V, H, engine?.littleWork)
      : defaultEpochs(n, batch ?? defaultBatch(n), anew ? LEAST_ANEW : LEAST),
    rate: defaultRate(H),
    bias: true,
    ridge: defaultRidge(n),
    ridgeFrom: 'options',
  }),
  bits: (n, { H, batch = defaultBatch(n) }) => ({
    batch,
    rate: 0.11 / Math.sqrt(H),
    epochs: defaultPasses(n, H),
    bias: true,
    ridge: RELAX_RIDGE / n,
    ridgeFrom: 'weights',
  }),
  paper,
  'paper-text': paper,
};

/** Rows per minibatch: enough for a steady gradient, few enough that W moves often. */
export function defaultBatch(n: number): number {
  return Math.max(1, Math.min(n, 1000, Math.max(64, Math.ceil(n / 16))));
}

/** Enough epochs for about two thousand steps of W. */
export function defaultEpochs(n: number, batch: number, least = LEAST): number {
  return Math.max(least, Math.min(500, Math.round(2000 / Math.ceil(n / batch))));
}

/** The least number of epochs, so that codes come close. */
const LEAST = 20;
/**
 * The same where rows are read or codes found anew in each epoch. One epoch would do if the rows came in
 * random order, but they come in that of their file: if it is sorted, W forgets its beginning
 * (docs/notes/solvers.md).
 */
const LEAST_ANEW = 10;

/**
 * Rows per minibatch for codes with many units, so that W takes few steps per epoch. After sixty steps of W,
 * a code of the epoch before costs more than a code of 0; after thirty it is a good start
 * (docs/notes/newton-rounds.md).
 */
function steadyBatch(n: number): number {
  return Math.max(defaultBatch(n), Math.ceil(n / STEADY_MINIBATCHES));
}

/**
 * Epochs before Newton's rounds, which replace most of the epochs (docs/notes/newton-rounds.md). If a
 * minibatch is little work, epochs cost almost nothing and all of them are kept. In a wide table the rounds
 * do most of the learning (docs/notes/wide.md).
 */
function epochsBefore(n: number, batch: number, V: number, H: number, little = LITTLE_WORK): number {
  if (V >= WIDE) return Math.max(1, Math.min(MOST_BEFORE, Math.round(ENOUGH_VISITS / n)));
  // With few units much of a row stays unexplained, and rounds learn that best. Many units fit it soon.
  const least = H > MOST_REFINED ? 0.12 : H > FEW_UNITS ? 0.25 : 0.1;
  const share = Math.max(least, Math.min(1, little / (batch * V * H)));
  return Math.max(1, Math.round(defaultEpochs(n, batch) * share));
}

/** The loss in nats per row below which rounds would only widen margins, which makes new rows worse. */
export const SETTLED = 0.5;

/**
 * The most units that Newton's rounds refine. With more, the best weights for training rows fit new ones
 * worse.
 */
export const MOST_REFINED = 64;

/** Up to so many units are few: their codes leave much of a row unexplained. */
const FEW_UNITS = 32;

/**
 * Visits of rows in a wide table before the rounds, and the most epochs that they may take. Rounds from a
 * single epoch on reach the same training loss, but with few rows their weights fit new ones worse
 * (docs/notes/wide.md).
 */
const ENOUGH_VISITS = 20_000;
const MOST_BEFORE = 4;

/** The most minibatches of an epoch for codes with many units. */
const STEADY_MINIBATCHES = 30;

/** Products of numbers (batch x V x H) in a minibatch that is little work for two cores. */
const LITTLE_WORK = 2e6;

/** Adam moves every weight by the same step, and a score adds up H of them times codes of unit variance. */
export function defaultRate(H: number): number {
  return 0.28 / Math.sqrt(H);
}

/** A prior of about unit strength on each weight. As part of a mean over rows, it fades as rows are added. */
export function defaultRidge(n: number): number {
  return 0.6 / n;
}
