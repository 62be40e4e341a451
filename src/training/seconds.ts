/** Making a model of what was learned where time is limited: how long it will take, told by some rows, and what is done in it. */
import { type Certificates, type Engine, type Range, WIDE, widthOf } from '../engine/engine.ts';
import { clearCodes, withRows } from '../solvers/codes.ts';
import { Encoder } from '../solvers/encode.ts';
import type { TrainingData } from './data.ts';
import type { FastTrainer } from './fast.ts';
import { isRelaxed } from './prices.ts';
import { bends, MORE_PASSES, MOST_UNITS, proves, ROUNDS, refines, WIDE_ROUNDS } from './refine/refine.ts';
import type { Settings } from './settings.ts';
import { CERTIFIED, COLD_STEPS, type Learnt, type SettleOptions } from './settle.ts';

/** How long a finish may take. Rounds that refine weights take the time that there is: codes alone need a margin. */
export async function finishSeconds(
  engine: Engine,
  data: TrainingData,
  trainer: FastTrainer,
  settings: Settings,
): Promise<number> {
  const settling = marginOf(settings) * (await settleSeconds(engine, data, await trainer.learnt(), settings));
  // Weights that cost something are found anew for the codes, round by round, as long as there is time.
  if (isRelaxed(settings.l1)) return settling + RELAXED_TIME * settings.timeBudget;
  return settling + (await refineSeconds(engine, data, trainer, settings));
}

/** The share of a time budget that relaxed weights get at the end. */
const RELAXED_TIME = 0.2;

/** Where time is limited: the seconds that are left for what comes before codes are settled. */
export async function leftBeforeSettling(
  engine: Engine,
  data: TrainingData,
  trainer: FastTrainer,
  settings: Settings & { readonly left: () => number },
): Promise<() => number> {
  const { left } = settings;
  // What is decided here is decided once: more rows tell it better.
  const rows = Math.max(TRIED, Math.ceil(data.n / 32));
  const settling = left() > 0 ? await settleSeconds(engine, data, await trainer.learnt(), settings, rows) : 0;
  return () => left() - marginOf(settings) * settling;
}

/** How much longer than those tried codes may take. Refined weights tell rows apart more sharply: codes need more steps. */
function marginOf(settings: Settings): number {
  return refines(settings) ? 1.9 : 1.15;
}

/** About how long `settle` will take, told by so many rows under the weights as they are. */
export async function settleSeconds(
  engine: Engine,
  data: TrainingData,
  { shape, W, curvature }: Omit<Learnt, 'E'>,
  { loss, certify, set, radius }: Pick<SettleOptions, 'loss' | 'certify' | 'set' | 'radius'>,
  rows = TRIED,
): Promise<number> {
  const decoder = { ...{ shape, W: await W.read(), loss, set }, curvature: Float32Array.from(curvature) };
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
  const [losses, gaps] = [new Float64Array(n), new Float64Array(n)];
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

/** About how long weights will be refined and proven: a step on some codes is tried, without moving them. */
export async function refineSeconds(
  engine: Engine,
  data: TrainingData,
  { shape, W, E, loss }: Pick<FastTrainer, 'shape' | 'W' | 'E' | 'loss'>,
  settings: Settings,
): Promise<number> {
  const passes = await passesOf(engine, shape, data, settings);
  if (passes === 0) return 0;
  // Steps are those of a smooth loss. A kinked one is rounded off first, which leaves its steps their price.
  const smooth = bends(settings) ? loss : await roundedOff(loss);
  for await (const { block } of data.blocks()) {
    const range = { start: 0, end: Math.min(block.n, TRIED) };
    const began = performance.now();
    await engine.newton('codes', { block, shape, W, E, loss: smooth, range }, { ridge: settings.ridge });
    return (passes * (performance.now() - began) * block.n) / 1000 / range.end;
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
  const { encoding, chosen } = settings;
  if (!engine.newtonian || !proves(data, settings) || (encoding.free && chosen)) return 0;
  if (!bends(settings)) return settings.certify ? (await import('./refine/smooth-slopes.ts')).PASSES : 0;
  if (!refines(settings)) return settings.certify ? PROOF_PASSES : 0;
  const rounds = 2 * (V >= WIDE ? WIDE_ROUNDS : ROUNDS).most;
  return H > MOST_UNITS ? APPROACH_PASSES : rounds + MORE_PASSES;
}

async function roundedOff(loss: FastTrainer['loss']): Promise<FastTrainer['loss']> {
  return (await import('./refine/smooth-slopes.ts')).roundedOff(loss, 1);
}

/** Where weights are proven without being refined. */
const APPROACH_PASSES = 8;
/** A proof alone. */
const PROOF_PASSES = 2;
