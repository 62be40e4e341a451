import { encodingOf } from '../encodings/by-name.ts';
import { withEngine } from '../engine/scope.ts';
import { aboutColumns } from '../rows/about.ts';
import { asRowsOrSource, isSource, type RowsInput, readRows } from '../rows/input.ts';
import { collect } from '../rows/memory.ts';
import type { Rows } from '../rows/rows.ts';
import type { TableSchema } from '../rows/schema.ts';
import { bothSeen, sketchOf, watched } from '../rows/seen.ts';
import type { RowSource } from '../rows/source.ts';
import { fitBits } from '../training/bits/fit.ts';
import { defaultRate } from '../training/defaults.ts';
import { type FitResult, fitFast } from '../training/fit.ts';
import type { FitOptions } from '../training/options.ts';
import { fitPaper } from '../training/paper.ts';
import { Run } from '../training/run.ts';
import { resolveSettings, type Settings } from '../training/settings.ts';
import { checkRows } from './check-rows.ts';
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
  const { input, seen } = watched(asRowsOrSource(rows));
  const validation = await readValidation(options, input.schema);
  const settings = resolveSettings({ ...options, validation }, input);
  const noise = await checkedNoise(options, input, input.schema);
  const { engine: given, signal } = options;
  signal?.throwIfAborted();
  // The run itself decides what an abort ends half-way.
  return withEngine({ engine: given }, async (engine) => {
    const run = new Run(engine, settings, options);
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
    if (!noise) return model;
    const { rowWeights } = settings;
    const restoring = await learnToRestore(run.engine, model, await resident(input, run), noise, rowWeights);
    return new PCAE({ ...model, restoring });
  });
}

/** Each learns in its own way; what they have in common is the loop that runs them. */
const methods: Readonly<Record<Settings['method'], Method>> = {
  fast: fitFast,
  bits: async (input, settings, run) => fitBits(await resident(input, run), settings, run),
  paper: async (input, settings, run) => fitPaper(await resident(input, run), settings, run),
};

type Method = (input: Rows | RowSource, settings: Settings, run: Run) => Promise<FitResult>;

/** Rows to validate on, read like those to learn from. */
async function readValidation(
  { validation, signal }: Pick<FitOptions, 'validation' | 'signal'>,
  like: TableSchema | undefined,
): Promise<number | Rows | undefined> {
  return typeof validation === 'object' ? readRows(validation, 'validation', like, signal) : validation;
}

async function resident(input: Rows | RowSource, { signal }: Run): Promise<Rows> {
  return isSource(input) ? collect(input, { signal }) : input;
}

/**
 * Learns on with new rows, from the model's weights; the result is a new model, its correlations are the new rows'. A few
 * short epochs by default, a tenth of the rate that `fit` begins with: more of the same kind must not undo what was learned
 * from the others. Rows of another kind ask for a `rate` and `epochs` of their own. Of
 * what the model knows of noise, a mask's share is kept; clean rows belong to the rows they were given with, so that
 * `noise` has to be given again with the new ones.
 */
export async function partialFit(
  model: PCAE,
  rows: RowsInput,
  options: Partial<FitOptions> = {},
): Promise<PCAE> {
  const { H, bias, encoding, reconstructionLoss: loss } = model;
  if (options.algorithm === 'paper')
    throw new RangeError("partialFit: algorithm 'paper' starts from random weights, not from a model's");
  const { ridge, l1, seed } = model.training;
  const { restoring } = model;
  const learned = {
    H,
    bias,
    encoding,
    loss,
    ridge,
    // Decoders for real codes may be relaxed; codes that are learned cannot be, without a box.
    l1: encodingOf(encoding).refuses.l1 ? 0 : l1,
    noise: restoring && 'mask' in restoring ? restoring : undefined,
    chosen: model.chosen,
    columnWeights: model.columnWeights,
    seed,
    start: model.W,
  };
  const known = asRowsOrSource(rows, 'rows', model.schema);
  checkRows(model, known, 'partialFit');
  // Where the choice takes weights away, the others have to make up for them: that is more than a little further.
  const further = options.chosen ? {} : { rate: 0.1 * defaultRate(H) };
  const validation = await readValidation(options, model.schema);
  const next = await fit(known, { ...learned, epochs: 5, ...further, ...options, validation, H });
  const training = { ...next.training, seen: bothSeen(model.training.seen, next.training.seen) };
  return new PCAE({ ...next, ...aboutColumns(model), ...aboutColumns(next), training });
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
    curvature: result.curvature,
    radius: result.radius,
    chosen: settings.chosen,
    columnWeights: settings.columnWeights,
    trainingCodes: result.codes,
    training: {
      algorithm: settings.method === 'paper' ? 'paper' : 'fast',
      n,
      loss: result.loss,
      gap: result.gap,
      seed,
      ridge,
      l1,
      weightGap: result.weightGap,
      epochs: history.length,
      seconds,
      stopped,
      converged,
      history,
    },
  } as const;
}
