import { openAdam } from '../adam.ts';
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
  const { length } = at;
  const { rows, grow1, grow2 } = openAdam(length, options);
  kernels.adam(
    tools.use(at, 'the numbers to move', length),
    tools.use(gradient, 'the numbers of the gradient', length),
    tools.use(moments.first, 'the first moments', length),
    tools.use(moments.second, 'the second moments', length),
    rows,
    options.width,
    options.free,
    options.scale,
    options.ridge,
    tools.optional(options.prices, 'the prices', length),
    options.beta1,
    options.beta2,
    options.rate,
    grow1,
    grow2,
    options.epsilon,
  );
  touch(at, moments.first, moments.second);
}
