/** Exact tails of the two distributions of counts that promises rest on, in float64. */

/** P(K >= k) for K the number of successes in n trials with chance p each. */
export function binomialTail(n: number, p: number, k: number): number {
  if (k <= 0) return 1;
  if (k > n) return 0;
  if (p <= 0 || p >= 1) return p <= 0 ? 0 : 1;
  const log = (i: number) => logChoose(n, i) + i * Math.log(p) + (n - i) * Math.log1p(-p);
  return upperTail(n, k, n * p, log, (i) => ((n - i) / (i + 1)) * (p / (1 - p)));
}

/**
 * P(K >= k) for K successes in n trials whose common chance was itself drawn from Beta(a, b). With
 * a = N - j + 1 and b = j it is the number of n new rows that lie above the j-th smallest of N earlier ones,
 * all from one source.
 */
export function betaBinomialTail(n: number, a: number, b: number, k: number): number {
  if (k <= 0) return 1;
  if (k > n) return 0;
  const log = (i: number) => logChoose(n, i) + logBeta(i + a, n - i + b) - logBeta(a, b);
  const ratio = (i: number) => (((n - i) / (i + 1)) * (i + a)) / (n - i - 1 + b);
  return upperTail(n, k, (n * a) / (a + b), log, ratio);
}

/**
 * The sum of a distribution over 0..n from k on, by the terms on the side away from the mean, which die away.
 */
function upperTail(
  n: number,
  k: number,
  mean: number,
  log: (i: number) => number,
  ratio: (i: number) => number,
): number {
  let sum = 0;
  if (k > mean) {
    let term = Math.exp(log(k));
    for (let i = k; i <= n && term > 1e-18 * sum; i++) {
      sum += term;
      term *= ratio(i);
    }
    return Math.min(1, sum);
  }
  let term = Math.exp(log(k - 1));
  for (let i = k - 1; i >= 0 && term > 1e-18 * sum; i--) {
    sum += term;
    term /= i > 0 ? ratio(i - 1) : 1;
  }
  return Math.max(0, 1 - sum);
}

export function logChoose(n: number, k: number): number {
  return logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1);
}

function logBeta(a: number, b: number): number {
  return logGamma(a) + logGamma(b) - logGamma(a + b);
}

/** ln Gamma(x) for x > 0: Stirling's series, moved to where it converges. */
export function logGamma(x: number): number {
  let shift = 0;
  let z = x;
  for (; z < 12; z++) shift -= Math.log(z);
  const r = 1 / (z * z);
  const series = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r / 1188)))) / z;
  return shift + (z - 0.5) * Math.log(z) - z + 0.5 * Math.log(2 * Math.PI) + series;
}
