import type { AdamOptions } from '../engine.ts';

/** One step of Adam on the numbers z, whose moments it moves along: `Engine.adam`. */
export function adamStep(
  z: Float32Array,
  gradient: Float32Array,
  { first, second }: Readonly<Record<'first' | 'second', Float32Array>>,
  options: Omit<AdamOptions, 'prices'> & { readonly prices?: Float32Array },
): void {
  const { rate, beta1, beta2, epsilon, step, scale, width, free, ridge, prices } = options;
  for (let i = 0; i < z.length; i++) {
    const ridged = i % width < free;
    const g = scale * gradient[i] + (ridged ? ridge * z[i] : 0);
    first[i] = beta1 * first[i] + (1 - beta1) * g;
    second[i] = beta2 * second[i] + (1 - beta2) * g * g;
    const length = rate / (Math.sqrt(second[i] / (1 - beta2 ** step)) + epsilon);
    const moved = z[i] - (length * first[i]) / (1 - beta1 ** step);
    const shrink = length * (prices?.[i] ?? 0);
    z[i] = Math.max(0, moved - shrink) + Math.min(0, moved + shrink);
  }
}
