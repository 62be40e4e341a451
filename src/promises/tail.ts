import { permutation } from '../rows/split.ts';
import { meanBound } from './mean.ts';

/**
 * The most that any part of the source with this share costs on average: the mean of its worst rows
 * (conditional value at risk). For every line t it is at most t + E (l - t)_+ / share (Rockafellar and
 * Uryasev 2000), with equality where t is the quantile. A tenth of the calibration rows, drawn by the seed,
 * chooses t; the others, on which t does not depend, bound the mean of what lies above it.
 */
export function tailBound(
  sorted: ArrayLike<number>,
  ceiling: number,
  share: number,
  evidence: number,
  seed: number,
): number {
  const n = sorted.length;
  if (n < 2) return ceiling;
  const order = permutation(n, seed);
  const scouts = order.slice(0, Math.max(1, Math.floor(n * SCOUTS))).sort();
  // The losses are sorted, so that scouts in order of place are in order of loss.
  const line = sorted[scouts[Math.min(scouts.length - 1, Math.floor((1 - share) * scouts.length))]];
  const above = Float64Array.from(order.subarray(scouts.length), (i) => Math.max(0, sorted[i] - line));
  // The line is rounded up to float32, which may lie above the ceiling.
  const room = Math.max(0, ceiling - line);
  return Math.min(ceiling, line + meanBound(above, room, evidence) / share);
}

const SCOUTS = 0.1;
