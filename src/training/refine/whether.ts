/**
 * Whether weights are refined or proven when learning ends: apart from how, which is loaded when it is done.
 */
import type { TrainingData } from '../data.ts';
import { isRelaxed } from '../prices.ts';
import type { Settings } from '../settings.ts';

/**
 * Whether learning ends with Newton's rounds: where all codes are at hand and nothing holds them in, all
 * weights exist and cost their ridge and no more, and Psi bends.
 */
export function refines(
  settings: Pick<Settings, 'encoding' | 'keepCodes' | 'l1' | 'chosen' | 'loss' | 'ridge'>,
): boolean {
  return isPlain(settings) && bends(settings);
}

/** Whether nothing but rounds could ask for more of codes and weights: see `refines`. */
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

/** Whether weights can be proven: for codes that are all at hand, and with a ridge. */
export function proves(
  data: TrainingData,
  { keepCodes, ridge }: Pick<Settings, 'keepCodes' | 'ridge'>,
): boolean {
  return keepCodes && data.blockRows >= data.n && ridge > 0;
}
