import type { Loss } from './loss.ts';

/**
 * A loss in tables, for proofs about losses without a formula in the kernels: Psi and Psi* are read from
 * chords between nodes. Both are convex, so that a chord is never below them: a loss read from chords is
 * never too low, and a bound made from Psi* never too high.
 *
 * Psi may have kinks, and all of them are where the range of Gamma ends and Psi becomes straight. Between
 * these ends, `from` and `to`, it is read from nodes; beyond them it is exact:
 *
 *     Psi(m) = Psi(to) + (m - to) for m >= to,        Psi(m) = Psi(from) + (from - m) for m <= from
 *
 * Where Gamma has no end, one is put where Psi is straight up to 1e-7. There the lines are above Psi, which
 * is 1-Lipschitz.
 */
interface Chords extends Ends {
  /** Nodes are `centre` + and - `scale` times `nodeAt(k)`, for k below `nodes`. */
  readonly centre: number;
  readonly scale: number;
  readonly nodes: number;
  /** Psi and its slope at the nodes above the centre, then at those below it. */
  readonly psi: Float64Array;
  /** The slope between the ends if it is constant, where Psi* has a kink; otherwise 0. */
  readonly middle: number;
  /**
   * Psi* at 1 - (1 - middle) (k / DUAL_CELLS)^4 for k = 0 to DUAL_CELLS, then at -1 + (1 + middle)
   * (k / DUAL_CELLS)^4.
   */
  readonly conjugate: Float64Array;
  /** The cost of the best reconstruction of a bit; no loss is lower. */
  readonly least: number;
}

/** Where Psi becomes straight. */
export interface Ends {
  readonly from: number;
  readonly to: number;
  readonly psiFrom: number;
  readonly psiTo: number;
  /** The slopes of Psi just inside of the ends: -1 and 1 where there is no kink. */
  readonly slopeFrom: number;
  readonly slopeTo: number;
}

/**
 * Cells for every doubling of 1 + |m|: narrow ones where Psi bends, wide ones far out. The chord of a cell is
 * above Psi by an eighth of the cell's square times Psi'' at most: by 2.3e-7 for cross-entropy.
 */
const OCTAVE_CELLS = 1024;
/**
 * Cells between `middle` and 1, and between -1 and `middle`, narrow near the ends, where Psi* bends most: its
 * chords are up to 5e-7 too high for cross-entropy.
 */
export const DUAL_CELLS = 2048;

const MOST_OCTAVES = 24;
const STRAIGHT = 1e-7;
/**
 * Slopes at an end are measured this share of the range inside of it; `NO_KINK` is the error that this makes.
 */
const INSIDE = 1e-6;
const NO_KINK = 1e-4;
/** The curvature whose wells are one unit of score wide. */
const TYPICAL_CURVATURE = 0.5;

/** The k-th node: those of an octave are evenly spaced, `OCTAVE_CELLS` of them. */
function nodeAt(k: number): number {
  const octave = Math.floor(k / OCTAVE_CELLS);
  return 2 ** octave * (1 + (k % OCTAVE_CELLS) / OCTAVE_CELLS) - 1;
}

export function chordsOf(loss: Loss): Chords {
  const { centre, scale, octaves } = gridOf(loss);
  const ends = endsOf(loss);
  const { from, to, slopeFrom, slopeTo } = ends;
  // One more than the ends, for scores that rounding puts there.
  const nodes = octaves * OCTAVE_CELLS + 2;
  const psi = new Float64Array(4 * nodes);
  for (let at = 0; at < 2 * nodes; at++) {
    const away = scale * nodeAt(at % nodes);
    const m = Math.max(from, Math.min(to, at < nodes ? centre + away : centre - away));
    psi[2 * at] = loss.psi(m);
    psi[2 * at + 1] = m === to ? slopeTo : m === from ? slopeFrom : clip(loss.psiPrime(m));
  }
  const least = Math.min(loss.plus(1), loss.minus(-1));
  const middle = Math.abs(slopeTo - slopeFrom) < NO_KINK ? (slopeFrom + slopeTo) / 2 : 0;
  return { ...ends, centre, scale, nodes, psi, middle, conjugate: conjugatesOf(loss, middle), least };
}

export function endsOf(loss: Loss): Ends {
  const { from, to } = gridOf(loss);
  const inside = INSIDE * (to - from);
  return {
    ...{ from, to, psiFrom: loss.psi(from), psiTo: loss.psi(to) },
    slopeFrom: -endSlope(-loss.psiPrime(from + inside)),
    slopeTo: endSlope(loss.psiPrime(to - inside)),
  };
}

/** Nodes whose last octave ends where Psi becomes straight, on both sides where both sides have an end. */
function gridOf(loss: Loss): Pick<Chords, 'from' | 'to' | 'centre' | 'scale'> & { octaves: number } {
  const [first, last] = [loss.gamma(-1), loss.gamma(1)];
  const wide = Math.min(1, TYPICAL_CURVATURE / loss.curvature || 1);
  if (Number.isFinite(first) && Number.isFinite(last)) {
    const reach = (last - first) / 2;
    const octaves = Math.max(2, Math.ceil(Math.log2(1 + reach / wide)));
    return { from: first, to: last, centre: first + reach, scale: reach / (2 ** octaves - 1), octaves };
  }
  const centre = Number.isFinite(first) ? first : Number.isFinite(last) ? last : 0;
  const straight = (m: number) =>
    (Number.isFinite(last) || loss.psiPrime(centre + m) >= 1 - STRAIGHT) &&
    (Number.isFinite(first) || loss.psiPrime(centre - m) <= -1 + STRAIGHT);
  let octaves = 2;
  while (octaves < MOST_OCTAVES && !straight(wide * (2 ** octaves - 1))) octaves++;
  const far = wide * (2 ** octaves - 1);
  return {
    from: Math.max(first, centre - far),
    to: Math.min(last, centre + far),
    centre,
    scale: wide,
    octaves,
  };
}

function endSlope(slope: number): number {
  return slope > 1 - NO_KINK ? 1 : clip(slope);
}

function conjugatesOf(loss: Loss, middle: number): Float64Array {
  const size = DUAL_CELLS + 1;
  return Float64Array.from({ length: 2 * size }, (_, at) => {
    const share = ((at % size) / DUAL_CELLS) ** 4;
    return loss.conjugate(at < size ? 1 - (1 - middle) * share : (1 + middle) * share - 1);
  });
}

function clip(u: number): number {
  return Math.max(-1, Math.min(u, 1));
}
