/** What is known of a step of the weights before anyone is hurt by it. */
interface Step {
  /** Rows that the weights stand for, and rows that the step was learned from. */
  readonly n: number;
  readonly m: number;
  /** The mean loss of all of them before the step. */
  readonly loss: number;
  /** What the step costs rows at which the old weights were optimal. */
  readonly cost: number;
}

/**
 * The share of a step, at most 1, that is safe to take: rows of the same kind get worse by it by no more than
 * a hundredth.
 *
 * Weights learned from n rows are off by some d_n, whose mean is 0 and whose covariance in the metric of the
 * loss is 1 / n; those that m rows ask for, by d_m of 1 / m. Both together leave (n d_n + m d_m) / (n + m).
 * With the cost c of the step in that metric, a share s of it gains (2 s - s^2) c in the mean. What it does
 * to a given model differs from that by chance, through the product of the two errors, by
 *
 *     s n / (n + m) sqrt(2 c / (n + m))
 *
 * Few rows may therefore do harm, although more rows are better in the mean. Rows vary more than the weights
 * know of, most of all where columns are few and an unlikely value costs a lot: on random tables of a dozen
 * columns the difference was nine times that in one case of a hundred, and nineteen times in one of five
 * hundred.
 */
export function safeShare({ n, m, loss, cost }: Step): number {
  if (!(cost > 0)) return 1;
  const harm = (CHANCE * n * Math.sqrt((2 * cost) / (n + m))) / (n + m);
  const worse = WORST * loss;
  // The positive root of harm s - (2 s - s^2) cost = worse.
  const b = harm - 2 * cost;
  const root = Math.sqrt(b * b + 4 * cost * worse);
  return Math.min(1, b > 0 ? (2 * worse) / (b + root) : (root - b) / (2 * cost));
}

const WORST = 0.01;
const CHANCE = 20;
