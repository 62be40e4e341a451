import { encodingOf } from '../encodings/by-name.ts';
import { type Where, withEngine } from '../engine/scope.ts';
import { type RowsInput, readSource } from '../rows/input.ts';
import { bothSeen, watched } from '../rows/seen.ts';
import { checksFor } from '../training/checks.ts';
import { type Further, learnFurther, type Remembered } from '../training/further/further.ts';
import { paced } from '../training/loop/pace.ts';
import { checkRows } from './check-rows.ts';
import { PCAE } from './model.ts';
import { hasL1 } from './sparsity.ts';

export interface PartialFitOptions extends Where {
  /** Called with the share of rows done, a few times per second, and with 1 at the end. */
  readonly onProgress?: (fraction: number) => void;
}

/**
 * Continues learning with new rows, one or many; the result is a new model. The new rows are added to the n
 * rows of the model, and B becomes the mean over all of them. With more rows of the same kind, one at a time
 * or all at once, the weights approach those that `fit` would learn from all rows.
 *
 * A model learned from masked rows keeps the share of its mask. Weights that restore clean rows are dropped,
 * because they belong to the rows they were learned from.
 */
export async function partialFit(
  model: PCAE,
  rows: RowsInput,
  options: PartialFitOptions = {},
): Promise<PCAE> {
  checksFor('partialFit').known(options, ['engine', 'signal', 'onProgress']);
  const given = await readSource(rows, model.schema, options.signal);
  checkRows(model, given, 'partialFit');
  const { input: source, seen } = watched(given);
  const began = performance.now();
  let memory = rememberedBy(model);
  let { bound = model.training.loss, meanGap } = model.training;
  let done = 0;
  const report = paced(options.onProgress);
  for await (const chunk of source.chunks(CHUNK_ENTRIES / model.V)) {
    const before = memory;
    const next = await withEngine(options, (engine) =>
      learnFurther(engine, before, chunk, settingsOf(model, before.n)),
    );
    const mean = (old: number, fresh: number) => (before.n * old + chunk.n * fresh) / next.n;
    bound = mean(bound + mostLost(model, before, next), next.fresh.loss);
    meanGap = mean(meanGap ?? next.fresh.gap, next.fresh.gap);
    memory = next;
    done += chunk.n;
    report(done / source.n);
  }
  if (done === 0) throw new RangeError('partialFit: there are no rows to learn from');
  const { n, loss, W, moments, curvature } = memory;
  const B = rememberedOf(memory.B, model);
  const { restoring, calibration: _, trainingCodes: __, neighbours: ___, ...parts } = model;
  return new PCAE({
    ...parts,
    W,
    B,
    moments,
    curvature,
    ...(restoring && 'mask' in restoring ? { restoring } : {}),
    training: {
      ...model.training,
      n,
      loss,
      bound,
      meanGap,
      ridge: (model.training.ridge * model.training.n) / n,
      weightGap: undefined,
      slackGap: undefined,
      seconds: model.training.seconds + (performance.now() - began) / 1000,
      seen: bothSeen(model.training.seen, seen()),
    },
  });
}

/** Entries that one step of learning takes, as float32 numbers. */
const CHUNK_ENTRIES = 2 ** 24;

function rememberedBy({ W, B, moments, curvature, training }: PCAE): Remembered {
  if (!moments) {
    throw new RangeError(
      'partialFit: the model does not hold the moments of its codes, which files of earlier versions lack; learn it again',
    );
  }
  return { n: training.n, loss: training.loss, W, B, moments, curvature };
}

/** Sets correlations to 0 that the model's mask leaves out. */
function rememberedOf(B: Float32Array, { chosen: mask, V, H }: PCAE): Float32Array {
  const width = B.length / V;
  if (!mask) return B;
  return B.map((b, k) => (k % width === H || mask[Math.floor(k / width) * H + (k % width)] ? b : 0));
}

function settingsOf(model: PCAE, n: number) {
  const { V, H, bias, radius, reconstructionLoss: loss, columnWeights, training } = model;
  const { seed } = training;
  const ridge = (training.ridge * training.n) / n;
  const allowed = allowedBy(model);
  return {
    shape: { V, H, bias },
    encoding: encodingOf(model.encoding),
    radius,
    loss,
    columnWeights,
    ridge,
    seed,
    allowed,
  };
}

/** The weights that may change: those that a mask or an L1 penalty left at 0 stay 0. */
function allowedBy(model: PCAE): Uint8Array | undefined {
  const { W, V, H, chosen: mask } = model;
  const sparse = hasL1(model);
  if (!sparse && !mask) return undefined;
  const width = W.length / V;
  return Uint8Array.from(W, (w, k) => {
    const v = Math.floor(k / width);
    const h = k % width;
    return (sparse ? w !== 0 : h === H || mask![v * H + h] !== 0) ? 1 : 0;
  });
}

/**
 * The most that the loss of the earlier rows can have risen by the change of weights, for any such rows. When
 * w_v moves by d, their slack (1/2) sum_v [ mean Psi(w_v . e) - b_v . w_v ] rises by no more than
 *
 *     (1/2) sum_v [ sqrt(d^T (E E^T / n) d) - b_v . d ],
 *
 * because Psi is 1-Lipschitz and the mean of |d . e| is at most the root of its mean square.
 */
function mostLost({ V, columnWeights }: PCAE, before: Remembered, after: Further): number {
  const width = before.W.length / V;
  const d = new Float64Array(width);
  let sum = 0;
  for (let v = 0; v < V; v++) {
    let [square, linear] = [0, 0];
    for (let h = 0; h < width; h++) {
      d[h] = after.W[v * width + h] - before.W[v * width + h];
      linear += d[h] * before.B[v * width + h];
    }
    for (let i = 0; i < width; i++) {
      for (let j = 0; j < width; j++) square += d[i] * before.moments[i * width + j] * d[j];
    }
    // Moments are stored in float32.
    sum += (columnWeights?.[v] ?? 1) * (Math.sqrt(Math.max(0, square)) * (1 + 1e-6) - linear);
  }
  return Math.max(0, 0.5 * sum);
}
