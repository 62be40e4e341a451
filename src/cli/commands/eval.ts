import { type Command, InvalidArgumentError } from 'commander';
import type { Engine } from '../../engine/engine.ts';
import type { Autoencoder, LossReport, Reconstruction } from '../../model/autoencoder.ts';
import { learnedShare } from '../../model/calibrate.ts';
import { type CodeLength, codeLength } from '../../model/code-length.ts';
import { type ExactGuarantee, exactGuarantee } from '../../model/exact-guarantee.ts';
import { PCAE } from '../../model/model.ts';
import type { Stack } from '../../model/stack.ts';
import { collect } from '../../rows/memory.ts';
import type { RowSource } from '../../rows/source.ts';
import { checkEnding, claimFile } from '../claim.ts';
import { addDataOptions, type DataOptions, dataLine, describeData, openForModel } from '../data.ts';
import { document } from '../document.ts';
import { addSearchOptions, checkCodeOptions, type SearchOptions, toleranceOption } from '../effort.ts';
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { openAnyModel, openModel } from '../model.ts';
import { notNegative, threadsOption, whole } from '../parse.ts';
import { confidenceOption, promisesOf } from '../promises.ts';
import { Session } from '../session.ts';
import { list, number } from '../text.ts';
import { readWeights } from '../weights.ts';
import { EVAL_FIELDS, lengthLine, lossLines, promisedLines, worstCaseLine } from './eval-text.ts';

interface EvalOptions extends DataOptions, SearchOptions {
  readonly tolerance?: number;
  readonly draws?: number;
  readonly threads?: number;
  readonly against?: string;
  readonly rowWeights?: string;
  readonly measureDrift?: boolean;
  readonly worstCase?: number | 'ellipsoid';
  readonly codeLength?: boolean;
  readonly confidence: number;
  readonly report?: string;
  readonly force?: boolean;
}

export function addEval(program: Command, io: Io): void {
  const command = program
    .command('eval')
    .description(
      'Encodes every row optimally and reports the mean loss, how far each code can be from its ' +
        'optimum, and how many bits come back wrong. A calibrated model also reports its promises, and ' +
        'whether these rows may come from the same source. For a stack: the loss and the wrong bits.',
    )
    .argument('<model>', 'a model file')
    .argument('<data>', 'a file of rows, a folder of pictures, or - for standard input')
    .addOption(toleranceOption())
    .option(
      '--draws <count>',
      'box codes: draw bits from each code this many times and report their mean loss',
      whole(2),
    )
    .option(
      '--against <file>',
      'compare reconstructions with these rows instead, such as the clean versions of noisy rows',
    )
    .option('--row-weights <file>', 'how much each row counts: one number per row, in a text or .npy file')
    .option(
      '--measure-drift',
      'also report how far the correlations of these rows are from the remembered ones, and the worst case over ' +
        'all data that are no further',
    )
    .option(
      '--worst-case <drift>',
      'also report the exact worst case at the codes of these rows, if correlations drift by this share of the ' +
        'size of the codes, or with "ellipsoid" over all correlations that the source may have (at ' +
        '--confidence); takes about 20 ms per column and 1000 rows, for an ellipsoid up to 100 ms',
      driftOf,
    )
    .option(
      '--code-length',
      'also report the mean length of a row in nats, for a reader who has the model: a rounded code, and the row given the code',
    )
    .option(
      '--report <file>',
      'write an .html page with the numbers, reconstructions, all hidden units and the course of ' +
        'learning',
    )
    .option('--force', 'overwrite the report')
    .addOption(confidenceOption())
    .addOption(threadsOption());
  addDataOptions(addSearchOptions(command)).action(
    (modelPath: string, dataPath: string, options: EvalOptions) =>
      evaluate(modelPath, dataPath, options, new Session(command, io)),
  );
  document(command, {
    first: 'report confidence tolerance effort against draws binarize rows columns threads',
    examples: {
      'pcae eval model.safetensors test.csv': 'loss and certificates on new rows',
      'pcae eval model.safetensors test.csv --report report.html': 'and a page to look at and to keep',
      'pcae eval model.safetensors t10k-images-idx3-ubyte.gz --json': 'the same, for a program to read',
      'pcae eval model.safetensors test.csv --worst-case ellipsoid':
        'the worst case over all correlations that the source of the rows may have',
    },
    json: EVAL_FIELDS,
  });
}

async function evaluate(
  modelPath: string,
  dataPath: string,
  options: EvalOptions,
  session: Session,
): Promise<void> {
  const { report: page, force } = options;
  if (page !== undefined) await claimFile(session, page, force, [modelPath, dataPath]);
  checkEnding(page, '.html', 'HTML');
  const model = page === undefined ? await openAnyModel(modelPath) : await openModel(modelPath);
  checkCodeOptions(options, model);
  const source = await openForModel(dataPath, model, options, session);
  await noteLearned(model, source, session);
  const against =
    options.against && (await collect(await openForModel(options.against, model, options, session)));
  const rowWeights = options.rowWeights ? await readWeights(options.rowWeights, source.n, 'row') : undefined;
  const { report, worstCase, length } = await session.withEngine(options.threads, async (engine) => {
    const report = await model.evaluate(source, {
      engine,
      tolerance: options.tolerance,
      effort: options.effort,
      against: against || undefined,
      rowWeights,
      bound: options.bound,
      draws: options.draws,
      signal: session.io.signal,
      onProgress: session.showing('evaluating'),
    });
    if (page !== undefined && model instanceof PCAE) {
      const { writeReport } = await import('./eval-report.ts');
      await writeReport(model, source, report as LossReport, {
        report: page,
        title: modelPath,
        force,
        engine,
        signal: session.io.signal,
      });
    }
    return {
      report,
      worstCase: await worstCaseOf(model, source, options, engine, session),
      length: await lengthOf(model, source, options, engine, session),
    };
  });
  const { seconds } = session;
  const { confidence } = options;
  await session.result(
    {
      ...(options.measureDrift ? report : withoutDrift(report)),
      worstCase,
      codeLength: length,
      promises: model instanceof PCAE ? promisesOf(model, confidence) : undefined,
      report: page,
      seconds,
      binarize: source.schema.binarize,
      data: describeData(source),
    },
    list([
      ['data', dataLine(source)],
      ...lossLines(model, report, options.measureDrift),
      ['worst case', worstCase && worstCaseLine(worstCase, model)],
      ['code length', length && lengthLine(length)],
      ...(against ? [] : promisedLines(model, report, confidence)),
      ['report', page],
      ['seconds', number(seconds)],
    ]),
  );
}

/** Says if these rows are those that the model was learned from, by the first of them. */
async function noteLearned(model: PCAE | Stack, source: RowSource, session: Session): Promise<void> {
  const learned = model instanceof PCAE ? await learnedShare(model, source, NOTED_ROWS) : undefined;
  if (learned === undefined) return;
  const share = `${Math.round(100 * learned)}%`;
  session.say(`note: the model was learned from about ${share} of these rows, which cost less than new ones`);
}

/** Rows read to see whether they were learned from. */
const NOTED_ROWS = 8192;

/** The exact worst case, if it is asked for. */
async function worstCaseOf(
  model: Autoencoder,
  source: RowSource,
  { worstCase: drift, tolerance, effort, confidence }: EvalOptions,
  engine: Engine,
  session: Session,
): Promise<ExactGuarantee | undefined> {
  if (drift === undefined) return undefined;
  if (!(model instanceof PCAE)) throw new UsageError('--worst-case is for models of one layer');
  const { signal } = session.io;
  const onProgress = session.showing('worst case');
  return exactGuarantee(model, source, { drift, confidence, tolerance, effort, engine, signal, onProgress });
}

/** The mean code length, if it is asked for. */
async function lengthOf(
  model: Autoencoder,
  source: RowSource,
  { codeLength: asked }: EvalOptions,
  engine: Engine,
  session: Session,
): Promise<CodeLength | undefined> {
  if (!asked) return undefined;
  if (!(model instanceof PCAE)) throw new UsageError('--code-length is for models of one layer');
  session.progress.update(() => 'code length');
  return codeLength(model, source, { engine, signal: session.io.signal });
}

/** The value of --worst-case. */
function driftOf(text: string): number | 'ellipsoid' {
  if (text === 'ellipsoid') return text;
  try {
    return notNegative(text);
  } catch {
    throw new InvalidArgumentError('Expected a number of at least 0, or ellipsoid.');
  }
}

/** A report without the fields of --measure-drift. */
function withoutDrift({ bound: _, drift: __, ...report }: Reconstruction & Partial<LossReport>) {
  return report;
}
