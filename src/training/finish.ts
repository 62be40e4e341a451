import type { Engine } from '../engine/engine.ts';
import { eachCode } from '../solvers/codes.ts';
import type { TrainingData } from './data.ts';
import type { FastTrainer } from './fast.ts';
import { isRelaxed } from './prices.ts';
import { rescale } from './scale.ts';
import type { Left } from './seconds.ts';
import type { Settings } from './settings.ts';
import { type Fitted, settle, type Told } from './settle.ts';

/**
 * Ends learning with Newton's rounds, then brings what was learned into its final form: units turned to their
 * principal axes and put in falling order of strength, and scaled so that the codes fit the box (or have unit
 * variance, for real codes); then settles.
 *
 * Weights that cost something or must not exist belong to their unit: a turn would mix the zeros of one unit
 * with the weights of another. Masked models keep their units as they are, and scale them; relaxed ones were
 * learned inside the box, where scale matters, and end with the best weights for their codes instead.
 */
export async function finish(
  engine: Engine,
  data: TrainingData,
  trainer: FastTrainer,
  settings: FinishSettings,
): Promise<Fitted> {
  const { H, chosen, keepCodes, encoding } = settings;
  const { width } = trainer;
  if (isRelaxed(settings.l1)) {
    await rescale(trainer, keepCodes ? data.n : 0, new Float64Array(H).fill(settings.radius));
    const { finishRelaxed } = await import('./relaxed/finish.ts');
    return finishRelaxed(engine, data, trainer, settings);
  }
  const { refine } = await import('./refine/refine.ts');
  const { weightGap } = await refine(engine, data, trainer, {
    ...settings,
    left: await leftToRefine(engine, data, trainer, settings),
  });
  if (!chosen && keepCodes) await (await import('./turn.ts')).turnUnits(engine, data.n, trainer);
  const reach = await trainer.reach();
  const scale = reach.map((most) => (encoding.bounded ? Math.max(most, 1e-6) * ROOM : 1));
  const radius = encoding.bounded ? 1 : ROOM * Math.max(1, ...reach);
  await rescale(trainer, keepCodes ? data.n : 0, scale);
  await silence(trainer, keepCodes ? data.n : 0, H, width);
  return {
    weightGap,
    ...(await settle(engine, data, await trainer.learnt(), { ...settings, radius, warm: keepCodes })),
  };
}

export interface FinishSettings extends Settings {
  readonly report?: Told;
  /**
   * Where time is limited: the seconds that are left, and how many more codes may take rather than stay
   * unproven.
   */
  readonly left?: () => number;
  readonly late?: number;
  /** The mean loss of rows held out, where there are any, under the trainer's weights as they are. */
  readonly validate?: () => Promise<number>;
}

/** Where time is limited: the seconds that are left for what comes before codes are settled. */
export async function leftToRefine(
  engine: Engine,
  data: TrainingData,
  trainer: FastTrainer,
  settings: FinishSettings,
): Promise<Left | undefined> {
  const { left } = settings;
  if (!left) return undefined;
  const { leftBeforeSettling } = await import('./seconds.ts');
  return leftBeforeSettling(engine, data, trainer, { ...settings, left });
}

/** How much further than the largest training code the box reaches: new rows may need a little more. */
export const ROOM = 4;

/**
 * A unit that a strong ridge has left with next to no weights is off: exactly 0, and its codes with it. What
 * is left of such weights is rounding, and the turn to unit variance makes codes of it that look like
 * something.
 */
async function silence(trainer: FastTrainer, n: number, H: number, width: number): Promise<void> {
  const W = await trainer.W.read();
  const strongest = new Float64Array(H);
  for (let i = 0; i < W.length; i++) {
    const h = i % width;
    if (h < H) strongest[h] = Math.max(strongest[h], Math.abs(W[i]));
  }
  const off = strongest.map((w) => (w < SILENT ? 1 : 0));
  if (!off.includes(1)) return;
  for (let i = 0; i < W.length; i++) if (off[i % width]) W[i] = 0;
  trainer.W.write(W);
  await eachCode(trainer.E, n, width, (codes, at) => {
    for (let h = 0; h < H; h++) if (off[h]) codes[at + h] = 0;
  });
}

/**
 * Codes are of size 1: a weight this small moves no probability that float32 could tell apart from its
 * neighbour.
 */
const SILENT = 1e-7;
