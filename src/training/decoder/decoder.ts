import { type Block, type Engine, type Floats, floatsOf, type Point } from '../../engine/engine.ts';
import type { Loss } from '../../losses/loss.ts';
import { inverse, timesRows } from '../../math/linear.ts';
import { sum } from '../../rows/sum.ts';
import { TYPICAL_CURVATURE } from '../minibatch.ts';
import { type DecoderCertificate, type DecoderProblem, measureDecoder } from './certificate.ts';
import type { Scaling } from './standard-codes.ts';
import { fromStandard, linearToStandard, scalingOf, standardised, toStandard } from './standard-codes.ts';

export type { DecoderCertificate, DecoderProblem } from './certificate.ts';

export interface DecoderSettings {
  readonly bias: boolean;
  readonly loss: Loss;
  /**
   * (ridge/2) |w|^2 for codes of unit deviation, the bias counted in; without it some bits have no minimum.
   */
  readonly ridge: number;
  /** The weights are to be proven optimal within this many nats, for all bits together. */
  readonly tolerance: number;
}

/** The worst-case optimal decoder for given codes (Thm. 1), with its certificate. */
export interface LearnedDecoder extends DecoderCertificate {
  /** V x width, for the codes as given. */
  readonly W: Float32Array;
}

/**
 * Minimises the slack of every bit (Thm. 1) for given codes.
 *
 * The problem is convex and consists of one small problem per bit. It is solved in coordinates in which codes
 * have mean 0 and deviation 1, first by conjugate gradients, preconditioned by the codes' correlations, then
 * by Newton's steps, which are needed if codes separate their rows so well that weights are large. Steps in
 * float32 alternate with measurements in float64, at the weights that are returned, until the proof is good
 * enough or float32 can do no better.
 */
export async function learnDecoder(
  engine: Engine,
  problem: DecoderProblem,
  settings: DecoderSettings,
  start?: ArrayLike<number>,
): Promise<LearnedDecoder> {
  const { V, H, codes, rowWeights } = problem;
  const scaling = scalingOf(problem, settings.bias);
  const { width } = scaling;
  const n = codes.length / H;
  const Z = floatsOf(engine, standardised(codes, scaling));
  const weights = rowWeights && floatsOf(engine, relativeWeights(rowWeights));
  const second = (await engine.gram(Z, n, width, weights)).map((sum) => sum / n);
  const metric = floatsOf(engine, inverseCurvature(second, width, settings.ridge));
  const solver = { engine, Z, weights, metric, second, scaling, settings };
  const attempt = async (from?: ArrayLike<number>): Promise<LearnedDecoder> => {
    const at = await descend(solver, problem, from ? toStandard(from, scaling) : new Float64Array(V * width));
    const W = Float32Array.from(fromStandard(at.W, scaling));
    const next = at.directions && fromStandard(at.directions, scaling);
    return { W, ...(await measureDecoder(engine, problem, W, scaling, settings, next)) };
  };
  let best = await attempt(start);
  for (let round = 1; round < ROUNDS && !(best.gap <= settings.tolerance); round++) {
    const before = best;
    const found = await attempt(before.W);
    if (found.gap < before.gap || found.residual < before.residual) best = found;
    if (found.gap > WORTH * before.gap) break;
  }
  for (const floats of [Z, metric, weights]) floats?.free();
  return best;
}

/** The most rounds of steps, each with a measurement at its end. */
const ROUNDS = 6;
/** Another round follows if the last one left less than this share of the gap; more is float32's rounding. */
const WORTH = 0.5;
/** Conjugate-gradient steps per round, and in rounds where Newton's follow. */
const STEPS = 100;
const FIRST_STEPS = 30;
/** Newton's steps per round, and the share of the tolerance below which the promised gain ends them. */
const NEWTON_STEPS = 12;
const ENDED = 1e-2;
/** Entries made up at a time if there are correlations but no rows. */
const MADE_UP = 1 << 24;

interface Solver {
  readonly engine: Engine;
  readonly Z: Floats;
  readonly weights?: Floats;
  readonly metric: Floats;
  /** Second moments of the standardised codes, width x width. */
  readonly second: Float64Array;
  readonly scaling: Scaling;
  readonly settings: DecoderSettings;
}

/** The result of steps, V x width in standard coordinates, and Newton's next step if the engine has it. */
interface Descended {
  readonly W: Float32Array;
  readonly directions?: Float32Array;
}

/** Steps on every bit from `start`, in standard coordinates. */
async function descend(solver: Solver, problem: DecoderProblem, start: Float64Array): Promise<Descended> {
  const { engine, Z, weights, metric, scaling, settings } = solver;
  const { V } = problem;
  const { width } = scaling;
  const { loss, ridge } = settings;
  const newtonian = engine.newtonian(loss, width) && Number.isFinite(loss.curvature);
  const out = new Float32Array(V * width);
  const directions = newtonian ? new Float32Array(V * width) : undefined;
  const count = problem.rows ? V : Math.max(1, Math.floor((MADE_UP * width) / Z.length));
  for (let first = 0; first < V; first += count) {
    const end = Math.min(V, first + count);
    const block = problem.rows ? engine.load(problem.rows) : await madeUpRows(solver, problem, first, end);
    const W = floatsOf(engine, start.subarray(first * width, end * width));
    // For the engine the bias is a unit like the others, so that the ridge keeps it finite for bits that
    // never change.
    const shape = { V: end - first, H: width, bias: false };
    const at = { block, shape, W, E: Z, loss, rowWeights: weights };
    const tolerance = (1e-3 * settings.tolerance) / V;
    const steps = newtonian ? FIRST_STEPS : STEPS;
    await engine.solve('weights', at, { steps, tolerance, inverseHessian: metric, ridge });
    if (directions) directions.set(await newtonSteps(engine, at, settings), first * width);
    out.set(await W.read(), first * width);
    block.free();
    W.free();
  }
  return { W: out, directions };
}

/**
 * Newton's steps on every bit until they promise almost nothing. Returns the next step, which is not taken.
 */
async function newtonSteps(
  engine: Engine,
  at: Point,
  { ridge, tolerance }: DecoderSettings,
): Promise<Float32Array> {
  const decrements = engine.floats(at.shape.V);
  const directions = engine.floats(at.W.length);
  for (let step = 0; step < NEWTON_STEPS; step++) {
    await engine.newton('weights', at, { ridge, decrements, move: true });
    const promised = sum(await decrements.read()) / 2;
    if (promised <= ENDED * tolerance) break;
  }
  await engine.newton('weights', at, { ridge, directions });
  const next = await directions.read();
  decrements.free();
  directions.free();
  return next;
}

/**
 * Rows with given correlations. The slack depends on the data through B alone, so any data with X E^T / n = B
 * can be used to minimise it; the smallest are x_v = b_v^T (E E^T / n)^-1 e.
 */
async function madeUpRows(
  solver: Solver,
  problem: DecoderProblem,
  first: number,
  end: number,
): Promise<Block> {
  const { engine, Z, second, scaling } = solver;
  const { width } = scaling;
  const n = Z.length / width;
  const inverseSecond = inverse(second, width, 1e-9);
  const B = linearToStandard(problem.B!, scaling);
  const V = end - first;
  const A = new Float64Array(V * width);
  for (let v = 0; v < V; v++) {
    for (let h = 0; h < width; h++) {
      for (let k = 0; k < width; k++)
        A[v * width + h] += B[(first + v) * width + k] * inverseSecond[k * width + h];
    }
  }
  return engine.load({ kind: 'real', n, V, values: timesRows(await Z.read(), A, width) });
}

/** (curvature E E^T / n + ridge)^-1 in standard coordinates: the shape of every bit's Hessian. */
function inverseCurvature(second: Float64Array, width: number, ridge: number): Float64Array {
  const S = second.map((value, k) => TYPICAL_CURVATURE * value + (k % (width + 1) === 0 ? ridge : 0));
  return inverse(S, width, 1e-6);
}

/** Weights with mean 1: the engine divides by the number of rows. */
export function relativeWeights(weights: Float64Array): Float64Array {
  const mean = sum(weights) / weights.length;
  return weights.map((weight) => weight / mean);
}
