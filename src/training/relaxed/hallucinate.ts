import type { Engine } from '../../engine/engine.ts';
import { inverse } from '../../math/linear.ts';
import { eachScore } from './scores.ts';
import type { RelaxedProblem } from './weights.ts';

/**
 * The hallucinated data u = Psi'(m + shift . e) of one bit, and how their correlations differ from the rows'.
 */
export interface Hallucinated {
  /** One for each of the `free` weights. */
  readonly shift: Float64Array;
  /**
   * The weights that cost nothing: a bias that is left out of the penalty, or all of a bit with eps_v = 0.
   */
  readonly free: readonly number[];
  /** The mean over rows of (1/2) (u - x) e, in float64, for each of the `width` weights. */
  readonly gradient: Float64Array;
  /** Whether it vanishes on the free weights, as far as float64 can tell. */
  readonly matched: boolean;
}

/**
 * Data hallucinated by weights near W that have the very correlations of the rows where nothing is relaxed
 * (eps = 0), for every bit. The free weights are solved for in float64, by Newton's method from where they
 * are: at their minimum the gradient vanishes, which is what the constraint asks for (App. A.2), and Psi'
 * keeps the data in [-1, 1]. There is no minimum where the rows of a bit are told apart without error, but
 * the gradient falls below any number; and none is found for losses with kinks.
 */
export async function hallucinate(engine: Engine, problem: RelaxedProblem): Promise<Hallucinated[]> {
  const { shape, W, prices, loss } = problem;
  const { V } = shape;
  const width = W.length / V;
  const bits = Array.from({ length: V }, (_, v) => startOf(prices.subarray(v * width, (v + 1) * width)));
  for (let round = 0; round < ROUNDS && bits.some((bit) => !bit.done); round++) {
    const looks = bits.map(({ done, free }) => (done ? undefined : emptyLook(width, free.length)));
    await eachScore(engine, problem, ({ v, m, x, weight, codes, at }) => {
      const look = looks[v];
      if (!look) return;
      const { free, tried } = bits[v];
      let score = m;
      for (let k = 0; k < free.length; k++) score += tried[k] * codes[at + free[k]];
      look.total += weight;
      look.value += 0.5 * weight * (loss.psi(score) - x * score);
      const slope = 0.5 * weight * (loss.psiPrime(score) - x);
      for (let h = 0; h < width; h++) look.gradient[h] += slope * codes[at + h];
      if (free.length === 0) return;
      const bend = 0.5 * weight * loss.psiSecond(score);
      for (let j = 0; j < free.length; j++) {
        const scaled = bend * codes[at + free[j]];
        for (let k = 0; k <= j; k++) look.hessian[j * free.length + k] += scaled * codes[at + free[k]];
      }
    });
    looks.forEach((look, v) => {
      if (look) advance(bits[v], look);
    });
  }
  return bits.map(({ free, shift, best, done }) => ({ free, shift, gradient: best.gradient, matched: done }));
}

const ROUNDS = 40;
/** A mean gradient of this size is zero: codes are of the order of 1, and sums over many rows are rounded. */
const ZERO = 1e-11;
/** Objectives that differ by less are the same. */
const ROUNDING = 1e-12;

/** Where the search for a bit's free weights stands. */
interface Bit {
  readonly free: readonly number[];
  shift: Float64Array;
  tried: Float64Array;
  damping: number;
  /** What was seen at `shift`. */
  best: Look;
  done: boolean;
}

/** A bit's objective at the weights tried, its gradient in all weights and its Hessian in the free ones. */
interface Look {
  value: number;
  total: number;
  readonly gradient: Float64Array;
  readonly hessian: Float64Array;
}

function startOf(prices: Float32Array): Bit {
  const free = Array.from(prices.keys()).filter((h) => prices[h] === 0);
  const shift = new Float64Array(free.length);
  const tried = new Float64Array(free.length);
  const best = { ...emptyLook(prices.length, free.length), value: Number.POSITIVE_INFINITY };
  return { free, shift, tried, damping: 0, best, done: false };
}

function emptyLook(width: number, size: number): Look {
  return { value: 0, total: 0, gradient: new Float64Array(width), hessian: new Float64Array(size ** 2) };
}

/**
 * Keeps the weights tried unless the objective rose, and says which to try next: a shorter step where it did.
 */
function advance(bit: Bit, look: Look): void {
  const { free } = bit;
  const size = free.length;
  if (look.value <= bit.best.value + ROUNDING * look.total) {
    bit.shift = bit.tried;
    bit.best = look;
    bit.damping = bit.damping < LEAST_DAMPING ? 0 : bit.damping / 8;
  } else bit.damping = Math.max(LEAST_DAMPING, 8 * bit.damping);
  const { gradient, hessian, total } = bit.best;
  bit.done = free.every((h) => Math.abs(gradient[h]) <= ZERO * total);
  if (bit.done) return;
  for (let j = 0; j < size; j++) for (let k = 0; k < j; k++) hessian[k * size + j] = hessian[j * size + k];
  const inverted = inverse(hessian, size, Math.max(SINGULAR, bit.damping));
  bit.tried = bit.shift.map((z, j) => {
    let step = 0;
    for (let k = 0; k < size; k++) step += inverted[j * size + k] * gradient[free[k]];
    return z - step;
  });
}

const LEAST_DAMPING = 0.1;
/** Units may be copies of each other: relative to the mean of the Hessian's diagonal. */
const SINGULAR = 1e-14;
