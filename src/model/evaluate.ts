import { defaultEngine } from '../engine/default.ts';
import type { Engine } from '../engine/engine.ts';
import { entry, type Rows } from '../rows/rows.ts';
import type { RowSource } from '../rows/source.ts';
import { withBias } from '../solvers/codes.ts';
import { boundForCodes, driftOf } from './guarantee.ts';
import type { EncodeOptions, LossReport, PCAE } from './model.ts';

/** Loss, bound, gap and wrong bits of a source's rows, piece by piece. */
export async function evaluateSource(
  model: PCAE,
  source: RowSource,
  options: EncodeOptions,
): Promise<LossReport> {
  const tolerance = options.tolerance ?? 0.01;
  const engine = options.engine ?? (await defaultEngine());
  const correlations = new Float64Array(model.W.length);
  let [n, loss, gap, max, hamming, uncertified] = [0, 0, 0, 0, 0, 0];
  for await (const part of model.encodeSource(source, options)) {
    for (let i = 0; i < part.n; i++) {
      loss += part.losses[i];
      gap += part.gaps[i];
      max = Math.max(max, part.gaps[i]);
      if (part.gaps[i] > tolerance) uncertified++;
    }
    const sums = await sumCorrelations(engine, part.rows, part.codes, model);
    for (let i = 0; i < sums.length; i++) correlations[i] += sums[i];
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
  };
}

/** X E^T over the rows of a piece: V x width. */
async function sumCorrelations(
  engine: Engine,
  rows: Rows,
  codes: Float32Array,
  model: PCAE,
): Promise<Float32Array> {
  const { V, H, bias } = model;
  const width = bias ? H + 1 : H;
  const block = engine.load(rows);
  const E = engine.floats(rows.n * width);
  E.write(withBias(codes, H, width));
  const sums = engine.floats(V * width);
  await engine.correlate(block, E, width, sums);
  const out = sums.read();
  block.free();
  E.free();
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
