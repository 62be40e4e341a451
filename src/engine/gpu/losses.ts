import { crossEntropy } from '../../losses/cross-entropy.ts';
import { hamming } from '../../losses/hamming.ts';
import type { Loss } from '../../losses/loss.ts';

/** Losses that the device's programs know by a formula. */
export type LossKind = 'cross-entropy' | 'hamming';

export function lossKind(loss: Loss, engine: string): LossKind {
  if (loss === crossEntropy) return 'cross-entropy';
  if (loss === hamming) return 'hamming';
  throw new Error(
    `engine: ${engine} knows the losses cross-entropy and hamming, not "${loss.name}"; use engine 'wasm'`,
  );
}
