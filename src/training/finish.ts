import type { Engine } from '../engine/engine.ts';
import { changeCodes } from '../solvers/codes.ts';
import type { TrainingData } from './data.ts';
import type { FastTrainer } from './fast.ts';
import { isRelaxed } from './prices.ts';
import { rescale } from './scale.ts';
import type { Left } from './seconds.ts';
import type { Settings } from './settings.ts';
import { type Fitted, type ReportEnding, settle } from './settle.ts';

/**
 * Ends learning with Newton's rounds and brings units into their final form: turned to their principal axes,
 * in falling order of strength, and scaled so that codes fit the box (real codes: have unit variance). Then
 * the final codes are found.
 *
 * If weights have prices or some must not exist, units are not turned: a turn would mix the zeros of one unit
 * with the weights of another. Masked models only scale their units. Relaxed models were learned inside the
 * box, where scale matters, and end with the best weights for their codes instead.
 */
export async function finish(
  engine: Engine,
  data: TrainingData,
  trainer: FastTrainer,
  settings: FinishSettings,
): Promise<Fitted> {
  const { H, chosen, keepCodes, encoding } = settings;
  const n = keepCodes ? data.n : 0;
  if (isRelaxed(settings.l1)) {
    await rescale(trainer, n, new Float64Array(H).fill(settings.radius));
    const { finishRelaxed } = await import('./relaxed/finish.ts');
    return finishRelaxed(engine, data, trainer, settings);
  }
  const { refine } = await import('./refine/refine.ts');
  const left = await leftToRefine(engine, data, trainer, settings);
  const weightGap = await refine(engine, data, trainer, { ...settings, left });
  if (!chosen && keepCodes) await (await import('./turn.ts')).turnUnits(engine, data.n, trainer);
  const reach = await trainer.reach();
  const scale = reach.map((most) => (encoding.bounded ? Math.max(most, 1e-6) * ROOM : 1));
  const radius = encoding.bounded ? 1 : ROOM * Math.max(1, ...reach);
  await rescale(trainer, n, scale);
  await silence(trainer, n);
  const fitted = await settle(engine, data, await trainer.learnt(), { ...settings, radius, warm: keepCodes });
  return { weightGap, ...fitted };
}

export interface FinishSettings extends Settings {
  readonly report?: ReportEnding;
  /** If time is limited: the seconds that are left. */
  readonly left?: () => number;
  /** The additional seconds that codes may take rather than stay unproven. */
  readonly late?: number;
  /** The mean loss of the validation rows, if there are any, under the trainer's present weights. */
  readonly validate?: () => Promise<number>;
}

/** If time is limited: the seconds that are left before final codes must be begun. */
export async function leftToRefine(
  engine: Engine,
  data: TrainingData,
  trainer: FastTrainer,
  settings: FinishSettings,
): Promise<Left | undefined> {
  const { left } = settings;
  if (!left) return undefined;
  const { formedSeconds, leftBefore } = await import('./seconds.ts');
  return leftBefore(left, () => formedSeconds(engine, data, trainer, settings));
}

/** The size of the box, times the largest training code, because new rows may need larger codes. */
export const ROOM = 4;

/**
 * Sets units to exactly 0, codes included, if a strong ridge has left them with next to no weights. Such
 * weights are rounding errors, and scaling to unit variance would make them look like learned units.
 */
async function silence(trainer: FastTrainer, n: number): Promise<void> {
  const { width } = trainer;
  const { H } = trainer.shape;
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
  await changeCodes(trainer.E, n, trainer.shape, (e, h) => (off[h] ? 0 : e));
}

/** With codes of size 1, a smaller weight changes no probability in float32. */
const SILENT = 1e-7;
