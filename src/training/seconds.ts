/**
 * Limited time: how long the end of learning will take, estimated by timing it on some rows.
 *
 * No constant here was fitted to some machine. The time for final codes is measured under the weights and the
 * load of the moment, when learning is about to end and after each step that changes the weights; steps go on
 * as long as the last measurement leaves time. Only delays after the last measurement are unknown, and for
 * these a run may end a little late.
 */
import { type Engine, floatsOf, type Range, WIDE, widthOf } from '../engine/engine.ts';
import { clearCodes, largestCodes, withRows } from '../solvers/codes.ts';
import { Encoder } from '../solvers/encode.ts';
import type { TrainingData } from './data.ts';
import { MOST_REFINED } from './defaults.ts';
import type { FastTrainer } from './fast.ts';
import { ROOM } from './finish.ts';
import { isRelaxed } from './prices.ts';
import { MORE_PASSES, PROOF_PASSES, ROUNDS, WIDE_ROUNDS } from './refine/refine.ts';
import { bends, proves, refines } from './refine/whether.ts';
import { rescale } from './scale.ts';
import type { Settings } from './settings.ts';
import { CERTIFIED, COLD_STEPS, type Learnt, type OnCodes, type SettleOptions } from './settle.ts';

/** The seconds to reserve for the end of learning: final codes, and rounds that refine weights. */
export async function finishSeconds(
  engine: Engine,
  data: TrainingData,
  trainer: FastTrainer,
  settings: Settings,
): Promise<number> {
  const settling = await formedSeconds(engine, data, trainer, settings);
  // Relaxed weights are fitted to the codes in rounds, as long as there is time.
  if (isRelaxed(settings.l1)) return settling + RELAXED_TIME * settings.timeBudget;
  const most = REFINING_TIME * Math.max(0, settings.timeBudget - settling);
  return settling + Math.min(most, await refineSeconds(engine, data, trainer, settings));
}

/** The most that rounds on weights get of a time budget, as a share of what final codes leave of it. */
const REFINING_TIME = 0.6;

/** The share of a time budget that relaxed weights get at the end. */
const RELAXED_TIME = 0.2;

/** The seconds that are left before final codes must be begun. */
export interface Left {
  (): number;
  /**
   * Measures anew how long final codes take: sharper weights need more steps, and machines have slow moments.
   */
  renew(): Promise<void>;
}

/** The seconds that are left, less those of final codes, which `settling` measures. */
export async function leftBefore(left: () => number, settling: () => Promise<number>): Promise<Left> {
  let kept = 0;
  const renew = async () => {
    // If no time is left, it does not matter how much is missing.
    if (left() <= 0) return;
    const before = kept;
    kept = await settling();
    // A rise may be a slow moment of the machine, and only counts if a second measurement confirms it.
    if (kept > RISE * before) kept = Math.min(kept, await settling());
  };
  await renew();
  return Object.assign(() => left() - kept, { renew });
}

/** A rise beyond chance: measurements on different rows differ by a tenth. */
const RISE = 1.1;

/**
 * About how long `settle` will take once units are turned to their principal axes, which are estimated on
 * some rows. On these axes codes of refined weights take a third to a half longer.
 */
export async function formedSeconds(
  engine: Engine,
  data: TrainingData,
  trainer: FastTrainer,
  settings: Settings,
): Promise<number> {
  const rows = Math.min(data.n, rowsToTry(data));
  const learnt = await trainer.learnt();
  const { keepCodes, encoding, chosen, l1 } = settings;
  // In the first epoch some codes have not been visited yet and say nothing about axes.
  const turns = keepCodes && encoding.free && !chosen && !isRelaxed(l1) && trainer.epoch > 0;
  if (!turns) return settleSeconds(engine, data, learnt, settings, rows);
  const { shape, width } = trainer;
  const W = floatsOf(engine, await trainer.W.read());
  const E = floatsOf(engine, await trainer.E.read(0, rows * width));
  try {
    const { turnUnits } = await import('./turn.ts');
    await turnUnits(engine, rows, { shape, W, E });
    const reach = await largestCodes(E, rows, shape);
    const radius = encoding.bounded ? 1 : ROOM * Math.max(1, ...reach);
    if (encoding.bounded) {
      const scale = reach.map((most) => Math.max(most, 1e-6) * ROOM);
      await rescale({ shape, W, E }, rows, scale);
    }
    return await settleSeconds(engine, data, { ...learnt, W }, { ...settings, radius }, rows);
  } finally {
    W.free();
    E.free();
  }
}

/** The number of rows to time, about a sixty-fourth of all. */
function rowsToTry({ n }: TrainingData): number {
  return Math.max(TRIED, Math.ceil(n / 64));
}

/** About how long `settle` will take, timed on so many rows under the present weights. */
export async function settleSeconds(
  engine: Engine,
  data: TrainingData,
  { shape, W, curvature }: Omit<Learnt, 'E'>,
  { loss, certify, set, radius }: Pick<SettleOptions, 'loss' | 'certify' | 'set' | 'radius'>,
  rows = TRIED,
): Promise<number> {
  const decoder = { shape, W: await W.read(), loss, set, curvature: Float32Array.from(curvature) };
  const columnWeights = data.columnWeights?.values;
  const encoder = await Encoder.create(engine, { ...decoder, radius: Math.min(FAR, radius), columnWeights });
  const sample = await data.sample(rows);
  let began = 0;
  await withRows(engine, sample, widthOf(shape), async (block, E) => {
    clearCodes(E, shape);
    began = performance.now();
    if (certify) await encoder.encodeBlock({ block, E }, CERTIFIED);
    else await encoder.approach({ block, E }, COLD_STEPS);
  });
  encoder.free();
  return (((performance.now() - began) / 1000) * data.n) / sample.n;
}

/**
 * Work on pieces of n rows that proves as many codes, from the first on, as there is time for, and only
 * brings the others close. `toCome` counts the rows from the first of these on, with those of later blocks.
 */
export async function provingInTime(
  n: number,
  toCome: number,
  { approach, certify }: Readonly<Record<'approach' | 'certify', OnCodes>>,
  left: () => number,
): Promise<{ readonly size: number; readonly work: OnCodes }> {
  // The last rows show what it costs to bring codes close.
  const last = { start: Math.max(0, n - TRIED), end: n };
  const tried = performance.now();
  await approach(last);
  const began = performance.now();
  const close = (began - tried) / 1000 / (n - last.start);
  let proven = 0;
  const work = async (range: Range) => {
    const { start, end } = range;
    const enough = proven === start && left() > CLOSE_MARGIN * close * (toCome - start);
    const found = await (enough ? certify(range) : approach(range));
    if (enough) proven = end;
    return found;
  };
  return { size: TRIED, work };
}

/** A safety factor on the time for bringing other codes close. */
const CLOSE_MARGIN = 1.25;

/** A radius beyond all free codes, which have about unit variance while they are learned. */
const FAR = 30;

/** About how long it takes to refine and prove weights. */
export async function refineSeconds(
  engine: Engine,
  data: TrainingData,
  trainer: FastTrainer,
  settings: Settings,
): Promise<number> {
  const passes = await passesOf(engine, trainer.shape, data, settings);
  return passes && passes * (await passSeconds(engine, data, trainer, settings));
}

/** About how long one of Newton's steps on all codes takes, timed on some of them without moving them. */
export async function passSeconds(
  engine: Engine,
  data: TrainingData,
  { shape, W, E, loss }: FastTrainer,
  settings: Settings,
): Promise<number> {
  // Newton's steps need a smooth loss. A rounded-off one costs the same per step.
  const smooth = bends(settings) ? loss : (await import('./refine/smooth-slopes.ts')).roundedOff(loss, 1);
  for await (const { block } of data.blocks()) {
    const range = { start: 0, end: Math.min(block.n, engine.rowsAtOnce / 8) };
    const decrements = engine.floats(block.n);
    const at = { block, shape, W, E, loss: smooth, range };
    let seconds = 0;
    // The first time, a device still compiles its programs. The read waits for its work.
    for (let time = 0; time < 2; time++) {
      const began = performance.now();
      await engine.newton('codes', at, { ridge: settings.ridge, decrements });
      await decrements.read(0, 1);
      seconds = (performance.now() - began) / 1000;
    }
    decrements.free();
    return (seconds * block.n) / range.end;
  }
  return 0;
}

/** The least number of rows to time, and rows between two looks at the clock. */
const TRIED = 512;

/** The cost of refining and proving weights, in Newton's steps on all codes. */
async function passesOf(
  engine: Engine,
  { V, H }: FastTrainer['shape'],
  data: TrainingData,
  settings: Settings,
): Promise<number> {
  const { encoding, chosen, loss } = settings;
  if (!engine.newtonian(loss, H) || !proves(data, settings) || (encoding.free && chosen)) return 0;
  if (!bends(settings)) return settings.certify ? (await import('./refine/smooth-slopes.ts')).PASSES : 0;
  if (!refines(settings)) return settings.certify ? PROOF_PASSES : 0;
  const rounds = 2 * (V >= WIDE ? WIDE_ROUNDS : ROUNDS).most;
  return H > MOST_REFINED ? APPROACH_PASSES : rounds + MORE_PASSES;
}

/** The cost of proving weights without rounds, in Newton's steps on all codes. */
const APPROACH_PASSES = 8;
