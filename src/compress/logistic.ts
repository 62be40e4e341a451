import { PROBABILITY_BITS } from './range-coder.ts';

/**
 * The logistic function and its inverse in whole numbers: logits in units of 1/256 nat, probabilities in
 * units of 2^-16.
 *
 * Math.exp may differ in its last digit between machines, which would be enough to lose a stream. The tables
 * are made of products, sums and quotients of doubles alone, which IEEE 754 fixes to the last bit.
 */
export const LOGIT_UNIT = 256;
/** Beyond this a probability would round to 0 or 1: e^-11 is about 2^-16. */
export const LOGIT_LIMIT = 11 * LOGIT_UNIT;
export const ONE = 2 ** PROBABILITY_BITS;

const SQUASH = squashTable();
const STRETCH = stretchTable();

/** The probability of a one, 1 .. 65535, for a logit of any size. */
export function squash(logit: number): number {
  if (logit >= LOGIT_LIMIT) return SQUASH[2 * LOGIT_LIMIT];
  if (logit <= -LOGIT_LIMIT) return SQUASH[0];
  return SQUASH[logit + LOGIT_LIMIT];
}

/** The logit of a probability 0 .. 65535, to 12 bits of the probability. */
export function stretch(probability: number): number {
  return STRETCH[probability >> 4];
}

function squashTable(): Uint16Array {
  const table = new Uint16Array(2 * LOGIT_LIMIT + 1);
  // e^(-1/256), correctly rounded; its powers one after another.
  const step = 0.9961013694701175;
  let power = 1;
  for (let k = 0; k <= LOGIT_LIMIT; k++, power *= step) {
    const plus = Math.min(ONE - 1, Math.floor(ONE / (1 + power) + 0.5));
    table[LOGIT_LIMIT + k] = plus;
    table[LOGIT_LIMIT - k] = ONE - plus;
  }
  return table;
}

/** For the middle of each of 4,096 intervals the smallest logit that reaches it. */
function stretchTable(): Int16Array {
  const table = new Int16Array(4096);
  let logit = -LOGIT_LIMIT;
  for (let k = 0; k < 4096; k++) {
    while (logit < LOGIT_LIMIT && SQUASH[logit + LOGIT_LIMIT] < 16 * k + 8) logit++;
    table[k] = logit;
  }
  return table;
}
