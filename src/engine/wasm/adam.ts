import type { AdamOptions, Floats, Moments } from '../engine.ts';
import type { Kernels } from './module.ts';
import { type Tools, touch } from './tools.ts';

/** `Engine.adam`. */
export function adam(
  tools: Tools,
  kernels: Kernels,
  at: Floats,
  gradient: Floats,
  moments: Moments,
  options: AdamOptions,
): void {
  const { width, beta1, beta2, step } = options;
  const { length } = at;
  if (length % width !== 0) {
    throw new Error(`engine: adam on ${length} numbers; expected rows of width ${width}`);
  }
  kernels.adam(
    tools.use(at, 'the numbers to move', length),
    tools.use(gradient, 'the numbers of the gradient', length),
    tools.use(moments.first, 'the first moments', length),
    tools.use(moments.second, 'the second moments', length),
    length / width,
    width,
    options.free,
    options.scale,
    options.ridge,
    tools.optional(options.prices, 'the prices', length),
    beta1,
    beta2,
    options.rate,
    1 / (1 - beta1 ** step),
    1 / (1 - beta2 ** step),
    options.epsilon,
  );
  touch(at, moments.first, moments.second);
}
