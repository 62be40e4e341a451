import { isBuiltInName } from './by-name.ts';
import { deriveLoss } from './derive.ts';
import type { Loss } from './loss.ts';

export interface CustomLossOptions {
  /**
   * The name that a model file will remember; it must differ from those of built-in losses. Pass the loss
   * again when such a file is loaded.
   */
  readonly name: string;
  /** l+(y) for y in [-1, 1]: never increasing. It may be Infinity at -1. */
  readonly plus: (y: number) => number;
  /** l-(y) for y in [-1, 1]: never decreasing. It may be Infinity at 1. */
  readonly minus: (y: number) => number;
  /**
   * Accept partial losses whose potential well Psi is not convex. The minimax theorem still holds with the
   * global minimum over w, but the solvers may then stop at a stationary point that is not a minimum.
   */
  readonly allowNonConvexPsi?: boolean;
}

/**
 * A loss from two partial losses (App. D): Gamma, its pseudo-inverse, Psi and the rest are derived
 * numerically.
 *
 * Monotonicity (Assumption 1) and the convexity of Psi are checked on a fine grid of [-1, 1]; an error names
 * the interval where they fail. The partial losses should be smooth inside (-1, 1), as the assumption says.
 */
export function customLoss(options: CustomLossOptions): Loss {
  const { name, plus, minus } = options;
  if (isBuiltInName(name)) {
    throw new Error(
      `loss "${name}": a model file with this name means the built-in loss; give yours another name`,
    );
  }
  const ys = grid();
  checkMonotone(name, 'plus', 'decrease', plus, ys);
  checkMonotone(name, 'minus', 'increase', minus, ys);
  if (!(minus(1) - plus(1) > minus(-1) - plus(-1))) {
    throw new Error(
      `loss "${name}": both partial losses are constant, so every reconstruction costs the same`,
    );
  }
  if (!options.allowNonConvexPsi) checkConvex(name, plus, minus, ys);
  return deriveLoss(name, plus, minus);
}

const CELLS = 4096;

function grid(): Float64Array {
  return Float64Array.from({ length: CELLS + 1 }, (_, k) => -1 + (2 * k) / CELLS);
}

function checkMonotone(
  name: string,
  which: 'plus' | 'minus',
  direction: 'decrease' | 'increase',
  f: (y: number) => number,
  ys: Float64Array,
): void {
  const sign = direction === 'increase' ? 1 : -1;
  const openEnd = direction === 'increase' ? CELLS : 0;
  const values = ys.map((y) => f(y));
  values.forEach((value, k) => {
    if (Number.isFinite(value) || (k === openEnd && value === Number.POSITIVE_INFINITY)) return;
    const allowed = `finite numbers on [-1, 1], or Infinity at y = ${ys[openEnd]}`;
    throw new Error(`loss "${name}": ${which}(${ys[k]}) is ${value}; expected ${allowed}`);
  });
  const tolerance = 1e-12 * (1 + Math.abs(f(0)));
  const failed = runOfCells(ys, (k) => sign * (values[k + 1] - values[k]) < -tolerance);
  if (!failed) return;
  const [from, to] = failed;
  throw new Error(
    `loss "${name}": ${which} must ${direction} over [-1, 1], but it goes from ${f(from)} to ${f(to)} ` +
      `between y = ${from} and y = ${to}`,
  );
}

/** Psi is convex when its slope, the secants of (Gamma, l+ + l-), never falls. */
function checkConvex(
  name: string,
  plus: (y: number) => number,
  minus: (y: number) => number,
  ys: Float64Array,
): void {
  const slopes = new Float64Array(CELLS);
  let last = -1;
  for (let k = 0; k < CELLS; k++) {
    const run = minus(ys[k + 1]) - plus(ys[k + 1]) - (minus(ys[k]) - plus(ys[k]));
    const rise = minus(ys[k + 1]) + plus(ys[k + 1]) - (minus(ys[k]) + plus(ys[k]));
    // A flat or infinite cell says nothing about the slope: it repeats the one before.
    slopes[k] = run > 1e-10 && Number.isFinite(run) ? rise / run : last;
    last = slopes[k];
  }
  const failed = runOfCells(ys, (k) => k > 0 && slopes[k] < slopes[k - 1] - 1e-6);
  if (!failed) return;
  const [from, to] = failed;
  throw new Error(
    `loss "${name}": its potential well Psi is not convex for reconstructions between y = ${from} and y = ${to}, ` +
      `because minus'/|plus'| decreases there, so fitting would not be a convex problem. Convex partial losses ` +
      `avoid this; allowNonConvexPsi: true accepts it`,
  );
}

/** The first run of neighbouring cells that fail, as the interval of y that it covers. */
function runOfCells(ys: Float64Array, fails: (cell: number) => boolean): [number, number] | undefined {
  for (let k = 0; k < CELLS; k++) {
    if (!fails(k)) continue;
    let end = k;
    while (end + 1 < CELLS && fails(end + 1)) end++;
    return [ys[k], ys[end + 1]];
  }
  return undefined;
}
