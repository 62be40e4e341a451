import { sized } from '../../encodings/sized.ts';
import { dot } from '../../math/matrix.ts';
import type { SolveOptions } from '../engine.ts';
import { LINEAR } from '../options.ts';
import { back, gradientAt, type Item, lossAt, penalty, scores } from './item.ts';

/**
 * Preconditioned conjugate gradients on one item, with the line search by halving: the plainest method that
 * fulfils the contract of `Engine.solve`. Returns the final z.
 */
export function solveItem(
  given: Item,
  { inverseHessian, linear }: Numbers,
  options: SolveOptions,
): Float64Array {
  const item = linear ? { ...given, z: linearCode(given, inverseHessian, linear) } : given;
  if (options.set) return solveInSet(item, inverseHessian, options);
  const { ridge } = options;
  const radius = options.radius ?? Number.POSITIVE_INFINITY;
  const value = (z: Float64Array, m: Float64Array) => lossAt(item, m) + penalty(item, z, ridge);
  let z = clip(item.z, item.free, radius);
  let m = scores(item, z);
  let f = value(z, m);
  let direction: Float64Array | undefined;
  let before: { g: Float64Array; p: Float64Array } | undefined;
  for (let step = 0; step < options.steps; step++) {
    const g = gradientAt(item, m, z, ridge);
    const active = g.map((gh, h) => (Math.abs(z[h]) >= radius && gh * z[h] < 0 ? 1 : 0));
    const mask = (u: Float64Array) => u.map((uh, h) => (active[h] ? 0 : uh));
    const masked = mask(g);
    const p = mask(multiply(inverseHessian, masked));
    const beta = before ? Math.max(0, (dot(masked, p) - dot(before.g, p)) / dot(before.g, before.p)) : 0;
    let d = mask(p.map((ph, h) => -ph + beta * (direction?.[h] ?? 0)));
    if (!(dot(masked, d) < 0)) d = p.map((ph) => -ph);
    const slope = dot(masked, d);
    if (!(slope < 0)) break;
    const moved = search(item, { z, f, d, slope }, value, { radius });
    if (!moved) break;
    const expected = f - moved.f;
    ({ z, m, f } = moved);
    direction = d;
    before = { g: masked, p };
    if (expected < options.tolerance) break;
  }
  return z;
}

/** What `SolveOptions` have on an engine, at hand. */
export interface Numbers {
  readonly inverseHessian: ArrayLike<number>;
  readonly linear?: ArrayLike<number>;
}

/** Where `SolveOptions.linear` has steps begin. */
function linearCode(item: Item, inverseHessian: ArrayLike<number>, linear: ArrayLike<number>): Float64Array {
  const { A, width, free, x, weights } = item;
  const r = x.map((xk, k) => {
    const bias = width > free ? A[k * width + free] : 0;
    return weights[k] > 0 ? linear[k] * (bias - LINEAR * xk) : 0;
  });
  const z = item.z.slice();
  z.set(multiply(inverseHessian, back(item, r)).map((p) => -p));
  return z;
}

/** Spectral projected gradients with the line search by halving, for codes that are confined to a set. */
function solveInSet(item: Item, inverseHessian: ArrayLike<number>, options: SolveOptions): Float64Array {
  const { ridge } = options;
  const set = sized(options.set, options.radius ?? Number.POSITIVE_INFINITY);
  const value = (z: Float64Array) => lossAt(item, scores(item, z)) + penalty(item, z, ridge);
  const projected = (z: Float64Array) => {
    const e = z.slice(0, item.free);
    set.project(e);
    const out = z.slice();
    out.set(e);
    return out;
  };
  let z: Float64Array = projected(item.z);
  let f = value(z);
  let g: Float64Array = gradientAt(item, scores(item, z), z, ridge);
  let length = meanDiagonal(inverseHessian, item.free);
  for (let step = 0; step < options.steps; step++) {
    const target = projected(z.map((zh, h) => (h < item.free ? zh - length * g[h] : zh)));
    const d = target.map((zh, h) => zh - z[h]).subarray(0, item.free);
    const slope = dot(g, d);
    const moved = slope < 0 ? search(item, { z, f, d, slope }, value, { longest: 1 }) : undefined;
    if (!moved) break;
    const next = gradientAt(item, moved.m, moved.z, ridge);
    const s = moved.z.map((zh, h) => zh - z[h]).subarray(0, item.free);
    const bend = dot(s, next) - dot(s, g);
    if (bend > 0) length = dot(s, s) / bend;
    const expected = f - moved.f;
    ({ z, f } = moved);
    g = next;
    if (expected < options.tolerance) break;
  }
  return projected(z);
}

function meanDiagonal(S: ArrayLike<number>, size: number): number {
  let sum = 0;
  for (let i = 0; i < size; i++) sum += S[i * size + i] / size;
  return sum;
}

/** A point z with its value f, a direction d, and how the value begins to change along it. */
interface Line {
  readonly z: Float64Array;
  readonly f: number;
  readonly d: Float64Array;
  readonly slope: number;
}

/** The longest of the steps 2, 1, 1/2, 1/4 ... that lowers the value as the slope promises. */
export function search(
  item: Item,
  { z, f, d, slope }: Line,
  value: (z: Float64Array, m: Float64Array) => number,
  { radius = Number.POSITIVE_INFINITY, longest = 2 },
): { z: Float64Array; m: Float64Array; f: number } | undefined {
  for (let a = longest; a > 1e-12; a /= 2) {
    const next = clip(
      z.map((zh, h) => (h < item.free ? zh + a * d[h] : zh)),
      item.free,
      radius,
    );
    const m = scores(item, next);
    const fNext = value(next, m);
    if (fNext < f && fNext <= f + 0.1 * a * slope) return { z: next, m, f: fNext };
  }
  return undefined;
}

function clip(z: Float64Array, free: number, radius: number): Float64Array {
  return z.map((zh, h) => (h < free ? Math.max(-radius, Math.min(radius, zh)) : zh));
}

function multiply(S: ArrayLike<number>, g: Float64Array): Float64Array {
  const size = g.length;
  return g.map((_, i) => {
    let sum = 0;
    for (let j = 0; j < size; j++) sum += S[i * size + j] * g[j];
    return sum;
  });
}
