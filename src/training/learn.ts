import type { Rows } from '../rows/rows.ts';
import { type FastCheckpoint, takeCheckpoint } from './checkpoint.ts';
import type { TrainingData } from './data.ts';
import type { FastTrainer } from './fast.ts';
import type { HistoryEntry, Stopped } from './history.ts';
import { rateAt, shareDone } from './minibatch.ts';
import type { CheckedOptions, FitOptions, Progress } from './options.ts';
import type { Settings } from './settings.ts';
import type { Validation } from './validate.ts';

/** How a run of learning ended; the trainer holds W and the codes. */
export interface Learned {
  readonly history: readonly HistoryEntry[];
  readonly stopped: Stopped;
  readonly seconds: number;
}

/** Runs a trainer to its end: epochs, time budget, tolerance, validation or abort, whichever comes first. */
export async function* learn(
  trainer: FastTrainer,
  data: Pick<TrainingData, 'n'>,
  settings: Settings,
  validation: Validation | undefined,
  run: Run,
): AsyncGenerator<Progress, Learned> {
  const { fingerprint, options, spent, resumed: checkpoint } = run;
  const history: HistoryEntry[] = [];
  let best: { validation: number; misses: number } | undefined;
  let bestW: Float32Array | undefined;
  let before = spent;
  if (checkpoint) {
    const { progress } = checkpoint;
    trainer.restore(checkpoint);
    for (const entry of progress.history) history.push(entry);
    best = progress.best && { ...progress.best };
    bestW = checkpoint.arrays.bestW;
    before = progress.seconds;
  }
  const clock = stopwatch(before);
  const epochs = settings.epochs;
  const batches = Math.ceil(data.n / settings.batch);
  const passes = () => trainer.epoch + trainer.batch / batches;
  const time = () => (clock() - spent) / (settings.timeBudget - spent);
  const progress = () => shareDone(passes(), epochs, time());
  let stopped: Stopped | undefined;
  let saved = clock();
  // Rows of the epochs that are over, less those that were visited before a run was resumed.
  let rowsBefore = -trainer.visited.rows;
  const measureEvery = Math.max(1, Math.ceil((Number.isFinite(epochs) ? epochs : 100) / MEASUREMENTS));
  while (!stopped) {
    for await (const _ of trainer.runEpoch(progress)) {
      yield {
        phase: 'learn',
        fraction: Math.min(1, Math.max(passes() / epochs, time())),
        epoch: trainer.epoch,
        loss: trainer.visited.loss / Math.max(1, trainer.visited.rows),
        validation: history.findLast((entry) => entry.validation !== undefined)?.validation,
        gap: history.findLast((entry) => entry.gap !== undefined)?.gap,
        rate: rateAt(settings.rate, progress()),
        rowsPerSecond: (rowsBefore + trainer.visited.rows) / Math.max(1e-3, clock() - before),
        seconds: clock(),
      };
      if (options.signal?.aborted) stopped = 'aborted';
      else if (clock() >= settings.timeBudget) stopped = 'time';
      if (options.checkpoint && (stopped === 'aborted' || clock() - saved >= options.checkpoint.every)) {
        const rest = { seconds: clock(), ridge: settings.ridge, best, fingerprint, history: [...history] };
        await options.checkpoint.save(await takeCheckpoint(trainer, rest, bestW));
        saved = clock();
      }
      if (stopped) break;
    }
    if (stopped === 'aborted') break;
    const rate = rateAt(settings.rate, progress());
    rowsBefore += trainer.visited.rows;
    const loss = trainer.endEpoch();
    const last = trainer.epoch >= epochs || stopped !== undefined;
    // A single epoch is over before its curve means anything; the final codes are measured anyway.
    const measured = epochs > 1 && (last || trainer.epoch % measureEvery === 0);
    const held =
      validation && (measured || last) ? await validation.loss(trainer, settings.ridge) : undefined;
    const slack = measured ? await trainer.measure() : {};
    history.push({ epoch: trainer.epoch, seconds: clock(), loss, ...slack, rate, validation: held });
    if (held !== undefined) {
      if (!best || held < best.validation) {
        best = { validation: held, misses: 0 };
        bestW = await trainer.W.read();
      } else best.misses++;
      if (best.misses >= PATIENCE) stopped ??= 'validation';
    }
    const previous = history.at(-2)?.loss ?? Number.POSITIVE_INFINITY;
    if (settings.tolerance > 0 && previous - loss < settings.tolerance * Math.abs(loss))
      stopped ??= 'converged';
    if (trainer.epoch >= epochs) stopped ??= 'epochs';
  }
  if (bestW && best && best.misses > 0) trainer.W.write(bestW);
  return { history, stopped, seconds: clock() };
}

/** What tells a run from others, and what it goes on from. */
export interface Run {
  readonly fingerprint: string;
  /** Its own checkpoint. */
  readonly resumed?: FastCheckpoint;
  /** Seconds of the time budget that were used before learning began. */
  readonly spent: number;
  readonly options: Pick<FitOptions, 'signal' | 'checkpoint'>;
}

/** Measurements of slack, gap and validation loss in the course of a run. */
const MEASUREMENTS = 20;
/** Measurements in a row without a better validation loss that end a run. */
const PATIENCE = 5;

/** Seconds since it was made, on top of those before. */
export function stopwatch(before: number): () => number {
  const start = performance.now();
  return () => before + (performance.now() - start) / 1000;
}

/** The data's shape and every setting and input that the course of learning depends on, the rows themselves excepted. */
export function fingerprintOf(
  settings: Settings,
  data: Pick<TrainingData, 'n' | 'V'>,
  given: Pick<CheckedOptions, 'rowWeights' | 'columnWeights' | 'start' | 'validation'> = {},
): string {
  const { loss, mask, l1, encoding, set: _, ...rest } = settings;
  const { rowWeights, columnWeights, start, validation } = given;
  const long = {
    l1: typeof l1 === 'number' ? l1 : checksum(l1),
    mask: mask && checksum(mask),
    rowWeights: rowWeights && checksum(rowWeights),
    columnWeights: columnWeights && checksum(columnWeights),
    start: start && checksum(start),
    // A share of the rows that is held out shows in n.
    validation: typeof validation === 'object' ? rowsChecksum(validation) : undefined,
  };
  // Codes that are free while they are learned are all learned alike, whatever set they end in.
  const set = encoding.free ? undefined : encoding.name;
  return JSON.stringify({ n: data.n, V: data.V, loss: loss.name, encoding: set, ...rest, ...long });
}

function rowsChecksum(rows: Rows): string {
  const parts = rows.kind === 'real' ? [rows.values] : [rows.bits, rows.known ?? []];
  return `${rows.n} ${rows.kind} rows, ${parts.map(checksum).join(', ')}`;
}

/** A short text that tells one list of numbers from another, by their float32 bits. */
function checksum(values: ArrayLike<number>): string {
  const float = new Float32Array(1);
  const bits = new Uint32Array(float.buffer);
  let sum = values.length;
  for (let i = 0; i < values.length; i++) {
    float[0] = values[i];
    sum = Math.imul(sum ^ bits[0], 0x9e3779b1);
    // A product carries differences upwards only; this brings them down again.
    sum ^= sum >>> 15;
  }
  return `${values.length} numbers, ${(sum >>> 0).toString(16)}`;
}
