import { type Engine, WIDE, widthOf } from '../engine/engine.ts';
import { isSource } from '../rows/input.ts';
import { memorySource } from '../rows/memory.ts';
import { anyMissing, type Rows, rowBytes, takeRows } from '../rows/rows.ts';
import type { RowSource } from '../rows/source.ts';
import { permutation } from '../rows/split.ts';
import { fingerprintOf } from './checkpoint/fingerprint.ts';
import { gatheredData, residentData, streamedData, type TrainingData, type TrainingExtras } from './data.ts';
import { FastTrainer } from './fast.ts';
import { finish } from './finish.ts';
import { finishInSet } from './finish-set.ts';
import type { HistoryEntry, Stopped } from './loop/history.ts';
import { learn } from './loop/loop.ts';
import type { Run } from './loop/run.ts';
import type { Settings } from './settings.ts';
import type { Fitted, ReportEnding } from './settle.ts';
import { restart } from './start/restart.ts';
import { startFromData } from './start/start.ts';
import { gathers, type HeldSet, kindOf, type RowSet, splitRows } from './training-set.ts';

/** What was learned, and how. */
export interface FitResult extends Fitted {
  /** The number of training rows, without those held out for validation. */
  readonly n: number;
  readonly settings: Settings;
  readonly history: readonly HistoryEntry[];
  readonly stopped: Stopped;
  /** Whether the last epoch changed the loss by less than a thousandth of it. */
  readonly converged: boolean;
  readonly seconds: number;
}

/** Learns from rows in memory or from a source. */
export async function fitFast(input: Rows | RowSource, settings: Settings, run: Run): Promise<FitResult> {
  const { training, held } = await splitRows(input, settings, run.signal);
  const { n, V } = training.rows;
  const { engine, course, resumed } = run;
  const gathered = isSource(training.rows) && (await gathers(engine, training.rows, settings));
  if (run.identified) run.identify(await fingerprintOf(settings, training, held, gathered));
  run.report({ phase: 'start', fraction: 0, epoch: 0, loss: Number.NaN });
  if (engine.rehearsal)
    await (await import('./rehearse.ts')).rehearse(engine.rehearsal(), training, settings);
  const data = await openData(engine, training, settings, gathered);
  let validation: Awaited<ReturnType<typeof openValidation>> | undefined;
  let trainer: FastTrainer | undefined;
  try {
    validation = held && (await openValidation(engine, held, settings));
    let chosen = settings;
    let start: Float32Array;
    if (resumed) {
      const { fastState } = await import('./checkpoint/fast-state.ts');
      const { ridge } = fastState({ arrays: resumed.arrays, state: resumed.progress.state });
      start = new Float32Array(V * widthOf(settings));
      chosen = { ...settings, ridge };
    } else {
      start = await firstWeights(engine, data, training, settings);
      if (!settings.start) start = settings.encoding.start(start, { V, ...settings });
      if (settings.ridgeFrom === 'validation') {
        const { chooseRidge } = await import('./ridge.ts');
        const best = await chooseRidge(engine, data, settings, start, validation!, run);
        start = best.start;
        chosen = { ...settings, ridge: best.ridge };
      }
    }
    trainer = new FastTrainer(run.visiting, data, chosen, start, {
      engine,
      validation,
      finishSeconds: async (learning) =>
        (await import('./seconds.ts')).finishSeconds(engine, data, learning, chosen),
    });
    const { history, stopped } = await learn(trainer, run, { ...settings, patience: PATIENCE });
    const { epoch } = trainer;
    let loss = history.at(-1)?.loss ?? Number.NaN;
    const report: ReportEnding = (phase, fraction, now = loss) => {
      loss = now;
      run.report({ phase, fraction, epoch, loss });
    };
    report('refine', 0);
    const inForm = chosen.encoding.free ? finish : finishInSet;
    const { engine: ending, certify, left, late } = run.finishing(stopped);
    const validate = validation && (() => validation!.loss(trainer!, chosen.ridge));
    const forms = { ...chosen, certify: chosen.certify && certify, left, late, validate, report };
    const fitted = await inForm(ending, data, trainer, forms);
    const converged = stopped === 'converged' || settledDown(history);
    return { ...fitted, n, settings: chosen, history, stopped, converged, seconds: course.seconds };
  } finally {
    trainer?.free();
    validation?.free();
    data.close();
  }
}

/** A run ends after this many measurements in a row without a better validation loss. */
const PATIENCE = 5;
/** Rows that starting weights are computed from; with more rows the directions hardly change. */
const START_ROWS = 10_000;
/** The same for a wide table, where each row says more. */
const WIDE_START_ROWS = 4096;
/** Rows from which the scale of given starting weights is measured. */
const RESTART_ROWS = 1000;
/** The most bytes and rows of a streamed block. */
const BLOCK_BYTES = 128 * 2 ** 20;
const BLOCK_ROWS = 65_536;

async function openValidation(engine: Engine, held: HeldSet, settings: Settings) {
  const { Validation } = await import('./validate.ts');
  return new Validation(engine, held, widthOf(settings));
}

async function openData(
  engine: Engine,
  training: RowSet,
  { keepCodes, seed }: Settings,
  gathered: boolean,
): Promise<TrainingData> {
  const { rows } = training;
  if (!isSource(rows) && keepCodes) return residentData(engine, rows, seed, training);
  const source = isSource(rows) ? rows : memorySource(rows);
  if (gathered) return gatheredData(engine, source, seed, training);
  return streamedData(engine, source, await blockRows(source), training);
}

async function blockRows(source: RowSource): Promise<number> {
  const { V } = source;
  const bytes = (await kindOf(source)) === 'bits' ? rowBytes(V) : 4 * V;
  return Math.max(1, Math.min(BLOCK_ROWS, Math.floor(BLOCK_BYTES / bytes)));
}

async function firstWeights(
  engine: Engine,
  data: TrainingData,
  training: RowSet,
  settings: Settings,
): Promise<Float32Array> {
  const { H, bias, seed, start } = settings;
  const count = start ? RESTART_ROWS : training.rows.V < WIDE ? START_ROWS : WIDE_START_ROWS;
  const { rows } = training;
  const sample = isSource(rows) ? await data.sample(count) : sampleRows(rows, count, seed);
  const shape = { V: sample.V, H, bias };
  if (start) return restart(engine, sample, start, shape, settings);
  if (training.rowWeights || training.columnWeights || anyMissing(sample)) {
    const { startFromWeighted } = await import('./start/weighted.ts');
    return startFromWeighted(engine, sample, shape, seed, weightsOf(training, sample.n, seed));
  }
  const block = engine.load(sample);
  const W = await startFromData(engine, block, shape, seed);
  block.free();
  return W;
}

/** The weights of the rows that `sampleRows` takes, in the same order. */
function weightsOf(training: RowSet, count: number, seed: number): TrainingExtras {
  const { rows, rowWeights, columnWeights } = training;
  if (!rowWeights || rows.n <= count) return { rowWeights, columnWeights };
  const chosen = permutation(rows.n, seed).subarray(0, count);
  return { rowWeights: Float32Array.from(chosen, (i) => rowWeights[i]), columnWeights };
}

function sampleRows(rows: Rows, count: number, seed: number): Rows {
  return rows.n <= count ? rows : takeRows(rows, permutation(rows.n, seed).subarray(0, count));
}

function settledDown(history: readonly HistoryEntry[]): boolean {
  const [before, last] = history.slice(-2);
  return last !== undefined && Math.abs(before.loss - last.loss) <= 1e-3 * Math.abs(last.loss);
}
