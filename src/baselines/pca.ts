import type { Engine } from '../engine/engine.ts';
import { projected } from '../engine/products.ts';
import { type Where, withEngine } from '../engine/scope.ts';
import { softplus } from '../losses/cross-entropy.ts';
import { counted } from '../rows/counted.ts';
import { type RowsInput, readRows } from '../rows/input.ts';
import { entry, type Rows } from '../rows/rows.ts';
import { checksFor } from '../training/checks.ts';
import { leadingDirections } from '../training/start/start.ts';

/**
 * PCA with a link: what people do with tables of bits when PCA is the tool at hand. Rows are projected on the
 * H leading principal components; the linear reconstruction r_v of each bit is turned into a probability by a
 * logistic link of its own, p_v = 1 / (1 + exp(-(a_v + b_v r_v))), fitted to the training rows by maximum
 * likelihood. That is the best monotone use of r_v that a line in the log-odds allows; clipping r_v to a
 * probability is never better by much.
 */
export interface PcaWithLink {
  readonly V: number;
  readonly H: number;
  readonly mean: Float64Array;
  /** V x H, orthonormal columns. */
  readonly directions: Float64Array;
  readonly intercepts: Float64Array;
  readonly slopes: Float64Array;
}

export interface PcaOptions extends Where {
  /** Components, at most as many as there are columns. */
  readonly H: number;
  /** Fixes where the search for the components starts. Default 1. */
  readonly seed?: number;
}

export async function fitPca(input: RowsInput, options: PcaOptions): Promise<PcaWithLink> {
  if (!options)
    throw new RangeError('fitPca: say how many components there are, as in fitPca(rows, { H: 8 })');
  const rows = await readRows(input, 'rows', undefined, options.signal);
  const { n, V } = rows;
  const { H, seed = 1 } = options;
  checksFor('fitPca').whole('H', H, 1);
  if (H > V) throw new RangeError(`fitPca: rows of ${V} columns have ${V} components at most, got H = ${H}`);
  return withEngine(options, async (engine) => {
    const { mean, directions } = await leadingDirections(engine, engine.load(rows), H, seed, true);
    const linear = { V, H, mean, directions };
    const reconstructions = await reconstruct(engine, rows, linear);
    const intercepts = new Float64Array(V);
    const slopes = new Float64Array(V);
    for (let v = 0; v < V; v++) {
      const r = Float64Array.from({ length: n }, (_, i) => reconstructions[i * V + v]);
      const x = Float64Array.from({ length: n }, (_, i) => entry(rows, i, v));
      [intercepts[v], slopes[v]] = await logisticLine(engine, r, x);
    }
    return { ...linear, intercepts, slopes };
  });
}

/**
 * Mean cross-entropy of the rows, in nats, and the same with reconstructions clipped to probabilities
 * instead, `clip` (default 0.01) away from 0 and 1.
 */
export async function pcaLoss(
  input: RowsInput,
  pca: PcaWithLink,
  options: Where & { readonly clip?: number } = {},
): Promise<{ linked: number; clipped: number }> {
  const rows = await readRows(input, 'rows', undefined, options.signal);
  const { V } = pca;
  const { clip = 0.01 } = options;
  if (rows.V !== V)
    throw new RangeError(`pcaLoss: rows have ${counted(rows.V, 'column')}; the components are of ${V}`);
  return withEngine(options, async (engine) => {
    const reconstructions = await reconstruct(engine, rows, pca);
    let [linked, clipped] = [0, 0];
    for (let i = 0; i < rows.n; i++) {
      await engine.turn();
      for (let v = 0; v < V; v++) {
        const x = entry(rows, i, v);
        if (Number.isNaN(x)) continue;
        const r = reconstructions[i * V + v];
        const score = pca.intercepts[v] + pca.slopes[v] * r;
        linked += ((1 + x) / 2) * softplus(-score) + ((1 - x) / 2) * softplus(score);
        const p = Math.max(clip, Math.min(1 - clip, (1 + r) / 2));
        clipped -= ((1 + x) / 2) * Math.log(p) + ((1 - x) / 2) * Math.log(1 - p);
      }
    }
    return { linked: linked / rows.n, clipped: clipped / rows.n };
  });
}

/** mean + P P^T (x - mean), n x V. Called within a scope of the engine, which gives its memory back. */
async function reconstruct(
  engine: Engine,
  rows: Rows,
  { V, H, mean, directions }: Pick<PcaWithLink, 'V' | 'H' | 'mean' | 'directions'>,
): Promise<Float32Array> {
  const codes = await projected(engine, engine.load(rows), directions, H);
  const shift = new Float64Array(H);
  for (let v = 0; v < V; v++) for (let h = 0; h < H; h++) shift[h] += mean[v] * directions[v * H + h];
  const out = new Float32Array(rows.n * V);
  for (let i = 0; i < rows.n; i++) {
    await engine.turn();
    for (let v = 0; v < V; v++) {
      let r = mean[v];
      for (let h = 0; h < H; h++) r += directions[v * H + h] * (codes[i * H + h] - shift[h]);
      out[i * V + v] = r;
    }
  }
  return out;
}

/**
 * The line a + b r in the log-odds of x = 1, by Newton's method with a small ridge, without missing entries.
 */
async function logisticLine(engine: Engine, r: Float64Array, x: Float64Array): Promise<[number, number]> {
  let [a, b] = [0, 1];
  for (let step = 0; step < 25; step++) {
    await engine.turn();
    let [ga, gb, haa, hab, hbb] = [RIDGE * a, RIDGE * b, RIDGE, 0, RIDGE];
    for (let i = 0; i < r.length; i++) {
      if (Number.isNaN(x[i])) continue;
      const p = 1 / (1 + Math.exp(-(a + b * r[i])));
      const residual = p - (1 + x[i]) / 2;
      const weight = p * (1 - p);
      ga += residual;
      gb += residual * r[i];
      haa += weight;
      hab += weight * r[i];
      hbb += weight * r[i] * r[i];
    }
    const determinant = haa * hbb - hab * hab;
    const da = (hbb * ga - hab * gb) / determinant;
    const db = (haa * gb - hab * ga) / determinant;
    // Half a step where a whole one would leap: the log-odds of near-certain bits move slowly anyway.
    const damp = Math.min(1, 4 / (Math.abs(da) + Math.abs(db) + 1e-12));
    a -= damp * da;
    b -= damp * db;
    if (Math.abs(da) + Math.abs(db) < 1e-8) break;
  }
  return [a, b];
}

const RIDGE = 0.1;
