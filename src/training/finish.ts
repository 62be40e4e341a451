import type { Engine } from '../engine/engine.ts';
import { symmetricEigen } from '../math/eigen.ts';
import { factor, invertLower } from '../math/linear.ts';
import { eachCode } from '../solvers/codes.ts';
import type { TrainingData } from './data.ts';
import type { FastTrainer } from './fast.ts';
import { isRelaxed } from './prices.ts';
import { refine } from './refine/refine.ts';
import type { Settings } from './settings.ts';
import { type Fitted, settle } from './settle.ts';

/**
 * Ends learning with Newton's rounds, then brings what was learned into its final form: units turned to their principal axes and put in falling order of
 * strength, and scaled so that the codes fit the box (or have unit variance, for real codes); then settles.
 *
 * Weights that cost something or must not exist belong to their unit: a turn would mix the zeros of one unit with the
 * weights of another. Masked models keep their units as they are, and scale them; relaxed ones were learned inside the
 * box, where scale matters, and end with the best weights for their codes instead.
 */
export async function finish(
  engine: Engine,
  data: TrainingData,
  trainer: FastTrainer,
  settings: FinishSettings,
): Promise<Fitted> {
  const { H, bias, chosen, keepCodes, encoding } = settings;
  const { width } = trainer;
  if (isRelaxed(settings.l1)) {
    await rescale(trainer, keepCodes ? data.n : 0, H, width, new Float64Array(H).fill(settings.radius));
    const { finishRelaxed } = await import('./relaxed/finish.ts');
    return finishRelaxed(engine, data, trainer, settings);
  }
  const { weightGap } = await refine(engine, data, trainer, {
    ...settings,
    left: await leftToRefine(engine, data, trainer, settings),
  });
  const turn = chosen || !keepCodes ? undefined : await principalAxes(engine, data.n, trainer, bias);
  if (turn) await applyTurn(trainer, data.n, H, width, turn);
  const reach = await trainer.reach();
  const scale = reach.map((most) => (encoding.bounded ? Math.max(most, 1e-6) * ROOM : 1));
  const radius = encoding.bounded ? 1 : ROOM * Math.max(1, ...reach);
  await rescale(trainer, keepCodes ? data.n : 0, H, width, scale);
  await silence(trainer, keepCodes ? data.n : 0, H, width);
  return {
    weightGap,
    ...(await settle(engine, data, await trainer.learnt(), { ...settings, radius, warm: keepCodes })),
  };
}

export interface FinishSettings extends Settings {
  /** Where time is limited: the seconds that are left. */
  readonly left?: () => number;
  /** The mean loss of rows held out, where there are any, under the trainer's weights as they are. */
  readonly validate?: () => Promise<number>;
}

/** Where time is limited: the seconds that are left for what comes before codes are settled. */
export async function leftToRefine(
  engine: Engine,
  data: TrainingData,
  trainer: FastTrainer,
  settings: FinishSettings,
): Promise<(() => number) | undefined> {
  const { left } = settings;
  if (!left) return undefined;
  const { leftBeforeSettling } = await import('./seconds.ts');
  return leftBeforeSettling(engine, data, trainer, { ...settings, left });
}

/** How much further than the largest training code the box reaches: new rows may need a little more. */
export const ROOM = 4;

/** e' = R (e - mean), W' = W R^-1: the codes' covariance becomes the identity, W'^T W' diagonal and falling. */
interface Turn {
  readonly R: Float64Array;
  readonly inverse: Float64Array;
  readonly mean: Float64Array;
}

async function principalAxes(engine: Engine, n: number, trainer: FastTrainer, bias: boolean): Promise<Turn> {
  const { width } = trainer;
  const H = trainer.shape.H;
  const moments = await engine.gram(trainer.E, n, width);
  const mean = Float64Array.from({ length: H }, (_, h) => (bias ? moments[h * width + H] / n : 0));
  const S = new Float64Array(H * H);
  for (let i = 0; i < H; i++) {
    for (let j = 0; j < H; j++) S[i * H + j] = moments[i * width + j] / n - mean[i] * mean[j];
  }
  const L = factor(S, H, 1e-9);
  const wholeGram = await engine.gram(trainer.W, trainer.shape.V, width);
  const gram = Float64Array.from({ length: H * H }, (_, i) => wholeGram[Math.floor(i / H) * width + (i % H)]);
  // W L has the whitened codes' scale; its own principal axes U complete the turn.
  const { vectors } = symmetricEigen(product(product(transpose(L, H), gram, H), L, H), H);
  const R = product(vectors, invertLower(L, H), H);
  return { R, inverse: product(L, transpose(vectors, H), H), mean };
}

async function applyTurn(
  trainer: FastTrainer,
  n: number,
  H: number,
  width: number,
  turn: Turn,
): Promise<void> {
  const W = await trainer.W.read();
  const turned = W.slice();
  const sums = new Float64Array(H);
  for (let v = 0; v < trainer.shape.V; v++) {
    for (let h = 0; h < H; h++) {
      let sum = 0;
      for (let k = 0; k < H; k++) sum += W[v * width + k] * turn.inverse[k * H + h];
      turned[v * width + h] = sum;
      sums[h] += sum;
    }
    if (width > H) for (let k = 0; k < H; k++) turned[v * width + H] += W[v * width + k] * turn.mean[k];
  }
  // The sign of a unit is free: the bits it switches on outweigh those it switches off.
  const sign = sums.map((sum) => (sum < 0 ? -1 : 1));
  for (let i = 0; i < turned.length; i++) if (i % width < H) turned[i] *= sign[i % width];
  trainer.W.write(turned);
  const e = new Float64Array(H);
  await eachCode(trainer.E, n, width, (codes, at) => {
    for (let k = 0; k < H; k++) e[k] = codes[at + k] - turn.mean[k];
    for (let h = 0; h < H; h++) {
      let sum = 0;
      for (let k = 0; k < H; k++) sum += turn.R[h * H + k] * e[k];
      codes[at + h] = sign[h] * sum;
    }
  });
}

/** Codes divided and weights multiplied by each unit's scale: the same scores. */
export async function rescale(
  trainer: FastTrainer,
  n: number,
  H: number,
  width: number,
  scale: Float64Array,
): Promise<void> {
  const W = await trainer.W.read();
  for (let i = 0; i < W.length; i++) if (i % width < H) W[i] *= scale[i % width];
  trainer.W.write(W);
  await eachCode(trainer.E, n, width, (codes, at) => {
    for (let h = 0; h < H; h++) codes[at + h] /= scale[h];
  });
}

/**
 * A unit that a strong ridge has left with next to no weights is off: exactly 0, and its codes with it. What is left of
 * such weights is rounding, and the turn to unit variance makes codes of it that look like something.
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

/** Codes are of size 1: a weight this small moves no probability that float32 could tell apart from its neighbour. */
const SILENT = 1e-7;

function product(A: Float64Array, C: Float64Array, size: number): Float64Array {
  const out = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    for (let k = 0; k < size; k++) {
      for (let j = 0; j < size; j++) out[i * size + j] += A[i * size + k] * C[k * size + j];
    }
  }
  return out;
}

function transpose(A: Float64Array, size: number): Float64Array {
  return Float64Array.from({ length: size * size }, (_, i) => A[(i % size) * size + Math.floor(i / size)]);
}
