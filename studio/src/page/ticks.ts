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

/** Powers of ten within a range. */
export function decades(low: number, high: number): number[] {
  const found: number[] = [];
  for (let k = Math.ceil(Math.log10(low)); k <= Math.log10(high); k++) found.push(10 ** k);
  return found.length > 1 ? found : [low, high];
}
