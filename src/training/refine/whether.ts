/** Decides whether weights are refined or proven when learning ends. The work itself is loaded on use. */

import type { TrainingData } from '../data.ts';
import { isRelaxed } from '../prices.ts';
import type { Settings } from '../settings.ts';

/**
 * Whether learning ends with Newton's rounds. They need all codes, free ones, all weights with no penalty but
 * a ridge, and a Psi without kinks.
 */
export function refines(
  settings: Pick<Settings, 'encoding' | 'keepCodes' | 'l1' | 'chosen' | 'loss' | 'ridge'>,
): boolean {
  return isPlain(settings) && bends(settings);
}

/** Whether Newton's rounds are possible for codes and weights of this kind, whatever the loss. */
export function isPlain(
  settings: Pick<Settings, 'encoding' | 'keepCodes' | 'l1' | 'chosen' | 'ridge'>,
): boolean {
  const { encoding, keepCodes, l1, chosen, ridge } = settings;
  return encoding.free && keepCodes && !isRelaxed(l1) && !chosen && ridge > 0;
}

/** Whether Psi is free of kinks. */
export function bends({ loss }: Pick<Settings, 'loss'>): boolean {
  return Number.isFinite(loss.curvature);
}

/** Whether weights can be proven: that needs all codes in one block, and a ridge. */
export function proves(
  data: TrainingData,
  { keepCodes, ridge }: Pick<Settings, 'keepCodes' | 'ridge'>,
): boolean {
  return keepCodes && data.blockRows >= data.n && ridge > 0;
}
