import { createRequire } from 'node:module';
import type { LegacyHighs } from 'highs';
import type { Loss } from '../../src/math.ts';
import { type Matrix, row } from '../../src/math.ts';

// Its type declarations describe the CommonJS build, so that is the one loaded.
const loadHighs: () => Promise<LegacyHighs> = createRequire(import.meta.url)('highs');
const highs = await loadHighs();

/**
 * The adversary of the game (Eq. 3), by an independent linear-programming solver: the largest mean loss that
 * data X in [-1, 1] can cause to the reconstructions Y (n x V), given |(1/n) E x_v - b_v| <= eps_v for every
 * bit, or <= eps_vh for every correlation.
 */
export function worstCase(loss: Loss, E: Matrix, B: Matrix, Y: Matrix, eps?: Float64Array): number {
  let sum = 0;
  for (let v = 0; v < Y.cols; v++) {
    const y = Array.from({ length: Y.rows }, (_, i) => row(Y, i)[v]);
    sum += worstBit(loss, E, row(B, v), y, epsOfBit(eps, v, B));
  }
  return sum;
}

function epsOfBit(eps: Float64Array | undefined, v: number, B: Matrix): Float64Array {
  if (!eps) return new Float64Array(B.cols);
  return eps.length === B.rows
    ? new Float64Array(B.cols).fill(eps[v])
    : eps.subarray(v * B.cols, (v + 1) * B.cols);
}

/**
 * The value of the game, found without any of the theorem: the adversary commits to data first, and is paid
 * the least expected loss over all reconstructions on a grid that is finest around Y. Again a linear program.
 */
export function gameValue(loss: Loss, E: Matrix, B: Matrix, Y: Matrix): number {
  const cells = 100;
  const all = Array.from({ length: cells + 1 }, (_, k) => -1 + (2 * k) / cells);
  const grid = all.filter((y) => Number.isFinite(loss.gamma(y)));
  let sum = 0;
  for (let v = 0; v < Y.cols; v++) {
    const payments = Array.from({ length: Y.rows }, (_, i) =>
      [...grid, ...around(row(Y, i)[v])].map((y, k) => {
        // t_i <= (1 + x_i) l+(y) + (1 - x_i) l-(y)
        const fixed = loss.plus(y) + loss.minus(y);
        return ` pay${i}_${k}: t${i}${term(loss.gamma(y), i)} <= ${plain(fixed)}`;
      }),
    ).flat();
    const total = Array.from({ length: Y.rows }, (_, i) => ` + t${i}`).join('');
    sum +=
      maximum(total, [...correlationRows(E, row(B, v), new Float64Array(B.cols)), ...payments], E.rows) /
      (2 * E.rows);
  }
  return sum;
}

/** A known sum of data X: over bits and examples, `weight` times x is within `eps` of its value for `X`. */
export interface Known {
  readonly weight: (v: number, i: number) => number;
  readonly eps: number;
}

/**
 * The value of the game in which the adversary has to respect whatever is known of X (n x V), correlations or
 * anything that is linear in the data, over all bits at once; again by a linear program that knows nothing of
 * the theorem.
 */
export function gameValueUnder(loss: Loss, X: Matrix, Y: Matrix, known: readonly Known[]): number {
  const cells = 100;
  const all = Array.from({ length: cells + 1 }, (_, k) => -1 + (2 * k) / cells);
  const grid = all.filter((y) => Number.isFinite(loss.gamma(y)));
  const [n, V] = [X.rows, X.cols];
  const payments: string[] = [];
  let total = '';
  for (let v = 0; v < V; v++) {
    for (let i = 0; i < n; i++) {
      const at = v * n + i;
      total += ` + t${at}`;
      [...grid, ...around(row(Y, i)[v])].forEach((y, k) => {
        const fixed = loss.plus(y) + loss.minus(y);
        payments.push(` pay${at}_${k}: t${at}${term(loss.gamma(y), at)} <= ${plain(fixed)}`);
      });
    }
  }
  return maximum(total, [...linearRows(X, known), ...payments], n * V) / (2 * n);
}

/** The largest mean loss that such data can cause to the reconstructions Y. */
export function worstCaseUnder(loss: Loss, X: Matrix, Y: Matrix, known: readonly Known[]): number {
  const [n, V] = [X.rows, X.cols];
  let [payoff, fixed] = ['', 0];
  for (let v = 0; v < V; v++) {
    for (let i = 0; i < n; i++) {
      const y = row(Y, i)[v];
      payoff += term(-loss.gamma(y), v * n + i);
      fixed += loss.plus(y) + loss.minus(y);
    }
  }
  return (fixed + maximum(payoff, linearRows(X, known), n * V)) / (2 * n);
}

function linearRows(X: Matrix, known: readonly Known[]): string[] {
  const [n, V] = [X.rows, X.cols];
  return known.map(({ weight, eps }, k) => {
    let [left, sum] = ['', 0];
    for (let v = 0; v < V; v++) {
      for (let i = 0; i < n; i++) {
        left += term(weight(v, i), v * n + i);
        sum += weight(v, i) * row(X, i)[v];
      }
    }
    return ` low${k}:${left} >= ${plain(sum - eps)}\n high${k}:${left} <= ${plain(sum + eps)}`;
  });
}

function around(y: number): number[] {
  const offsets = Array.from({ length: 7 }, (_, k) => 2e-4 * 2 ** k).flatMap((off) => [-off, off]);
  return [y, ...offsets.map((off) => y + off)].filter((near) => Math.abs(near) < 1);
}

function worstBit(loss: Loss, E: Matrix, b: Float64Array, y: number[], eps: Float64Array): number {
  // (1/2n) sum_i [l+(y_i) + l-(y_i) - x_i Gamma(y_i)]
  const payoff = y.map((value, i) => term(-loss.gamma(value), i)).join('');
  const fixed = y.reduce((total, value) => total + loss.plus(value) + loss.minus(value), 0);
  return (fixed + maximum(payoff, correlationRows(E, b, eps), E.rows)) / (2 * E.rows);
}

/** |sum_i e_ih x_i - n b_h| <= n eps_h for every h, as two rows each. */
function correlationRows(E: Matrix, b: Float64Array, eps: Float64Array): string[] {
  const n = E.rows;
  return Array.from(b, (value, h) => {
    const left = Array.from({ length: n }, (_, i) => term(row(E, i)[h], i)).join('');
    return ` low${h}:${left} >= ${plain(n * (value - eps[h]))}\n high${h}:${left} <= ${plain(n * (value + eps[h]))}`;
  });
}

/** The maximum over x in [-1, 1]^n, and any further variables t >= 0. */
function maximum(objective: string, constraints: string[], n: number): number {
  const bounds = Array.from({ length: n }, (_, i) => ` -1 <= x${i} <= 1`);
  const text = ['Maximize', ` obj:${objective}`, 'Subject To', ...constraints, 'Bounds', ...bounds, 'End'];
  const tolerances = { primal_feasibility_tolerance: 1e-9, dual_feasibility_tolerance: 1e-9 };
  const solution = highs.solve(text.join('\n'), tolerances);
  if (solution.Status !== 'Optimal') throw new Error(`the adversary's linear program is ${solution.Status}`);
  return solution.ObjectiveValue;
}

function term(coefficient: number, i: number): string {
  return ` ${coefficient < 0 ? '-' : '+'} ${plain(Math.abs(coefficient))} x${i}`;
}

/** Digits without an exponent for small numbers: the text format of linear programs is easily confused. */
function plain(value: number): string {
  return value.toFixed(15);
}
