/**
 * Making a model of what was learned where time is limited: how long it will take, measured on some rows, and
 * what is done in it.
 *
 * Nothing here is a margin that was fitted to some machine. What codes cost is measured under the weights and
 * the load of the moment, when learning is about to end and after each step that changes the weights; steps
 * go on as long as there is time before what was measured last. Only what happens after the last measurement
 * is not known, and for that a run may end a little late.
 */
import { type Engine, floatsOf, type Range, WIDE, widthOf } from '../engine/engine.ts';
import type { Certificates } from '../engine/proofs.ts';
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
import { CERTIFIED, COLD_STEPS, type Learnt, type SettleOptions } from './settle.ts';

/**
 * How long a finish takes: all codes, and the rounds that refine weights, as far as a limited time is well
 * spent on them.
 */
export async function finishSeconds(
  engine: Engine,
  data: TrainingData,
  trainer: FastTrainer,
  settings: Settings,
): Promise<number> {
  const settling = await formedSeconds(engine, data, trainer, settings);
  // Weights that cost something are found anew for the codes, round by round, as long as there is time.
  if (isRelaxed(settings.l1)) return settling + RELAXED_TIME * settings.timeBudget;
  const most = REFINING_TIME * Math.max(0, settings.timeBudget - settling);
  return settling + Math.min(most, await refineSeconds(engine, data, trainer, settings));
}

/**
 * The share of what codes leave of a time budget that rounds on weights get at most: there has to be
 * something to refine.
 */
const REFINING_TIME = 0.6;

/** The share of a time budget that relaxed weights get at the end. */
const RELAXED_TIME = 0.2;

/** Where time is limited: the seconds that are left for what comes before codes are settled. */
export interface Left {
  (): number;
  /**
   * Measures anew what settling takes: weights that tell rows apart more sharply need more steps, and
   * machines have slow moments.
   */
  renew(): Promise<void>;
}

/** The seconds that are left, less what `settling` takes, which is asked whenever it may have changed. */
export async function leftBefore(left: () => number, settling: () => Promise<number>): Promise<Left> {
  let kept = 0;
  const renew = async () => {
    // Where there is none, it is no matter how much is missing.
    if (left() <= 0) return;
    const before = kept;
    kept = await settling();
    // A rise is believed when it is seen twice: it may have been a slow moment of the machine.
    if (kept > RISE * before) kept = Math.min(kept, await settling());
  };
  await renew();
  return Object.assign(() => left() - kept, { renew });
}

/** What is more than chance: samples of rows differ by a tenth. */
const RISE = 1.1;

export async function leftBeforeSettling(
  engine: Engine,
  data: TrainingData,
  trainer: FastTrainer,
  settings: Settings & { readonly left: () => number },
): Promise<Left> {
  return leftBefore(settings.left, () => formedSeconds(engine, data, trainer, settings));
}

/**
 * About how long `settle` will take once units are turned to their principal axes, as some rows tell them.
 * Codes of refined weights take a third to a half longer from there.
 */
async function formedSeconds(
  engine: Engine,
  data: TrainingData,
  trainer: FastTrainer,
  settings: Settings,
): Promise<number> {
  const rows = Math.min(data.n, rowsToTry(data));
  const learnt = await trainer.learnt();
  const { keepCodes, encoding, chosen, H, l1 } = settings;
  // Before the first epoch is over, codes that were not met yet tell nothing of axes.
  const turns = keepCodes && encoding.free && !chosen && !isRelaxed(l1) && trainer.epoch > 0;
  if (!turns) return settleSeconds(engine, data, learnt, settings, rows);
  const { shape, width } = trainer;
  const W = floatsOf(engine, await trainer.W.read());
  const E = floatsOf(engine, await trainer.E.read(0, rows * width));
  try {
    const { turnUnits } = await import('./turn.ts');
    await turnUnits(engine, rows, { shape, W, E });
    const reach = await largestCodes(E, rows, H, width);
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

/** Rows that tell what all of them cost, for a sixty-fourth of that cost. */
function rowsToTry({ n }: TrainingData): number {
  return Math.max(TRIED, Math.ceil(n / 64));
}

/** About how long `settle` will take, told by so many rows under the weights as they are. */
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
    clearCodes(E, widthOf(shape), shape.bias);
    began = performance.now();
    if (certify) await encoder.encodeBlock(block, E, CERTIFIED);
    else await encoder.approach(block, E, COLD_STEPS);
  });
  encoder.free();
  return (((performance.now() - began) / 1000) * data.n) / sample.n;
}

/** Proves as many codes, from the first on, as there is time for, and brings the others close. */
export async function proveInTime(
  n: number,
  toCome: number,
  approach: (range: Range) => Promise<Certificates>,
  certify: (range: Range) => Promise<Certificates>,
  left: () => number,
): Promise<Certificates> {
  const losses = new Float64Array(n);
  const gaps = new Float64Array(n);
  // The last rows tell what codes cost that are only brought close.
  const last = { start: Math.max(0, n - TRIED), end: n };
  const tried = performance.now();
  await approach(last);
  const began = performance.now();
  const close = (began - tried) / 1000 / (n - last.start);
  let proven = 0;
  for (let start = 0; start < n; start += TRIED) {
    const range = { start, end: Math.min(n, start + TRIED) };
    const enough = proven === start && left() > CLOSE_MARGIN * close * (toCome - start);
    const found = await (enough ? certify(range) : approach(range));
    if (enough) proven = range.end;
    losses.set(found.losses, start);
    gaps.set(found.gaps, start);
  }
  return { losses, gaps };
}

/** How much longer than those tried other codes may take to be brought close. */
const CLOSE_MARGIN = 1.25;

/** Codes that nothing holds in have about unit variance while they are learned: none is out here. */
const FAR = 30;

/** About how long weights will be refined and proven. */
export async function refineSeconds(
  engine: Engine,
  data: TrainingData,
  trainer: Pick<FastTrainer, 'shape' | 'W' | 'E' | 'loss'>,
  settings: Settings,
): Promise<number> {
  const passes = await passesOf(engine, trainer.shape, data, settings);
  return passes && passes * (await passSeconds(engine, data, trainer, settings));
}

/** About how long one of Newton's steps on all codes takes: some are tried, without moving them. */
export async function passSeconds(
  engine: Engine,
  data: TrainingData,
  { shape, W, E, loss }: Pick<FastTrainer, 'shape' | 'W' | 'E' | 'loss'>,
  settings: Settings,
): Promise<number> {
  // Steps are those of a smooth loss. A kinked one is rounded off first, which leaves its steps their price.
  const smooth = bends(settings) ? loss : await roundedOff(loss);
  for await (const { block } of data.blocks()) {
    const range = { start: 0, end: Math.min(block.n, engine.rowsAtOnce / 8) };
    const decrements = engine.floats(block.n);
    const at = { block, shape, W, E, loss: smooth, range };
    let seconds = 0;
    // A device compiles its programs the first time, and is at work until something is read.
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

/** Rows that tell how long all of them will take, and rows between two looks at the clock. */
const TRIED = 512;

/** What refining costs, in Newton's steps on all codes. */
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

async function roundedOff(loss: FastTrainer['loss']): Promise<FastTrainer['loss']> {
  return (await import('./refine/smooth-slopes.ts')).roundedOff(loss, 1);
}

/** Where weights are proven without being refined. */
const APPROACH_PASSES = 8;
