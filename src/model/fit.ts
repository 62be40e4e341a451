import { defaultEngine } from '../engine/default.ts';
import { withEngine } from '../engine/scope.ts';
import { aboutColumns } from '../rows/about.ts';
import { isSource, type RowsInput, readRows, readRowsOrSource } from '../rows/input.ts';
import { collect } from '../rows/memory.ts';
import type { Rows } from '../rows/rows.ts';
import type { TableSchema } from '../rows/schema.ts';
import { bothSeen, sketchOf, watched } from '../rows/seen.ts';
import type { RowSource } from '../rows/source.ts';
import { split } from '../rows/split.ts';
import type { Neighbours } from '../solvers/neighbours.ts';
import type { Checkpoint } from '../training/checkpoint/checkpoint.ts';
import { type FitResult, fitFast } from '../training/fit.ts';
import { Run } from '../training/loop/run.ts';
import type { FitOptions } from '../training/options.ts';
import { resolveSettings, type Settings } from '../training/settings.ts';
import { fitsInMemory, gathers } from '../training/training-set.ts';
import { PCAE } from './model.ts';
import { checkedNoise, learnToRestore } from './restore.ts';

/**
 * Learns a model from rows, or from a source that is read in chunks:
 *
 *     const model = await fit({ data, n: 1000, V: 64 }, { H: 8 });
 *     const { codes, gaps } = await model.encode(rows);
 */
export async function fit(rows: RowsInput, options: FitOptions): Promise<PCAE> {
  if (!options) throw new RangeError('fit: say how many numbers a code has, as in fit(rows, { H: 8 })');
  const { input, seen } = watched(await readRowsOrSource(rows, undefined, options.signal));
  const validation = await readValidation(options, input.schema);
  const { n, V } = input;
  const resume = options.resume && (await checkedResume(options.resume));
  // A run that goes on has the epochs that it had, unless others are named.
  const asked = { ...options, validation, epochs: options.epochs ?? resume?.epochs };
  // Wrong options fail here, before a source is read to find out whether its rows fit in memory.
  let settings = resolveSettings(asked, { n, V });
  if (isSource(input) && !(await fitsInMemory(input))) {
    const gathered = await gathers(options.engine ?? (await defaultEngine()), input, settings);
    if (!gathered) settings = resolveSettings(asked, { n, V, streamed: true });
  }
  const noise = await checkedNoise(options, input, input.schema);
  const { engine: given, signal } = options;
  signal?.throwIfAborted();
  // No signal here: the run decides what an abort may end half-way.
  return withEngine({ engine: given }, async (engine) => {
    const { epochs, neighbours } = settings;
    const timeBudget = (neighbours > 0 ? CODES_TIME : 1) * settings.timeBudget;
    const run = new Run(engine, { epochs, timeBudget }, { ...options, resume: resume?.checkpoint });
    const result = await methods[settings.method](input, settings, run);
    if (!Number.isFinite(result.loss)) {
      throw new RangeError(
        'fit: learning ended with a loss that is not finite; lower the rate or raise the ridge',
      );
    }
    const held = typeof validation === 'object' ? sketchOf(validation) : undefined;
    const { training, ...parts } = modelParts(result, input.V);
    const known = { ...training, seen: bothSeen(seen(), held) };
    const model = new PCAE({ ...parts, ...aboutColumns(input), training: known });
    if (settings.neighbours > 0 && result.stopped !== 'aborted') {
      return new PCAE({
        ...model,
        neighbours: await neighboursOf(model, await resident(input, run), settings, run),
      });
    }
    if (!noise) return model;
    const { rowWeights } = settings;
    const restoring = await learnToRestore(run.engine, model, await resident(input, run), noise, rowWeights);
    return new PCAE({ ...model, restoring });
  });
}

const paper: Method = async (input, settings, run) =>
  (await import('../training/paper.ts')).fitPaper(await resident(input, run), settings, run);

/** The methods of learning, each loaded on its first use. All of them run in the same loop. */
const methods: Readonly<Record<Settings['method'], Method>> = {
  fast: fitFast,
  bits: async (input, settings, run) =>
    (await import('../training/bits/fit.ts')).fitBits(await resident(input, run), settings, run),
  paper,
  'paper-text': paper,
};

type Method = (input: Rows | RowSource, settings: Settings, run: Run) => Promise<FitResult>;

/**
 * Learns what columns predict of each other beyond the codes, validated on the same rows as everything else.
 */
async function neighboursOf(model: PCAE, rows: Rows, settings: Settings, run: Run): Promise<Neighbours> {
  const { neighbours: K, seed, rowWeights, validation, timeBudget } = settings;
  const { training, held } = split({ rows, rowWeights }, validation!, seed);
  const { learnNeighboursOf } = await import('./learn-neighbours.ts');
  const parts = { training: training.rows, rowWeights: training.rowWeights, validation: held.rows };
  const { epochs: epoch, loss } = model.training;
  return learnNeighboursOf(run.engine, model, parts, {
    K,
    seed,
    inTime: () => run.course.stretch < timeBudget,
    onProgress: (fraction) => run.report({ phase: 'neighbours', fraction, epoch, loss }),
  });
}

/** The share of the time budget for codes and weights when neighbours are learned after them. */
const CODES_TIME = 0.5;

/** The validation rows, read with the schema of the training rows. */
async function readValidation(
  { validation, signal }: Pick<FitOptions, 'validation' | 'signal'>,
  like: TableSchema | undefined,
): Promise<number | Rows | undefined> {
  return typeof validation === 'object' ? readRows(validation, 'validation', like, signal) : validation;
}

/** A checkpoint, checked by its schema, which only resumed runs load, and the number of its run's epochs. */
async function checkedResume(given: Checkpoint): Promise<{ checkpoint: Checkpoint; epochs?: number }> {
  const { checkpointOf, epochsOf } = await import('../training/checkpoint/check.ts');
  const checkpoint = checkpointOf(given);
  return { checkpoint, epochs: epochsOf(checkpoint) };
}

async function resident(input: Rows | RowSource, { signal }: Run): Promise<Rows> {
  return isSource(input) ? collect(input, { signal }) : input;
}

function modelParts(result: FitResult, V: number) {
  const { n, settings, history, stopped, converged, seconds } = result;
  const { H, bias, seed, ridge, l1, loss } = settings;
  return {
    V,
    H,
    encoding: settings.encoding.name,
    bias,
    reconstructionLoss: loss,
    W: result.W,
    B: result.B,
    moments: result.moments,
    curvature: result.curvature,
    radius: result.radius,
    chosen: settings.chosen,
    columnWeights: settings.columnWeights,
    temperature: result.temperature,
    trainingCodes: result.codes,
    training: {
      algorithm: settings.method === 'bits' ? 'fast' : settings.method,
      n,
      loss: result.loss,
      meanGap: result.meanGap,
      seed,
      ridge,
      ...(settings.ridgeFrom === 'validation' && { ridgeChosen: true }),
      l1,
      weightGap: result.weightGap,
      slackGap: result.slackGap,
      epochs: history.length,
      seconds,
      stopped,
      converged,
      history,
    },
  } as const;
}
