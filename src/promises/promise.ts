import type { Calibration } from './calibration.ts';
import { type Decoding, evenOdds, inNats } from './ceiling.ts';
import { changedBits } from './changed-bits.ts';
import { meanBound } from './mean.ts';
import { nextRowBound } from './next-row.ts';
import { quantileBound } from './quantile.ts';
import { tailBound } from './tail.ts';
import { amount, count, percent } from './words.ts';

/** What new rows of the calibrated source cost at most. */
export interface Promised {
  readonly bound: number;
  /** The promise in a sentence, its unit included; numbers in it are rounded up. */
  readonly statement: string;
  /** What must be true for the promise to hold. */
  readonly assumes: string;
  /** How the bound was found. */
  readonly method: string;
  /** For 'changed bits': the cap to decode with, `decode(codes, { cap })`. */
  readonly cap?: number;
}

/** What a model can promise about new rows. */
export const promises = [
  'mean',
  'quantile',
  'next row',
  'tail',
  'contaminated',
  'ceiling',
  'changed bits',
] as const;

export interface Asked {
  readonly of: (typeof promises)[number];
  /** The probability, over the draw of the calibration rows, that the promise holds. Default 0.99. */
  readonly confidence?: number;
  /**
   * The share of rows that the promise is about. For a quantile: the share that costs at most as much
   * (default 0.95). For the next row: the probability (0.95). For the tail: the share of the worst rows
   * (0.1). Otherwise: the share of rows that may be arbitrary (0.01).
   */
  readonly share?: number;
  /** How many bits of each row are changed, for 'changed bits'. Default 1. */
  readonly bits?: number;
}

/** Refuses unknown promises, and lists those that exist. */
export function checkAsked(asked: Partial<Asked> | undefined): void {
  if (makers[asked?.of as Asked['of']]) return;
  const got = asked?.of === undefined ? 'nothing' : `'${asked.of}'`;
  throw new RangeError(
    `promise: say what to promise, as in promise({ of: 'mean' }); of is one of ${promises.join(', ')}, got ${got}`,
  );
}

/** What a decoder promises about new rows, from its calibration. */
export function promise(decoding: Decoding, calibration: Calibration, asked: Asked): Promised {
  checkAsked(asked);
  const { of, confidence = 0.99 } = asked;
  checkShare('confidence', confidence);
  if (asked.share !== undefined) checkShare('share', asked.share);
  const { losses, ceiling, described } = calibration;
  if (described && of in needsNewRows) {
    throw new RangeError(`promise: '${of}' needs calibration rows that took no part in learning`);
  }
  const made = makers[of](asked, {
    decoding,
    calibration,
    losses,
    evidence: (described?.nats ?? 0) - Math.log1p(-confidence),
    sure: `${percent(confidence)} confidence`,
  });
  const bound = Math.min(made.most ?? ceiling, made.bound + (described?.gap ?? 0));
  return {
    bound,
    statement: made.statement(withUnit(bound, decoding)) + vacuous(of, bound, decoding),
    assumes: of === 'ceiling' ? NOTHING : `${assumed(calibration)}${made.assumes ?? ''}`,
    method: described && of !== 'ceiling' ? `${made.method} ${OCCAM}` : made.method,
    ...(made.cap !== undefined && { cap: made.cap }),
  };
}

/** Every promise that a calibration allows, with its name. */
export function allPromises(
  decoding: Decoding,
  calibration: Calibration,
  confidence?: number,
): (Promised & Pick<Asked, 'of'>)[] {
  return promises
    .filter((of) => !(calibration.described && of in needsNewRows))
    .map((of) => ({ of, ...promise(decoding, calibration, { of, confidence }) }));
}

/** All that these promises assume: what they have in common, then what some of them assume besides. */
export function assumptionsOf(found: readonly Promised[]): string {
  const [{ assumes: common }] = found;
  const besides = found
    .filter(({ assumes }) => assumes.startsWith(common) && assumes !== common)
    .map(({ assumes }) => assumes.slice(common.length));
  return [common, ...besides].join('');
}

interface Given {
  readonly decoding: Decoding;
  readonly calibration: Calibration;
  readonly losses: ArrayLike<number>;
  readonly evidence: number;
  /** The confidence, in words. */
  readonly sure: string;
}

interface Made {
  readonly bound: number;
  /** The sentence, given the bound with its unit. */
  readonly statement: (most: string) => string;
  readonly assumes?: string;
  readonly method: string;
  readonly cap?: number;
  /** The most that any row costs. Default: the ceiling. */
  readonly most?: number;
}

const makers: Record<Asked['of'], (asked: Asked, given: Given) => Made> = {
  mean: (_, given) => ({
    bound: meanOf(given),
    statement: (most) => `The mean loss of rows from this source is at most ${most} per row (${given.sure}).`,
    method: BETTING,
  }),
  quantile: ({ share = 0.95 }, { losses, calibration, evidence, sure }) => ({
    bound: quantileBound(losses, calibration.ceiling, share, Math.exp(-evidence)),
    statement: (most) =>
      `At least ${percent(share)} of the rows from this source have a loss of at most ${most} (${sure}).`,
    method: 'Binomial tolerance bound, exact for every source.',
  }),
  'next row': ({ share = 0.95 }, { losses, calibration }) => ({
    bound: nextRowBound(losses, calibration.ceiling, share),
    statement: (most) =>
      `The next row from this source has a loss of at most ${most}, with probability ${percent(share)}.`,
    method:
      'Split conformal prediction. The probability is over the calibration rows and the next row together.',
  }),
  tail: ({ share = 0.1 }, { losses, calibration, evidence, sure }) => ({
    bound: tailBound(losses, calibration.ceiling, share, evidence, calibration.seed),
    statement: (most) =>
      `The worst ${percent(share)} of the rows from this source have a mean loss of at most ${most} (${sure}).`,
    method: `Conditional value at risk. A tenth of the calibration rows places a line; what lies above it is bounded by the others. ${BETTING}`,
  }),
  contaminated: ({ share = 0.01 }, given) => ({
    bound: (1 - share) * meanOf(given) + share * given.calibration.ceiling,
    statement: (most) =>
      `If ${percent(share)} of new rows may be anything and the others are from this source, their mean loss is at most ${most} per row (${given.sure}).`,
    assumes: ' None of the calibration rows was one of those that may be anything.',
    method: `The bound on the mean, and the ceiling for rows that may be anything. ${BETTING}`,
  }),
  ceiling: (_, { calibration, decoding }) => ({
    bound: calibration.ceiling,
    statement: (most) => `No row from any source has a loss of more than ${most}.`,
    method: inNats(decoding)
      ? 'A row that its code describes worse than even odds would is marked as such; the mark costs all other rows 0.001 nats.'
      : 'The code of a row that is described worse than by even odds says so, by one bit more.',
  }),
  'changed bits': ({ bits = 1 }, given) => {
    const { ceiling } = given.calibration;
    if (!(Number.isInteger(bits) && bits >= 0 && bits <= given.decoding.V))
      throw new RangeError(`promise: bits must be a whole number from 0 to ${given.decoding.V}, got ${bits}`);
    const { cap, price, most } = changedBits(bits, given.decoding);
    return {
      bound: meanOf(given) + price,
      // A row that escapes decodes to even odds, and costs the same whatever its bits.
      most: Math.max(ceiling, most),
      cap,
      statement: (most) =>
        `If any ${bits === 1 ? 'one bit' : `${bits} bits`} of every row may change after encoding, the mean loss with scores capped at ${cap.toFixed(2)} in decoding is at most ${most} per row (${given.sure}).`,
      assumes: ` Codes whose bits may change are decoded with scores capped at ${cap.toFixed(2)}.`,
      method: `The bound on the mean; cap and changed bits add at most ${amount(price)} to any row. ${BETTING}`,
    };
  },
};

function meanOf({ losses, calibration, evidence }: Given): number {
  return meanBound(losses, calibration.ceiling, evidence);
}

/** Whether a bound says nothing, because even odds for every row meet it too. */
export function saysNothing(of: Asked['of'], bound: number, decoding: Decoding): boolean {
  return of !== 'ceiling' && bound >= evenOdds(decoding);
}

/** A remark for bounds that say nothing. */
function vacuous(of: Asked['of'], bound: number, decoding: Decoding): string {
  if (!saysNothing(of, bound, decoding)) return '';
  return ` Guessing every bit at even odds does no worse: it costs ${withUnit(evenOdds(decoding), decoding)}.`;
}

function assumed({ n, described }: Calibration): string {
  const draws = 'independent draws from the source of the new rows';
  if (described) return `The ${count(n)} rows that were learned from are ${draws}.`;
  if (n === 1)
    return 'The one calibration row is an independent draw from the source of the new rows and took no part in learning.';
  return `The ${count(n)} calibration rows are ${draws} and took no part in learning.`;
}

/** An amount of loss, rounded up, with its unit. */
export function withUnit(value: number, decoding: Decoding): string {
  const unit = inNats(decoding) ? 'nats' : `(${decoding.reconstructionLoss.name} loss)`;
  return `${amount(value)} ${unit}`;
}

const needsNewRows: Partial<Record<Asked['of'], true>> = { quantile: true, 'next row': true };
const BETTING = 'Betting on the mean of bounded losses: any distribution, any order of the rows.';
const OCCAM = 'It holds at once for all weights that can be described as briefly as those of the model.';
const NOTHING = 'Nothing.';

function checkShare(name: string, value: number): void {
  if (!(value > 0 && value < 1))
    throw new RangeError(`promise: ${name} must lie between 0 and 1, got ${value}`);
}
