import { crossEntropy } from '../losses/cross-entropy.ts';
import type { Loss } from '../losses/loss.ts';
import { sampled } from '../losses/sampled.ts';
import { squared } from '../losses/squared.ts';
import { eachKnown } from '../rows/entries.ts';
import type { Rows } from '../rows/rows.ts';
import { sum } from '../rows/sum.ts';

/** Rows with their weights, if they are not all equal. */
interface Counted {
  readonly rows: Rows;
  readonly rowWeights?: ArrayLike<number>;
}

/**
 * The summed loss when every row is guessed from the frequencies of the bits among `known` alone: the loss
 * that codes have to beat. Half a row of each value is added, so that no frequency is 0 or 1. If the guessed
 * rows are `among` the known ones, each is guessed from the others.
 */
export function baseRateLoss(
  known: Counted,
  guessed: Counted,
  loss: Loss,
  options: { readonly columnWeights?: ArrayLike<number>; readonly among?: boolean } = {},
): number {
  const { columnWeights, among } = options;
  const { sums, counts } = tally(known);
  const shared = among ? undefined : sums.map((sum, v) => bestGuess(loss, sum / counts[v]));
  let total = 0;
  eachKnown(guessed.rows, (x, i, v) => {
    const weight = guessed.rowWeights?.[i] ?? 1;
    const y = shared?.[v] ?? bestGuess(loss, (sums[v] - weight * x) / (counts[v] - weight));
    const cost = 0.5 * ((1 + x) * loss.plus(y) + (1 - x) * loss.minus(y));
    total += weight * (columnWeights?.[v] ?? 1) * cost;
  });
  return total;
}

/** The mean of each column, from -1 to 1, with half a row of each value added. */
export function baseRates(known: Counted): Float64Array {
  const { sums, counts } = tally(known);
  return sums.map((sum, v) => sum / counts[v]);
}

function tally(known: Counted): { sums: Float64Array; counts: Float64Array } {
  const { V } = known.rows;
  const sums = new Float64Array(V);
  const counts = new Float64Array(V).fill(meanWeight(known));
  eachKnown(known.rows, (x, i, v) => {
    const weight = known.rowWeights?.[i] ?? 1;
    sums[v] += weight * x;
    counts[v] += weight;
  });
  return { sums, counts };
}

/**
 * The reconstruction with the least expected loss of a bit with mean u: that of the score m where Psi'(m)
 * passes u (App. D). For cross-entropy and the squared loss it is u itself.
 */
function bestGuess(loss: Loss, u: number): number {
  if (loss === crossEntropy || loss === squared) return u;
  const { psiPrime } = sampled(loss);
  let low = -FARTHEST;
  let high = FARTHEST;
  while (high - low > 1e-9 * FARTHEST) {
    const middle = (low + high) / 2;
    if (psiPrime(middle) >= u) high = middle;
    else low = middle;
  }
  return loss.transfer(high);
}

/** Scores beyond this are certain. */
const FARTHEST = 1e4;

function meanWeight({ rows, rowWeights }: Counted): number {
  if (!rowWeights) return 1;
  return sum(rowWeights) / rows.n;
}
