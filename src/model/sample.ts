import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import type { Where } from '../engine/scope.ts';
import { rowStream, sampleUnit } from '../rows/binarize.ts';
import { inPieces, inTurns, type Steps } from '../rows/breath.ts';
import { type Corruption, corruptInTurns } from '../rows/corrupt.ts';
import { counted } from '../rows/counted.ts';
import { groupOfColumn, normaliseGroups } from '../rows/groups.ts';
import { type RowsInput, readRows } from '../rows/input.ts';
import { type BitRows, rowBytes } from '../rows/rows.ts';
import { checksFor } from '../training/checks.ts';
import { paced } from '../training/loop/pace.ts';
import type { PCAE } from './model.ts';

export interface SampleOptions extends Where {
  /** Rows to generate. Default 64. */
  readonly count?: number;
  /** Rounds of the walk. Default 20. */
  readonly steps?: number;
  /** What happens to a row before it is encoded again. Default: a tenth of its entries flipped. */
  readonly corruption?: Pick<Corruption, 'kind' | 'rho'>;
  /** Fixes everything random. Default 1. */
  readonly seed?: number;
  /**
   * Rows to start from, instead of rows whose bits are drawn one by one from their means in the training
   * rows.
   */
  readonly start?: RowsInput;
  readonly onProgress?: (fraction: number) => void;
}

export interface Sampled {
  readonly rows: BitRows;
  /** The means that the bits were drawn from, in [-1, 1]: n x V. */
  readonly means: Float32Array;
}

/**
 * New rows from a model: the walk of a denoising autoencoder (Sec. 4.2). A row is corrupted, encoded, decoded
 * to a probability for each bit, and its bits are drawn from these; then again. If the model reconstructs
 * what the noise destroyed, the walk approaches a Markov chain whose rows are distributed like the data.
 * Every row walks independently, with its own random numbers.
 */
export async function sample(model: PCAE, options: SampleOptions = {}): Promise<Sampled> {
  const { steps = 20, seed = 1, corruption = { kind: 'flip', rho: 0.1 } } = options;
  const { engine, signal } = options;
  const start = options.start && (await checkedStart(options.start, model, signal));
  const count = start?.n ?? options.count ?? 64;
  const check = checksFor('sample');
  check.whole('count', count, 1);
  check.whole('steps', steps, 1);
  const report = paced(options.onProgress);
  let means = baseRates(model, count);
  let rows: BitRows = start ?? (await inTurns(draw(model, means, mixed(seed, 0)), signal));
  for (let step = 1; step <= steps; step++) {
    const noise = { ...corruption, seed: mixed(seed, 2 * step - 1) };
    const noisy = await corruptInTurns(rows, noise, signal);
    means = await model.reconstruct(noisy, { engine, signal, tolerance: LOOSE });
    if (model.groups) means = normaliseGroups(means, model.V, model.groups);
    rows = await inTurns(draw(model, means, mixed(seed, 2 * step)), signal);
    report(step / steps);
  }
  return { rows, means };
}

async function checkedStart(start: RowsInput, { V }: PCAE, signal?: AbortSignal): Promise<BitRows> {
  const rows = await readRows(start, 'start', undefined, signal);
  if (rows.V !== V) throw new RangeError(`sample: start has ${counted(rows.V, 'column')}, the model ${V}`);
  if (rows.kind === 'bits') return rows;
  throw new TypeError('sample: start must hold bits, got values between them');
}

/** The tolerance of codes on a walk, in nats: noise moves them by more. */
const LOOSE = 1;

/**
 * The bits' means, taken from the bias unit's correlations; 0 without a bias unit. Missing entries count as 0
 * in them, so bits with few known entries start nearly undecided. That does little harm, because walks forget
 * where they began.
 */
function baseRates({ V, H, B, bias }: PCAE, count: number): Float32Array {
  const means = new Float32Array(count * V);
  if (!bias) return means;
  const row = Float32Array.from({ length: V }, (_, v) => B[v * (H + 1) + H]);
  for (let i = 0; i < count; i++) means.set(row, i * V);
  return means;
}

/** A different seed for each step. */
function mixed(seed: number, step: number): number {
  return (seed + Math.imul(step, 0x9e3779b1)) >>> 0;
}

/** Draws bits from their means, and exactly one column of each category. */
function* draw(model: PCAE, means: Float32Array, seed: number): Steps<BitRows> {
  const { V, groups = [] } = model;
  const n = means.length / V;
  const stride = rowBytes(V);
  const bits = new Uint8Array(n * stride);
  const group = groupOfColumn(groups, V);
  yield* inPieces(n, 1, (i) => {
    const random = rowStream(seed, i);
    const set = (v: number) => {
      bits[i * stride + (v >> 3)] |= 1 << (v & 7);
    };
    for (let v = 0; v < V; v++) {
      const within = group[v];
      if (!within) {
        if (sampleUnit((1 + means[i * V + v]) / 2, random)) set(v);
      } else if (within.first === v) {
        set(v + pick(means.subarray(i * V + v, i * V + v + within.values.length), random));
      }
    }
  });
  return { kind: 'bits', n, V, bits };
}

/** Draws one of the values, each by its share of the probability. */
function pick(means: Float32Array, random: RandomGenerator): number {
  const total = means.reduce((sum, x) => sum + (1 + x) / 2, 0);
  let left = total;
  for (let k = 0; k < means.length - 1; k++) {
    const p = (1 + means[k]) / 2;
    if (left > 0 && sampleUnit(p / left, random)) return k;
    left -= p;
  }
  return means.length - 1;
}
