/**
 * The usual first-order methods, in plain loops, to see how much depends on which of them is used. A step is
 * one evaluation of the function and its gradient, in a line search too, so that equal numbers of steps are
 * equal work.
 */

/** A smooth convex function: writes its gradient at z and gives its value. */
export type Smooth = (z: Float64Array, gradient: Float64Array) => number;

/** Moves z downhill, so many evaluations of f. */
export type Optimiser = (f: Smooth, z: Float64Array, steps: number) => void;

/** Each by its name, with the step lengths that are tried. */
export const OPTIMISERS: Readonly<Record<string, Optimiser>> = {
  'Adagrad, step 0.3': adagrad(0.3),
  'Adam, step 0.01': adam(0.01),
  'Adam, step 0.1': adam(0.1),
  'gradient descent with line search': descent,
  'L-BFGS': lbfgs,
};

function adagrad(rate: number): Optimiser {
  return (f, z, steps) => {
    const g = new Float64Array(z.length);
    const sums = new Float64Array(z.length).fill(0.1);
    for (let step = 0; step < steps; step++) {
      f(z, g);
      for (let k = 0; k < z.length; k++) {
        sums[k] += g[k] * g[k];
        z[k] -= (rate * g[k]) / Math.sqrt(sums[k]);
      }
    }
  };
}

/** Kingma and Ba (2014), with their parameters but for the step length. */
function adam(rate: number): Optimiser {
  const [first, second] = [0.9, 0.999];
  return (f, z, steps) => {
    const [g, mean, square] = [0, 1, 2].map(() => new Float64Array(z.length));
    for (let step = 1; step <= steps; step++) {
      f(z, g);
      const [unbiasedMean, unbiasedSquare] = [1 - first ** step, 1 - second ** step];
      for (let k = 0; k < z.length; k++) {
        mean[k] += (1 - first) * (g[k] - mean[k]);
        square[k] += (1 - second) * (g[k] * g[k] - square[k]);
        z[k] -= (rate * (mean[k] / unbiasedMean)) / (Math.sqrt(square[k] / unbiasedSquare) + 1e-8);
      }
    }
  };
}

/** App. A.2.1: gradient descent, with the step size found by line search. */
function descent(f: Smooth, z: Float64Array, steps: number): void {
  downhill(f, z, steps, (g) => g.map((value) => -value));
}

/**
 * Nocedal and Wright (2006), Alg. 7.5: the last ten changes of point and gradient stand for the curvature.
 */
function lbfgs(f: Smooth, z: Float64Array, steps: number): void {
  const pairs: { s: Float64Array; y: Float64Array; curvature: number }[] = [];
  const direction = (g: Float64Array) => {
    const d = g.map((value) => -value);
    const shares = pairs.map(() => 0);
    for (let j = pairs.length - 1; j >= 0; j--) {
      shares[j] = dot(pairs[j].s, d) / pairs[j].curvature;
      add(d, -shares[j], pairs[j].y);
    }
    const last = pairs.at(-1);
    if (last) scale(d, last.curvature / dot(last.y, last.y));
    pairs.forEach(({ s, y, curvature }, j) => {
      add(d, shares[j] - dot(y, d) / curvature, s);
    });
    return d;
  };
  downhill(f, z, steps, direction, (s, y) => {
    const curvature = dot(s, y);
    if (curvature <= 1e-12 * dot(y, y)) return;
    pairs.push({ s, y, curvature });
    if (pairs.length > MEMORY) pairs.shift();
  });
}

const MEMORY = 10;

/** Steps along directions, each halved until the function falls enough (Armijo), and longer the next time. */
function downhill(
  f: Smooth,
  z: Float64Array,
  steps: number,
  direction: (g: Float64Array) => Float64Array,
  moved: (s: Float64Array, y: Float64Array) => void = () => {},
): void {
  let g: Float64Array = new Float64Array(z.length);
  let value = f(z, g);
  // Nothing is known of the curvature yet: the first step tried has length 1.
  let length = 1 / Math.max(1e-300, Math.sqrt(dot(g, g)));
  for (let step = 1; step < steps; ) {
    const d = direction(g);
    const slope = dot(g, d);
    if (!(slope < 0)) return;
    for (; step < steps; length /= 2) {
      const there = z.slice();
      add(there, length, d);
      const gradient = new Float64Array(z.length);
      const found = f(there, gradient);
      step++;
      // Where the value is down to its own rounding, nothing tells a step from none.
      if (length * Math.sqrt(dot(d, d)) < 1e-15) return;
      if (!(found <= value + 1e-4 * length * slope)) continue;
      moved(
        there.map((one, k) => one - z[k]),
        gradient.map((one, k) => one - g[k]),
      );
      z.set(there);
      [g, value] = [gradient, found];
      length *= 2;
      break;
    }
  }
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
}

function add(to: Float64Array, factor: number, of: Float64Array): void {
  for (let k = 0; k < to.length; k++) to[k] += factor * of[k];
}

function scale(values: Float64Array, factor: number): void {
  for (let k = 0; k < values.length; k++) values[k] *= factor;
}
