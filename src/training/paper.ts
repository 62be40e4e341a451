import type { Engine, Floats, Shape } from '../engine/engine.ts';
import type { Loss } from '../losses/loss.ts';
import { type Rows, sliceRows, takeRows } from '../rows/rows.ts';
import { permutation } from '../rows/split.ts';
import { gaussians } from '../solvers/gaussians.ts';
import { type Checkpoint, checkpointOf } from './checkpoint.ts';
import { residentData } from './data.ts';
import type { FitResult } from './fit.ts';
import type { HistoryEntry, Stopped } from './history.ts';
import { stopwatch } from './learn.ts';
import { type FitOptions, type Progress, resolveSettings } from './options.ts';
import { settle } from './settle.ts';

/**
 * Algorithm 1 as the paper's experiments ran it: W from N(0, 1); in epoch t one fresh minibatch of 250 rows, encoded
 * by 35 t steps of Adagrad and then decoded by 35 t steps on W, both with step length 0.3 and with accumulators that
 * start at 0.1 and live on from epoch to epoch. Kept as the faithful reproduction and as the yardstick.
 */
export const PAPER = {
  epochs: 60,
  batch: 250,
  stepsPerEpoch: 35,
  rate: 0.3,
  accumulator: 0.1,
  testSteps: 1000,
} as const;

/** What it leaves in the engine's memory goes with the scope that it runs in. */
export async function* fitPaper(
  rows: Rows,
  options: FitOptions,
  engine: Engine,
): AsyncGenerator<Progress, FitResult> {
  const epochs = options.epochs ?? PAPER.epochs;
  const batch = Math.min(rows.n, options.batch ?? PAPER.batch);
  const settings = {
    ...resolveSettings({ ...options, epochs, batch }, rows.n, rows.V),
    ...{ bias: false, ridge: 0 },
  };
  const { n, V } = rows;
  const { H, seed, loss, timeBudget } = settings;
  const shape: Shape = { V, H, bias: false };
  const radius = settings.encoding.bounded ? 1 : Number.POSITIVE_INFINITY;
  const W = engine.floats(V * H);
  W.write(gaussians(V * H, seed));
  const E = engine.floats(batch * H);
  const accumulators = { codes: engine.floats(batch * H), weights: engine.floats(V * H) };
  accumulators.codes.fill(PAPER.accumulator);
  accumulators.weights.fill(PAPER.accumulator);
  const losses = engine.floats(batch);
  const fingerprint = JSON.stringify({
    algorithm: 'paper',
    ...{ n, V, H, seed, loss: loss.name, epochs, batch, timeBudget, radius },
  });
  const resumed = options.resume && checkpointOf<PaperCheckpoint>(options.resume, fingerprint);
  if (resumed) {
    W.write(resumed.arrays.W);
    accumulators.codes.write(resumed.arrays.codes);
    accumulators.weights.write(resumed.arrays.weights);
  }
  const { epoch: done, seconds: before, history: past } = resumed?.progress ?? FRESH;
  const history: HistoryEntry[] = [...past];
  const seconds = stopwatch(before);
  let saved = before;
  let stopped: Stopped = 'epochs';
  for (let t = done + 1; t <= epochs; t++) {
    const block = engine.load(freshMinibatch(rows, batch, seed, t));
    const at = { block, shape, W, E, loss };
    const steps = PAPER.stepsPerEpoch * t;
    const { rate } = PAPER;
    E.fill(0);
    await engine.adagrad('codes', at, { steps, rate, accumulators: accumulators.codes, radius });
    await engine.adagrad('weights', at, { steps, rate, accumulators: accumulators.weights });
    await engine.measure(at, { losses });
    block.free();
    const mean = (await losses.read()).reduce((sum, value) => sum + value, 0) / batch;
    history.push({ epoch: t, seconds: seconds(), loss: mean, slack: mean, rate });
    const fraction = (t * (t + 1)) / (epochs * (epochs + 1));
    const pace = { rowsPerSecond: ((t - done) * batch) / (seconds() - before), seconds: seconds() };
    yield { phase: 'learn', fraction, epoch: t, loss: mean, rate, ...pace };
    if (options.signal?.aborted) stopped = 'aborted';
    else if (seconds() >= timeBudget) stopped = 'time';
    if (options.checkpoint && (stopped === 'aborted' || seconds() - saved >= options.checkpoint.every)) {
      const arrays = {
        W: await W.read(),
        codes: await accumulators.codes.read(),
        weights: await accumulators.weights.read(),
      };
      const progress = { epoch: t, seconds: seconds(), history: [...history], fingerprint };
      await options.checkpoint.save({ arrays, progress });
      saved = seconds();
    }
    if (stopped !== 'epochs') break;
  }
  yield {
    ...{ phase: 'finish', fraction: 1, epoch: history.length, loss: history.at(-1)?.loss ?? Number.NaN },
    ...{ rate: 0, rowsPerSecond: 0, seconds: seconds() },
  };
  for (const used of [E, losses, accumulators.codes, accumulators.weights]) used.free();
  const data = residentData(engine, rows, seed);
  const codes = engine.floats(n * H);
  const curvature = await measureCurvature(engine, rows, shape, W, loss, radius);
  const settled = {
    loss,
    radius: Number.isFinite(radius) ? radius : REAL_RADIUS,
    keepCodes: true,
    certify: settings.certify,
    warm: false,
  };
  const fitted = await settle(engine, data, { shape, W, E: codes, curvature }, settled);
  return { ...fitted, n, settings, history, stopped, converged: false, seconds: seconds() };
}

/** Between two epochs, W and the accumulators of Adagrad are all there is to remember. */
interface PaperCheckpoint extends Checkpoint {
  readonly arrays: Readonly<Record<'W' | 'codes' | 'weights', Float32Array>>;
}

/** Where a run starts that goes on from nothing. */
const FRESH = { epoch: 0, seconds: 0, history: [] };

/** Codes of the procedure stay near 1; the certificate of real codes is made this far out. */
const REAL_RADIUS = 10;

/** The paper's encoding of new rows: batches of 250, 1,000 Adagrad steps each. Returns the loss of each row. */
export async function paperEncode(
  engine: Engine,
  weights: Float32Array,
  rows: Rows,
  options: { readonly H: number; readonly loss: Loss; readonly radius: number; readonly steps?: number },
): Promise<Float32Array> {
  const { H, loss, radius } = options;
  const shape: Shape = { V: rows.V, H, bias: false };
  const W = engine.floats(weights.length);
  W.write(weights);
  const out = new Float32Array(rows.n);
  for (let start = 0; start < rows.n; start += PAPER.batch) {
    const part = sliceRows(rows, start, Math.min(rows.n, start + PAPER.batch));
    const block = engine.load(part);
    const [E, accumulators, losses] = [part.n * H, part.n * H, part.n].map((length) => engine.floats(length));
    accumulators.fill(PAPER.accumulator);
    const at = { block, shape, W, E, loss };
    await engine.adagrad('codes', at, {
      steps: options.steps ?? PAPER.testSteps,
      rate: PAPER.rate,
      accumulators,
      radius,
    });
    await engine.measure(at, { losses });
    out.set(await losses.read(), start);
    for (const used of [block, E, accumulators, losses]) used.free();
  }
  W.free();
  return out;
}

/** 250 rows drawn without replacement, anew in each epoch. */
function freshMinibatch(rows: Rows, batch: number, seed: number, t: number): Rows {
  return takeRows(rows, permutation(rows.n, seed + 104_729 * t).subarray(0, batch));
}

/** Mean Psi''/2 of each bit over some rows at roughly optimal codes: what preconditions the encoder. */
async function measureCurvature(
  engine: Engine,
  rows: Rows,
  shape: Shape,
  W: Floats,
  loss: Loss,
  radius: number,
): Promise<Float64Array> {
  const sample = sliceRows(rows, 0, Math.min(rows.n, 2000));
  const block = engine.load(sample);
  const E = engine.floats(sample.n * shape.H);
  const accumulators = engine.floats(sample.n * shape.H);
  accumulators.fill(PAPER.accumulator);
  const at = { block, shape, W, E, loss };
  await engine.adagrad('codes', at, { steps: 100, rate: PAPER.rate, accumulators, radius });
  const sums = { gradient: engine.floats(shape.V * shape.H), curvature: engine.floats(shape.V) };
  const inverseHessian = engine.floats(shape.H * shape.H);
  await engine.solve('codes', at, { steps: 0, tolerance: 0, inverseHessian, ridge: 0, sums });
  const means = Float64Array.from(await sums.curvature.read(), (sum) => sum / sample.n);
  for (const used of [block, E, accumulators, sums.gradient, sums.curvature, inverseHessian]) used.free();
  return means;
}
