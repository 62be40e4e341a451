import { defaultEngine } from '../engine/default.ts';
import { howRead } from '../formats/options.ts';
import { asRows, type RowsInput } from '../rows/input.ts';
import { collect } from '../rows/memory.ts';
import type { Rows } from '../rows/rows.ts';
import type { RowSource } from '../rows/source.ts';
import { checkBitsSize, fitBits } from '../training/bits/fit.ts';
import { type FitResult, fitSteps } from '../training/fit.ts';
import type { FitOptions, Progress } from '../training/options.ts';
import { fitPaper } from '../training/paper.ts';
import { PCAE } from './model.ts';
import { learnToRestore } from './restore.ts';
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
  const options = { ...given, validation: checkedValidation(given.validation) };
  const engine = options.engine ?? (await defaultEngine());
  const source = 'chunks' in rows ? rows : undefined;
  const input = source ?? asRows(rows as RowsInput);
  if (options.encoding === 'bits') checkBitsSize({ n: rows.n, V: rows.V }, options.H);
  const resident = async () => (source ? await collect(source) : (input as Rows));
  const result =
    options.encoding === 'bits'
      ? yield* fitBits(await resident(), options, engine)
      : options.algorithm === 'paper'
        ? yield* fitPaper(await resident(), options, engine)
        : yield* fitSteps(input, options, engine);
  const model = new PCAE({
    ...modelParts(result, options, rows.V),
    columns: source?.columns,
    groups: source?.groups,
    image: source?.image,
    reading: source && howRead(source),
  });
  if (!options.noise) return model;
  return new PCAE({
    ...model,
    restoring: await learnToRestore(engine, model, await resident(), options.noise),
  });
}

/** Rows held out, checked as those to learn from are: they may come as a flat table too. */
function checkedValidation(validation: number | RowsInput | undefined): number | Rows | undefined {
  return typeof validation === 'object' ? asRows(validation, 'validation') : validation;
}

/** Learns on with new rows, from the model's weights; the result is a new model, its correlations are the new rows'. */
export async function partialFit(
  model: PCAE,
  rows: RowsInput | RowSource,
  options: Partial<FitOptions> = {},
): Promise<PCAE> {
  const { H, bias, encoding, reconstructionLoss: loss } = model;
  const { ridge, l1, seed } = model.training;
  const learned = {
    H,
    bias,
    encoding,
    loss,
    ridge,
    l1,
    mask: model.mask,
    columnWeights: model.columnWeights,
    seed,
    start: model.W,
  };
  const next = await fit(rows, { ...learned, epochs: 5, ...options, H });
  return new PCAE({
    ...next,
    columns: next.columns ?? model.columns,
    groups: next.groups ?? model.groups,
    image: next.image ?? model.image,
    reading: next.reading ?? model.reading,
  });
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
