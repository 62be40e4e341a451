import { endsOf } from './chords.ts';
import type { Loss } from './loss.ts';
import { straightFrom } from './straight.ts';

/**
 * The same loss read from tables, because a loss derived from partial losses solves an equation for every
 * score, which is far too slow to iterate with. Psi is the cubic through values and slopes, Psi' is linear
 * between nodes, and Psi* is the chord between nodes, which is never below a convex function, so that proofs
 * remain valid. Where Psi becomes straight it may have a kink, and a cubic would dip below it. So the table
 * ends there, its outermost cells use the loss itself, and the slopes of its last nodes are those just inside
 * of the kink. Beyond the table Psi is straight; if it is not yet, the loss itself is used.
 */
export function sampled(loss: Loss): Loss {
  let table = tables.get(loss);
  if (!table) {
    table = sample(loss);
    tables.set(loss, table);
  }
  return table;
}

const CELLS = 8192;
const DUAL_CELLS = 4096;
/** Scores are tabulated up to where Psi is straight, but no further than this. */
const FARTHEST = 64;
const tables = new WeakMap<Loss, Loss>();

function sample(loss: Loss): Loss {
  const [first, last] = [loss.gamma(-1), loss.gamma(1)];
  const near = (end: number) => Math.abs(end) <= FARTHEST;
  const from = near(first) ? first : -straightFrom((m) => loss.psiPrime(-m) <= -1 + 1e-9, FARTHEST);
  const to = near(last) ? last : straightFrom((m) => loss.psiPrime(m) >= 1 - 1e-9, FARTHEST);
  const step = (to - from) / CELLS;
  const tabled = (f: (m: number) => number) =>
    Float64Array.from({ length: CELLS + 1 }, (_, k) => f(from + k * step));
  const [values, slopes] = [tabled((m) => loss.psi(m)), tabled((m) => loss.psiPrime(m))];
  const { slopeFrom, slopeTo } = endsOf(loss);
  if (near(first)) slopes[0] = slopeFrom;
  if (near(last)) slopes[CELLS] = slopeTo;
  const cell = (m: number) => Math.min(CELLS - 1, Math.floor((m - from) / step));
  const outside = (m: number) => !(m > from && m < to);
  const straight = loss.psiPrime(from) <= -1 + 1e-9 && loss.psiPrime(to) >= 1 - 1e-9;
  // Psi* bends most at its ends: nodes u = -cos(pi k / cells) crowd there.
  const node = (k: number) => -Math.cos((Math.PI * k) / DUAL_CELLS);
  const conjugates = Float64Array.from({ length: DUAL_CELLS + 1 }, (_, k) => loss.conjugate(node(k)));
  return {
    name: loss.name,
    curvature: loss.curvature,
    plus: (y) => loss.plus(y),
    minus: (y) => loss.minus(y),
    gamma: (y) => loss.gamma(y),
    transfer: (m) => loss.transfer(m),
    psi(m) {
      if (outside(m)) {
        if (!straight) return loss.psi(m);
        return m >= to ? values[CELLS] + (m - to) : values[0] + (from - m);
      }
      const k = cell(m);
      if (k === 0 || k === CELLS - 1) return loss.psi(m);
      const a = (m - from) / step - k;
      const b = 1 - a;
      const chord = values[k] * (1 + 2 * a) * b * b + values[k + 1] * (1 + 2 * b) * a * a;
      return chord + step * a * b * (slopes[k] * b - slopes[k + 1] * a);
    },
    psiPrime(m) {
      if (outside(m)) return straight ? (m >= to ? 1 : -1) : loss.psiPrime(m);
      const k = cell(m);
      return slopes[k] + ((m - from) / step - k) * (slopes[k + 1] - slopes[k]);
    },
    psiSecond(m) {
      if (outside(m)) return straight ? 0 : loss.psiSecond(m);
      return (slopes[cell(m) + 1] - slopes[cell(m)]) / step;
    },
    conjugate(u) {
      const k = Math.min(DUAL_CELLS - 1, Math.floor((Math.acos(-u) / Math.PI) * DUAL_CELLS));
      const share = Math.max(0, Math.min(1, (u - node(k)) / (node(k + 1) - node(k))));
      return conjugates[k] + share * (conjugates[k + 1] - conjugates[k]);
    },
  };
}
