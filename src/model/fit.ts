import { encodingOf, encodings } from '../encodings/by-name.ts';
import { defaultEngine } from '../engine/default.ts';
import type { Engine } from '../engine/engine.ts';
import { scopeOf } from '../engine/scope.ts';
import { aboutColumns } from '../rows/about.ts';
import { asRows, isSource, type RowsInput, type TableValues } from '../rows/input.ts';
import { collect } from '../rows/memory.ts';
import type { Rows } from '../rows/rows.ts';
import { bothSeen, sketchOf, watched } from '../rows/seen.ts';
import type { RowSource } from '../rows/source.ts';
import { checkBitsSize, fitBits } from '../training/bits/fit.ts';
import { checksFor } from '../training/checks.ts';
import { type FitResult, fitSteps } from '../training/fit.ts';
import { checkHidden } from '../training/hidden.ts';
import { type CheckedOptions, FIT_OPTIONS, type FitOptions, type Progress } from '../training/options.ts';
import { fitPaper } from '../training/paper.ts';
import { checkExclusions } from '../training/refusals.ts';
import { defaultRate } from '../training/settings.ts';
import { checkRows } from './check-rows.ts';
import { PCAE } from './model.ts';
import { valuesBefore } from './reading.ts';
import { checkedNoise, learnToRestore } from './restore.ts';
import { runSteps } from './steps.ts';

/**
 * Learns a model from rows, or from a source that is read in chunks:
 *
 *     const model = await fit({ data, n: 1000, V: 64 }, { H: 8 });
 *     const { codes, gaps } = await model.encode(rows);
 */
export async function fit(rows: RowsInput | RowSource, options: FitOptions): Promise<PCAE> {
  return runSteps(fitIterator(rows, options), options?.onProgress);
}

/** The same, step by step: yields after each minibatch and returns the model. */
export async function* fitIterator(
  rows: RowsInput | RowSource,
  given: FitOptions,
): AsyncGenerator<Progress, PCAE> {
  if (!given) throw new RangeError('fit: say how many numbers a code has, as in fit(rows, { H: 8 })');
  checksFor('fit').known(given, FIT_OPTIONS);
  checkExclusions('fit', given);
  const { input, seen } = watched(isSource(rows) ? rows : asRows(rows));
  const { schema } = input;
  const options = {
    ...given,
    validation: checkedValidation(given.validation, valuesBefore(schema)),
    noise: checkedNoise(given, input, valuesBefore(schema)),
  };
  checksFor('fit').whole('H', options.H, 1);
  checkHidden('fit', options.H, input.V);
  if (isDiscrete(options)) checkBitsSize({ n: input.n, V: input.V }, options.H);
  const { engine, release } = scopeOf(options.engine ?? (await defaultEngine()));
  try {
    const model = yield* learn(engine, input, options);
    const held = typeof options.validation === 'object' ? sketchOf(options.validation) : undefined;
    return new PCAE({ ...model, training: { ...model.training, seen: bothSeen(seen(), held) } });
  } finally {
    release();
  }
}

async function* learn(
  engine: Engine,
  input: Rows | RowSource,
  options: Checked,
): AsyncGenerator<Progress, PCAE> {
  const resident = async () => (isSource(input) ? await collect(input, { signal: options.signal }) : input);
  const result = isDiscrete(options)
    ? yield* fitBits(await resident(), options, engine)
    : options.algorithm === 'paper'
      ? yield* fitPaper(await resident(), options, engine)
      : yield* fitSteps(input, options, engine);
  if (!Number.isFinite(result.loss)) {
    throw new RangeError(
      'fit: learning ended with a loss that is not finite; lower the rate or raise the ridge',
    );
  }
  const model = new PCAE({
    ...modelParts(result, options, input.V),
    ...aboutColumns(input),
  });
  if (!options.noise) return model;
  return new PCAE({
    ...model,
    restoring: await learnToRestore(engine, model, await resident(), options.noise, options.rowWeights),
  });
}

/** Codes of true bits are learned by a procedure of their own; a wrong name is refused where options are checked. */
function isDiscrete({ encoding }: Pick<FitOptions, 'encoding'>): boolean {
  return encodings.some(({ name, discrete }) => discrete && name === encoding);
}

/** Options whose rows are checked. */
type Checked = CheckedOptions & { readonly noise?: ReturnType<typeof checkedNoise> };

/** Rows held out, checked as those to learn from are: they may come as a flat table too. */
function checkedValidation(
  validation: number | RowsInput | undefined,
  before: TableValues | undefined,
): number | Rows | undefined {
  return typeof validation === 'object' ? asRows(validation, 'validation', before) : validation;
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
  rows: RowsInput | RowSource,
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
    mask: model.mask,
    columnWeights: model.columnWeights,
    seed,
    start: model.W,
  };
  const known = isSource(rows) ? rows : asRows(rows, 'rows', valuesBefore(model.schema));
  checkRows(model, known, 'partialFit');
  // Where a mask takes weights away, the others have to make up for them: that is more than a little further.
  const further = options.mask ? {} : { rate: 0.1 * defaultRate(H) };
  const validation = checkedValidation(options.validation, valuesBefore(model.schema));
  const next = await fit(known, { ...learned, epochs: 5, ...further, ...options, validation, H });
  const training = { ...next.training, seen: bothSeen(model.training.seen, next.training.seen) };
  return new PCAE({ ...next, ...aboutColumns(model), ...aboutColumns(next), training });
}

function modelParts(result: FitResult, options: FitOptions, V: number) {
  const { n, settings, history, stopped, converged, seconds } = result;
  const { H, bias, seed, ridge, l1, loss } = settings;
  return {
    V,
    H,
    encoding: options.encoding ?? 'box',
    bias,
    reconstructionLoss: loss,
    W: result.W,
    B: result.B,
    curvature: result.curvature,
    radius: result.radius,
    mask: settings.mask,
    columnWeights: options.columnWeights && Float32Array.from(options.columnWeights),
    trainingCodes: result.codes,
    training: {
      algorithm: options.algorithm ?? 'fast',
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
