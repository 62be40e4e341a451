/** Row weights, checked: one number of at least 0 per row, not all of them 0. */
export function checkedRowWeights(weights: ArrayLike<number>, n: number, call: string): Float64Array {
  return checkedWeights(weights, n, `${call}: rowWeights`, 'row');
}

/** Column weights, checked in the same way. */
export function checkedColumnWeights(weights: ArrayLike<number>, V: number, call: string): Float32Array {
  return Float32Array.from(checkedWeights(weights, V, `${call}: columnWeights`, 'column'));
}

function checkedWeights(weights: ArrayLike<number>, count: number, name: string, what: string): Float64Array {
  if (weights.length !== count) {
    throw new RangeError(
      `${name} must hold one weight for each of the ${count} ${what}s, got ${weights.length}`,
    );
  }
  const out = Float64Array.from(weights);
  const wrong = out.findIndex((weight) => !(weight >= 0 && Number.isFinite(weight)));
  if (wrong >= 0)
    throw new RangeError(`${name}: the weight of ${what} ${wrong} must be at least 0, got ${out[wrong]}`);
  if (!out.some((weight) => weight > 0)) throw new RangeError(`${name}: every ${what} has weight 0`);
  return out;
}

/** The sum of the values, each times its weight if there are weights. */
export function weightedSum(values: ArrayLike<number>, weights?: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += (weights?.[i] ?? 1) * values[i];
  return sum;
}
