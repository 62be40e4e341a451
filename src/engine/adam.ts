import type { AdamOptions } from './engine.ts';

/** What a kernel of Adam has to know: rows of one width, and factors that undo the moments' start at 0. */
export function openAdam(
  length: number,
  { width, beta1, beta2, step }: AdamOptions,
): { readonly rows: number; readonly grow1: number; readonly grow2: number } {
  if (length % width !== 0)
    throw new Error(`engine: adam on ${length} numbers; expected rows of width ${width}`);
  return { rows: length / width, grow1: 1 / (1 - beta1 ** step), grow2: 1 / (1 - beta2 ** step) };
}
