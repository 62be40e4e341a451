import { expectedLoss } from '../bits/randomised.ts';
import type { Engine, Point } from '../engine/engine.ts';
import { correlated } from '../engine/products.ts';
import { withEngine } from '../engine/scope.ts';
import { escapes, withEscape } from '../promises/ceiling.ts';
import { sameSource } from '../promises/same-source.ts';
import { counted } from '../rows/counted.ts';
import { readRows } from '../rows/input.ts';
import { entry, type Rows, sliceRows } from '../rows/rows.ts';
import type { RowSource } from '../rows/source.ts';
import { checkedRowWeights, weightedSum } from '../rows/weights.ts';
import { checksFor } from '../training/checks.ts';
import { paced } from '../training/loop/pace.ts';
import { checkExclusions } from '../training/refusals.ts';
import type { EvaluateOptions, LossReport } from './autoencoder.ts';
import { boundForCodes, driftOf } from './guarantee.ts';
import type { PCAE } from './model.ts';
import { openPiece } from './piece.ts';
import { unmaskedLoss } from './restore.ts';
import { rowOdds } from './row-odds.ts';

/** Mean loss, bound, gaps and wrong bits of a source's rows, read piece by piece. */
export async function evaluateSource(
  model: PCAE,
  source: RowSource,
  options: EvaluateOptions,
): Promise<LossReport> {
  const { draws, seed = 1, tolerance = 0.01 } = options;
  checkDraws(draws, model);
  const weights = options.rowWeights && checkedRowWeights(options.rowWeights, source.n, 'evaluate');
  const against =
    options.against &&
    checkedAgainst(await readRows(options.against, 'against', model.schema, options.signal), source);
  const correlations = new Float64Array(model.W.length);
  let n = 0;
  let total = 0;
  let loss = 0;
  let gap = 0;
  let max = 0;
  let hamming = 0;
  let entries = 0;
  let uncertified = 0;
  let [drawn, variance] = [0, 0];
  let [withEscapes, escaped, ofDecoded] = [0, 0, 0];
  const bounded = Number.isFinite(model.reconstructionLoss.gamma(1));
  const promised = new Float64Array(source.n);
  let flipOptimal: number | undefined;
  const report = paced(options.onProgress);
  for await (const part of model.encodeSource(source, { ...options, escape: false })) {
    const weight = (i: number) => weights?.[n + i] ?? 1;
    const rows = against ? sliceRows(against, n, n + part.n) : part.rows;
    const { losses, decoded, expected, sums } = await withEngine(options, async (engine) => {
      const piece = openPiece(engine, rows, part.codes, model);
      return {
        // W reconstructs the rows as given; the restored reconstruction is compared with `against`.
        decoded: against
          ? await model.decode(part.codes, { engine })
          : await engine.decode(piece, 'transfer'),
        losses: against ? await lossesOf(engine, piece, rows, model) : part.losses,
        expected: draws && (await expectedLoss(engine, piece, { draws, seed, firstRow: n })),
        sums: await sumCorrelations(engine, piece, weights && weight),
      };
    });
    const odds = rowOdds(model, rows);
    for (let i = 0; i < part.n; i++) {
      promised[n + i] = withEscape(losses[i], odds[i], model);
      withEscapes += weight(i) * promised[n + i];
      if (bounded) ofDecoded += weight(i) * lossOfDecoded(model, rows, i, decoded);
      if (escapes(losses[i], odds[i], model)) escaped++;
      total += weight(i);
      loss += weight(i) * losses[i];
      gap += weight(i) * part.gaps[i];
      const { wrong, known } = compareBits(rows, i, decoded);
      hamming += weight(i) * wrong;
      entries += weight(i) * known;
      max = Math.max(max, part.gaps[i]);
      if (!(part.gaps[i] <= tolerance)) uncertified++;
    }
    if (expected) {
      drawn += weightedSum(expected.rows, weights?.subarray(n));
      variance += expected.rowErrors.reduce((sum, error, i) => sum + (weight(i) * error) ** 2, 0);
    }
    for (let i = 0; i < sums.length; i++) correlations[i] += sums[i];
    flipOptimal = part.flipOptimal?.reduce((least, flips) => Math.min(least, flips), flipOptimal ?? model.H);
    n += part.n;
    report(n / source.n);
  }
  if (n === 0) throw new RangeError('evaluate: there are no rows to measure on');
  const mean = loss / total;
  const B = correlations.map((sum) => sum / total);
  return {
    n,
    loss: mean,
    ...(bounded && { decodedLoss: ofDecoded / total }),
    lossWithEscape: withEscapes / total,
    escaped,
    sameSource:
      model.calibration && !model.calibration.described && !against && !weights
        ? sameSource(model.calibration.losses, promised)
        : undefined,
    lossPerBit: loss / Math.max(entries, Number.MIN_VALUE),
    // B belongs to the noisy training rows. The weights that restore have correlations of their own, which
    // are not stored.
    bound: against && model.restoring ? Number.POSITIVE_INFINITY : boundForCodes(model, mean, B),
    drift: driftOf(model, B).reduce((a, b) => Math.max(a, b), 0),
    gap: { mean: gap / total, max },
    hamming: hamming / total,
    tolerance,
    uncertified,
    flipOptimal,
    randomised:
      draws === undefined
        ? undefined
        : { loss: drawn / total, standardError: Math.sqrt(variance) / total, draws },
  };
}

function checkDraws(draws: number | undefined, model: PCAE): void {
  if (draws === undefined) return;
  checkExclusions('evaluate', { encoding: model.encoding, draws });
  checksFor('evaluate').whole('draws', draws, 2);
}

/** The loss of every row of a piece at the reconstruction of its code. */
async function lossesOf(engine: Engine, piece: Point, rows: Rows, model: PCAE): Promise<Float32Array> {
  const { restoring } = model;
  if (restoring && 'mask' in restoring) {
    const scores = await engine.decode(piece, 'scores');
    return unmaskedLosses(rows, scores, restoring.mask, model.columnWeights);
  }
  if (restoring) piece.W.write(restoring.W);
  const losses = engine.floats(rows.n);
  await engine.measure(piece, { losses });
  return losses.read();
}

/** X E^T over the rows of a piece, each times its weight: V x width. Overwrites the codes. */
async function sumCorrelations(
  engine: Engine,
  piece: Point,
  weight?: (i: number) => number,
): Promise<Float32Array> {
  const { E, block } = piece;
  const width = E.length / block.n;
  if (weight) E.write((await E.read()).map((e, k) => weight(Math.floor(k / width)) * e));
  return correlated(engine, block, E, width);
}

/** What the reconstruction of row i costs. */
function lossOfDecoded(
  { reconstructionLoss: loss, columnWeights }: PCAE,
  rows: Rows,
  i: number,
  decoded: Float32Array,
): number {
  let sum = 0;
  for (let v = 0; v < rows.V; v++) {
    const x = entry(rows, i, v);
    if (Number.isNaN(x)) continue;
    const y = decoded[i * rows.V + v];
    sum += ((columnWeights?.[v] ?? 1) * ((1 + x) * loss.plus(y) + (1 - x) * loss.minus(y))) / 2;
  }
  return sum;
}

/**
 * The number of bits of row i whose reconstruction has the wrong sign. A randomised bit counts by its
 * probability of being wrong.
 */
export function compareBits(
  rows: Rows,
  i: number,
  decoded: Float32Array,
): { readonly wrong: number; readonly known: number } {
  let [wrong, known] = [0, 0];
  for (let v = 0; v < rows.V; v++) {
    const x = entry(rows, i, v);
    if (Number.isNaN(x)) continue;
    wrong += 0.5 * (1 - x * (decoded[i * rows.V + v] < 0 ? -1 : 1));
    known++;
  }
  return { wrong, known };
}

function unmaskedLosses(rows: Rows, scores: Float32Array, rho: number, weights?: Float32Array): Float32Array {
  const { n, V } = rows;
  return Float32Array.from({ length: n }, (_, i) => {
    let loss = 0;
    for (let v = 0; v < V; v++) {
      const x = entry(rows, i, v);
      if (!Number.isNaN(x)) loss += (weights?.[v] ?? 1) * unmaskedLoss(x, scores[i * V + v], rho);
    }
    return loss;
  });
}

export function checkedAgainst(rows: Rows, source: RowSource): Rows {
  if (rows.n === source.n && rows.V === source.V) return rows;
  throw new RangeError(
    `evaluate: against has ${counted(rows.n, 'row')} of ${counted(rows.V, 'column')}, expected as many as are encoded, ${source.n} of ${source.V}`,
  );
}
