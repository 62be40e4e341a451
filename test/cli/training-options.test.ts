import { expect, it } from 'vitest';
import { fitOptions } from '../../src/cli/training-options.ts';
import { crossEntropy } from '../../src/losses/cross-entropy.ts';

const said = { encoding: 'box', algorithm: 'fast', loss: crossEntropy, l1: 0, bias: true, seed: 1 } as const;

it('codes that would fill the memory are found anew, but for bits, which are always kept', () => {
  expect(fitOptions(said, 32, 1000).codes).toBe('keep');
  expect(fitOptions(said, 32, 1e7).codes).toBe('recompute');
  expect(fitOptions({ ...said, lowMemory: true }, 32, 1000).codes).toBe('recompute');
  expect(fitOptions({ ...said, encoding: 'bits' }, 32, 1e7).codes).toBe('keep');
});
