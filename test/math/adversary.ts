import { createRequire } from 'node:module';
import type { LegacyHighs } from 'highs';
import type { Loss } from '../../src/losses/index.ts';
import { type Matrix, row } from '../../src/math/index.ts';

// Its type declarations describe the CommonJS build, so that is the one loaded.
const loadHighs: () => Promise<LegacyHighs> = createRequire(import.meta.url)('highs');
const highs = await loadHighs();

/**
 * The adversary of the game (Eq. 3), by an independent linear-programming solver: the largest mean loss that data
 * X in [-1, 1] can cause to the reconstructions Y (n x V), given |(1/n) E x_v - b_v| <= eps_v for every bit.
 */
export function worstCase(loss: Loss, E: Matrix, B: Matrix, Y: Matrix, eps?: Float64Array): number {
  let sum = 0;
  for (let v = 0; v < Y.cols; v++) {
    const y = Array.from({ length: Y.rows }, (_, i) => row(Y, i)[v]);
    sum += worstBit(loss, E, row(B, v), y, eps ? eps[v] : 0);
  }
  return sum;
}

function worstBit(loss: Loss, E: Matrix, b: Float64Array, y: number[], eps: number): number {
  const n = E.rows;
  // (1/2n) sum_i [l+(y_i) + l-(y_i) - x_i Gamma(y_i)], with n for a scale so that the numbers stay near 1.
  const payoff = y.map((value, i) => term(-loss.gamma(value), i)).join('');
  const constraints = Array.from(b, (value, h) => {
    const left = y.map((_, i) => term(row(E, i)[h], i)).join('');
    return ` low${h}:${left} >= ${plain(n * (value - eps))}\n high${h}:${left} <= ${plain(n * (value + eps))}`;
  });
  const bounds = y.map((_, i) => ` -1 <= x${i} <= 1`);
  const text = [`Maximize`, ` obj:${payoff}`, `Subject To`, ...constraints, `Bounds`, ...bounds, `End`].join(
    '\n',
  );
  const solution = highs.solve(text, {
    primal_feasibility_tolerance: 1e-9,
    dual_feasibility_tolerance: 1e-9,
  });
  if (solution.Status !== 'Optimal') throw new Error(`the adversary's linear program is ${solution.Status}`);
  const fixed = y.reduce((total, value) => total + loss.plus(value) + loss.minus(value), 0);
  return (fixed + solution.ObjectiveValue) / (2 * n);
}

function term(coefficient: number, i: number): string {
  return ` ${coefficient < 0 ? '-' : '+'} ${plain(Math.abs(coefficient))} x${i}`;
}

/** Digits without an exponent for small numbers: the text format of linear programs is easily confused. */
function plain(value: number): string {
  return value.toFixed(15);
}
