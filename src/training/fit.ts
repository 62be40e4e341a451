import { type Engine, widthOf } from '../engine/engine.ts';
import { isSource } from '../rows/input.ts';
import { memorySource } from '../rows/memory.ts';
import { type Rows, rowBytes, sliceRows, takeRows } from '../rows/rows.ts';
import type { RowSource } from '../rows/source.ts';
import { permutation } from '../rows/split.ts';
import { checkpointOf, type FastCheckpoint } from './checkpoint.ts';
import { residentData, streamedData, type TrainingData, type TrainingExtras } from './data.ts';
import { FastTrainer } from './fast.ts';
import { finish } from './finish.ts';
import { finishInSet } from './finish-set.ts';
import type { HistoryEntry, Stopped } from './history.ts';
import { fingerprintOf, learn, stopwatch } from './learn.ts';
import { type CheckedOptions, type Progress, resolveSettings } from './options.ts';
import { restart } from './restart.ts';
import { chooseRidge } from './ridge.ts';
import type { Settings } from './settings.ts';
import type { Fitted } from './settle.ts';
import { startFromData } from './start.ts';
import { type RowSet, splitRows } from './training-set.ts';
import { Validation } from './validate.ts';
import { anyMissing, startFromWeighted } from './weighted-start.ts';

/** What was learned, and the story of it. */
export interface FitResult extends Fitted {
  /** Rows that were learned from: those held out to validate on are not counted. */
  readonly n: number;
  readonly settings: Settings;
  readonly history: readonly HistoryEntry[];
  readonly stopped: Stopped;
  /** Whether the last epoch changed the loss by less than a thousandth of it. */
  readonly converged: boolean;
  readonly seconds: number;
}

/** Learns from rows in memory or from a source, step by step. */
export async function* fitSteps(
  input: Rows | RowSource,
  options: CheckedOptions,
  engine: Engine,
): AsyncGenerator<Progress, FitResult> {
  resolveSettings(options, input.n, input.V);
  const { training, held } = await splitRows(input, options);
  const { n, V } = training.rows;
  const settings = resolveSettings(options, n, V);
  const width = widthOf(settings);
  const data = await openData(engine, training, settings);
  let validation: Validation | undefined;
  let trainer: FastTrainer | undefined;
  try {
    validation = held && new Validation(engine, held, width, settings.bias);
    const clock = stopwatch(0);
    yield { phase: 'start', fraction: 0, epoch: 0, loss: Number.NaN, rate: 0, rowsPerSecond: 0, seconds: 0 };
    // Whether it really is one of this run's is seen before learning begins.
    const resume = options.resume as FastCheckpoint | undefined;
    let start = resume?.arrays.W ?? (await firstWeights(engine, training, settings, options.start));
    if (!resume && !options.start) start = settings.encoding.start(start, { V, ...settings });
    let { ridge } = settings;
    let spent = 0;
    let { checkpoint } = options;
    if (options.ridge === 'auto' && resume) ridge = resume.progress.ridge;
    else if (options.ridge === 'auto') {
      if (!validation)
        throw new RangeError("fit: ridge 'auto' needs validation rows; set validation, say to 0.1");
      const began = clock();
      const most = RIDGE_TIME * settings.timeBudget;
      const ended = () => options.signal?.aborted === true || clock() - began >= most;
      ({ ridge, start } = yield* chooseRidge(engine, data, settings, start, validation, ended));
      spent = clock() - began;
      // Going on from half a search would not end where the whole one does.
      if (options.signal?.aborted) checkpoint = undefined;
    }
    const chosen = { ...settings, ridge };
    const fingerprint = fingerprintOf(chosen, data, options);
    const resumed = resume && checkpointOf<FastCheckpoint>(resume, fingerprint);
    trainer = new FastTrainer(engine, data, chosen, start);
    const { history, stopped } = yield* learn(trainer, data, chosen, validation, {
      ...{ fingerprint, resumed, spent, options: { signal: options.signal, checkpoint } },
    });
    yield {
      phase: 'finish',
      fraction: 1,
      epoch: trainer.epoch,
      loss: history.at(-1)?.loss ?? Number.NaN,
      rate: 0,
      rowsPerSecond: 0,
      seconds: clock(),
    };
    const inForm = chosen.encoding.free ? finish : finishInSet;
    const fitted = await inForm(engine, data, trainer, chosen);
    const converged = stopped === 'converged' || settledDown(history);
    return { ...fitted, n, settings: chosen, history, stopped, converged, seconds: clock() };
  } finally {
    trainer?.free();
    validation?.free();
    data.close();
  }
}

/** The share of a time budget that may go into choosing a ridge. */
const RIDGE_TIME = 0.5;
/** Rows that the start looks at: directions are settled long before all rows are seen. */
const START_ROWS = 10_000;
/** Rows that tell the scale of weights to go on from. */
const RESTART_ROWS = 1000;
/** What a streamed block may take: of bits, and of real values should the rows turn out to hold them. */
const BLOCK_BYTES = 32 * 2 ** 20;
const REAL_BLOCK_BYTES = 8 * BLOCK_BYTES;

async function openData(engine: Engine, training: RowSet, settings: Settings): Promise<TrainingData> {
  const { rows } = training;
  if (!isSource(rows) && settings.keepCodes) return residentData(engine, rows, settings.seed, training);
  const source = isSource(rows) ? rows : memorySource(rows);
  return streamedData(engine, source, blockRows(source.V), training);
}

function blockRows(V: number): number {
  const fitting = Math.min(BLOCK_BYTES / rowBytes(V), REAL_BLOCK_BYTES / (4 * V));
  return Math.max(1024, Math.min(65_536, Math.floor(fitting)));
}

async function firstWeights(
  engine: Engine,
  training: RowSet,
  settings: Settings,
  start: Float32Array | undefined,
): Promise<Float32Array> {
  const { H, bias, seed } = settings;
  const sample = await sampleRows(training.rows, start ? RESTART_ROWS : START_ROWS, seed);
  const shape = { V: sample.V, H, bias };
  if (start) return restart(engine, sample, start, shape, settings);
  if (training.rowWeights || training.columnWeights || anyMissing(sample)) {
    return startFromWeighted(engine, sample, shape, seed, weightsOf(training, sample.n, seed));
  }
  const block = engine.load(sample);
  const W = await startFromData(engine, block, shape, seed);
  block.free();
  return W;
}

/** The weights of the rows that `sampleRows` takes, in their order. */
function weightsOf(training: RowSet, count: number, seed: number): TrainingExtras {
  const { rows, rowWeights, columnWeights } = training;
  if (!rowWeights || rows.n <= count) return { rowWeights, columnWeights };
  const chosen = permutation(rows.n, seed).subarray(0, count);
  return { rowWeights: Float32Array.from(chosen, (i) => rowWeights[i]), columnWeights };
}

async function sampleRows(training: Rows | RowSource, count: number, seed: number): Promise<Rows> {
  if (!isSource(training)) {
    if (training.n <= count) return training;
    return takeRows(training, permutation(training.n, seed).subarray(0, count));
  }
  for await (const rows of training.chunks(count)) return sliceRows(rows, 0, Math.min(count, rows.n));
  throw new RangeError('fit: the source of rows is empty');
}

function settledDown(history: readonly HistoryEntry[]): boolean {
  const [before, last] = history.slice(-2);
  return last !== undefined && Math.abs(before.loss - last.loss) <= 1e-3 * Math.abs(last.loss);
}
