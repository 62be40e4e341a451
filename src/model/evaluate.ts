import { expectedLoss } from '../bits/randomised.ts';
import { defaultEngine } from '../engine/default.ts';
import type { Engine, Point } from '../engine/engine.ts';
import { entry, type Rows } from '../rows/rows.ts';
import type { RowSource } from '../rows/source.ts';
import { withBias } from '../solvers/codes.ts';
import { boundForCodes, driftOf } from './guarantee.ts';
import type { EvaluateOptions, LossReport, PCAE } from './model.ts';

/** Loss, bound, gap and wrong bits of a source's rows, piece by piece. */
export async function evaluateSource(
  model: PCAE,
  source: RowSource,
  options: EvaluateOptions,
): Promise<LossReport> {
  const { draws, seed = 1 } = options;
  if (draws !== undefined && model.encoding !== 'box') {
    throw new RangeError(
      `evaluate: draws are of bits from box codes; this model has ${model.encoding} codes`,
    );
  }
  const tolerance = options.tolerance ?? 0.01;
  const engine = options.engine ?? (await defaultEngine());
  const correlations = new Float64Array(model.W.length);
  let [n, loss, gap, max, hamming, uncertified] = [0, 0, 0, 0, 0, 0];
  let [drawn, variance] = [0, 0];
  let flipOptimal: number | undefined;
  for await (const part of model.encodeSource(source, options)) {
    for (let i = 0; i < part.n; i++) {
      loss += part.losses[i];
      gap += part.gaps[i];
      max = Math.max(max, part.gaps[i]);
      if (part.gaps[i] > tolerance) uncertified++;
    }
    const piece = openPiece(engine, part.rows, part.codes, model);
    const sums = await sumCorrelations(engine, piece);
    for (let i = 0; i < sums.length; i++) correlations[i] += sums[i];
    if (draws !== undefined) {
      const expected = await expectedLoss(engine, piece, { draws, seed, firstRow: n });
      drawn += part.n * expected.mean;
      variance += (part.n * expected.standardError) ** 2;
    }
    for (const floats of [piece.block, piece.W, piece.E]) floats.free();
    flipOptimal = part.flipOptimal?.reduce((least, flips) => Math.min(least, flips), flipOptimal ?? model.H);
    hamming += wrongBits(part.rows, await model.decode(part.codes, options));
    n += part.n;
    options.onProgress?.(n / source.n);
  }
  const mean = loss / n;
  const B = correlations.map((sum) => sum / n);
  return {
    n,
    loss: mean,
    lossPerBit: mean / model.V,
    bound: boundForCodes(model, mean, B),
    drift: driftOf(model, B).reduce((a, b) => Math.max(a, b), 0),
    gap: { mean: gap / n, max },
    hamming: hamming / n,
    uncertified,
    flipOptimal,
    randomised:
      draws === undefined ? undefined : { loss: drawn / n, standardError: Math.sqrt(variance) / n, draws },
  };
}

/** Rows and their codes inside the engine; the caller frees them. */
function openPiece(engine: Engine, rows: Rows, codes: Float32Array, model: PCAE): Point {
  const { V, H, bias, reconstructionLoss: loss } = model;
  const width = bias ? H + 1 : H;
  const E = engine.floats(rows.n * width);
  E.write(withBias(codes, H, width));
  const W = engine.floats(model.W.length);
  W.write(model.W);
  return { block: engine.load(rows), shape: { V, H, bias }, W, E, loss };
}

/** X E^T over the rows of a piece: V x width. */
async function sumCorrelations(engine: Engine, { block, shape, W, E }: Point): Promise<Float32Array> {
  const sums = engine.floats(W.length);
  await engine.correlate(block, E, W.length / shape.V, sums);
  const out = sums.read();
  sums.free();
  return out;
}

/** Bits whose reconstruction has the other sign. A randomised bit counts by its probability of being wrong. */
function wrongBits(rows: Rows, decoded: Float32Array): number {
  let wrong = 0;
  for (let i = 0; i < rows.n; i++) {
    for (let v = 0; v < rows.V; v++) {
      const x = entry(rows, i, v);
      if (!Number.isNaN(x)) wrong += 0.5 * (1 - x * (decoded[i * rows.V + v] < 0 ? -1 : 1));
    }
  }
  return wrong;
}
