/**
 * The number that a chi-square variable with so many degrees of freedom stays below with this probability.
 */
export function chiSquareQuantile(probability: number, degrees: number): number {
  if (!(probability >= 0 && probability < 1))
    throw new RangeError(
      `chiSquareQuantile: probability must be at least 0 and less than 1, got ${probability}`,
    );
  let [low, high] = [0, degrees + 1];
  while (chiSquareTail(high, degrees) > 1 - probability) high *= 2;
  for (let step = 0; step < 200 && high - low > 1e-13 * high; step++) {
    const middle = (low + high) / 2;
    if (chiSquareTail(middle, degrees) > 1 - probability) low = middle;
    else high = middle;
  }
  return high;
}

/**
 * The probability that a chi-square variable exceeds q: e^-y times a finite sum of powers of y = q / 2, whole
 * ones for an even number of degrees, halves and the normal tail for an odd one (by parts, two degrees at a
 * time).
 */
export function chiSquareTail(q: number, degrees: number): number {
  const y = q / 2;
  let sum = degrees % 2 === 0 ? 0 : normalTails(Math.sqrt(q));
  // y^a e^-y / Gamma(a + 1), from a = 0 or 1/2 upwards.
  let term = degrees % 2 === 0 ? Math.exp(-y) : 2 * Math.sqrt(y / Math.PI) * Math.exp(-y);
  for (let a = degrees % 2 === 0 ? 0 : 0.5; a < degrees / 2 - 0.25; a++) {
    sum += term;
    term *= y / (a + 1);
  }
  return Math.min(1, sum);
}

/** P(|Z| > z) for a standard normal Z: a power series near 0, a continued fraction further out. */
function normalTails(z: number): number {
  if (z < 3) {
    let [sum, term] = [z, z];
    for (let k = 1; term > 1e-18 * sum; k++) {
      term *= (z * z) / (2 * k + 1);
      sum += term;
    }
    return Math.max(0, 1 - Math.sqrt(2 / Math.PI) * Math.exp((-z * z) / 2) * sum);
  }
  let fraction = z;
  for (let k = 120; k >= 1; k--) fraction = z + k / fraction;
  return (Math.sqrt(2 / Math.PI) * Math.exp((-z * z) / 2)) / fraction;
}
