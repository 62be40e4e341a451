/** Round numbers within a range, about as many as wanted. */
export function ticks(low: number, high: number, wanted: number): number[] {
  if (!(high > low)) return [low];
  const raw = (high - low) / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= raw * 0.999) ?? 10);
  const found: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) {
    found.push(Number((k * step).toPrecision(12)));
  }
  return found;
}

/** Powers of ten within a range; where that holds few of them, their halves and fifths too. */
export function decades(low: number, high: number): number[] {
  const wide = Math.log10(high / low) > 2.5;
  const found: number[] = [];
  for (let k = Math.floor(Math.log10(low)); k <= Math.log10(high); k++)
    for (const factor of wide ? [1] : [1, 2, 5]) found.push(Number((factor * 10 ** k).toPrecision(3)));
  const within = found.filter((x) => x >= low && x <= high);
  return within.length > 1 ? within : ticks(low, high, 3);
}
