import { type Command, InvalidArgumentError } from 'commander';
import { encodingOf } from '../../encodings/by-name.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Autoencoder, LossReport, Reconstruction } from '../../model/autoencoder.ts';
import { type CodeLength, codeLength } from '../../model/code-length.ts';
import { type ExactGuarantee, exactGuarantee } from '../../model/exact-guarantee.ts';
import { PCAE } from '../../model/model.ts';
import { evenOdds } from '../../promises/ceiling.ts';
import { counted } from '../../rows/counted.ts';
import { collect } from '../../rows/memory.ts';
import type { RowSource } from '../../rows/source.ts';
import { claimFile } from '../claim.ts';
import {
  addDataOptions,
  DATA_FIELDS,
  type DataOptions,
  dataLine,
  describeData,
  openForModel,
} from '../data.ts';
import { document } from '../document.ts';
import { addSearchOptions, checkCodeOptions, type SearchOptions, toleranceOption } from '../effort.ts';
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { openAnyModel, openModel } from '../model.ts';
import { notNegative, threadsOption, whole } from '../parse.ts';
import { confidenceOption, PROMISE_FIELDS, promiseLines, promisesOf, sameSourceLine } from '../promises.ts';
import { Session } from '../session.ts';
import { type Line, list, number, unitOf } from '../text.ts';
import { readWeights } from '../weights.ts';

interface EvalOptions extends DataOptions, SearchOptions {
  readonly tolerance?: number;
  readonly draws?: number;
  readonly threads?: number;
  readonly against?: string;
  readonly rowWeights?: string;
  readonly drift?: boolean;
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
      '--drift',
      'also report the worst case for data whose correlations drift as far as those of these rows',
    )
    .option(
      '--worst-case <drift>',
      'the exact worst case at the codes of these rows, if correlations drift by this share of the ' +
        'size of the codes; or "ellipsoid": over all correlations that the source may have, at ' +
        '--confidence; takes about 20 ms per column and 1000 rows',
      driftOf,
    )
    .option(
      '--code-length',
      'mean length of these rows for a reader who has the model, in nats per row: a rounded code, and the row given the code',
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
    async (modelPath: string, dataPath: string, options: EvalOptions) => {
      const session = new Session(command, io);
      const { report: page, force } = options;
      if (page !== undefined) await claimFile(session, page, force, [modelPath, dataPath]);
      const model = page === undefined ? await openAnyModel(modelPath) : await openModel(modelPath);
      checkCodeOptions(options, model);
      const source = await openForModel(dataPath, model, options, session);
      const against =
        options.against && (await collect(await openForModel(options.against, model, options, session)));
      const rowWeights = options.rowWeights
        ? await readWeights(options.rowWeights, source.n, 'row')
        : undefined;
      const { report, worstCase, length } = await session.withEngine(options.threads, async (engine) => {
        const report = await model.evaluate(source, {
          engine,
          tolerance: options.tolerance,
          effort: options.effort,
          against: against || undefined,
          rowWeights,
          bound: options.bound,
          draws: options.draws,
          signal: io.signal,
          onProgress: session.showing('evaluating'),
        });
        if (page !== undefined && model instanceof PCAE) {
          const { writeReport } = await import('./eval-report.ts');
          await writeReport(model, source, report as LossReport, {
            report: page,
            title: modelPath,
            force,
            engine,
            signal: io.signal,
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
          ...(options.drift ? report : withoutDrift(report)),
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
          ...lossLines(model, report, options.drift),
          ['worst case', worstCase && worstCaseLine(worstCase, model)],
          ['code length', length && lengthLine(length)],
          ...(against ? [] : promisedLines(model, report, confidence)),
          ['report', page],
          ['seconds', number(seconds)],
        ]),
      );
    },
  );
  document(command, {
    first: [
      'report',
      'confidence',
      'tolerance',
      'effort',
      'against',
      'draws',
      'binarize',
      'rows',
      'columns',
      'threads',
    ],
    examples: [
      ['pcae eval model.safetensors test.csv', 'loss and certificates on new rows'],
      ['pcae eval model.safetensors test.csv --report report.html', 'and a page to look at and to keep'],
      ['pcae eval model.safetensors t10k-images-idx3-ubyte.gz --json', 'the same, for a program to read'],
      [
        'pcae eval model.safetensors test.csv --worst-case ellipsoid',
        'the worst case over all correlations that the source of the rows may have',
      ],
    ],
    json: EVAL_FIELDS,
  });
}

const EVAL_FIELDS = {
  report: 'with --report: the page written',
  n: 'rows',
  loss: 'mean loss per row, in the unit of the loss (nats for cross-entropy)',
  decodedLoss:
    'losses that are bounded (hamming, squared): the mean loss of the reconstructions; `loss` is the convex function that ' +
    'codes minimise, which is above it',
  worstCase:
    'with --worst-case, {n, bound, upper, loss, drift, confidence}: the exact worst case, and the upper bound of App. C.1; ' +
    'the confidence is that of ellipsoids',
  codeLength:
    'with --code-length, {n, nats, codes, rows, bitsPerUnit}: the mean length of a row, in nats; that of its code, each number ' +
    'rounded to bitsPerUnit bits, and of the row given the code',
  lossWithEscape: 'the same where codes escape to even odds, which promises are about; absent for a stack',
  escaped: 'rows whose code would escape',
  sameSource:
    '{n, line, above, pValue}: the share of these rows above a line that 5% of rows from the calibrated source are above, ' +
    'and the chance of so many; absent without a calibration',
  promises: PROMISE_FIELDS,
  lossPerBit: 'the mean loss of a known entry',
  bound:
    'with --drift: worst case over all data with these codes and each correlation no further from the remembered one than here; ' +
    'null with --against for a model that restores noisy rows, about which its correlations promise nothing; absent for a ' +
    'stack, as are drift, gap, uncertified and tolerance',
  drift: 'with --drift: the largest difference of a correlation of these rows from the remembered one',
  gap:
    '{mean, max}: proven bound on how far the codes are from their optimum, in the unit of the loss; for bits, ' +
    'the part that the bound of the box cannot rule out (0 if all codes were tried)',
  hamming: 'mean number of bits per row that the rounded reconstruction gets wrong',
  uncertified: 'rows that could not be proven to the tolerance',
  flipOptimal:
    'codes of bits: no code improves by flipping up to this many bits at once (1, 2, or H if all codes were tried)',
  randomised: 'with --draws, {loss, standardError, draws}: the loss expected of bits drawn from box codes',
  tolerance: 'the tolerance asked for',
  seconds: 'wall-clock seconds',
  binarize: 'how grey values became bits: sample, threshold or none',
  data: DATA_FIELDS,
};

/** The numbers of an evaluation, each with its unit. */
function lossLines(model: Autoencoder, report: Reconstruction | LossReport, drift = false): Line[] {
  const unit = unitOf(model.reconstructionLoss);
  const decoded = 'decodedLoss' in report ? report.decodedLoss : undefined;
  const convex = 'the loss above is the convex function that codes minimise';
  return [
    ['loss', `${number(report.loss)} ${unit} per row, ${number(report.lossPerBit)} per known bit`],
    [
      'of what is decoded',
      decoded === undefined ? undefined : `${number(decoded)} ${unit} per row; ${convex}`,
    ],
    ...('bound' in report && drift ? boundLines(model, report) : []),
    ...('bound' in report ? gapLines(model, report) : []),
    ['wrong bits', `${number(report.hamming)} of ${model.V} per row`],
    ...('bound' in report ? codeLines(model, report) : []),
  ];
}

/** What a calibrated model promises of rows, and whether these may be such. */
function promisedLines(
  model: Autoencoder,
  report: Reconstruction & Partial<LossReport>,
  confidence: number,
): Line[] {
  if (!(model instanceof PCAE)) return [];
  const { sameSource } = report;
  return [
    ...promiseLines(model, confidence),
    ['same source?', sameSource && sameSourceLine(sameSource, model)],
  ];
}

/** The exact worst case, where it is asked for. */
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
  return exactGuarantee(model, source, {
    ...{ drift, confidence, tolerance, effort, engine, signal, onProgress },
  });
}

/** The mean code length, where it is asked for. */
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

function lengthLine({ nats, codes, rows, bitsPerUnit }: CodeLength): string {
  const how = `${number(codes)} for the code (${counted(bitsPerUnit, 'bit')} per unit) + ${number(rows)} for the row given it`;
  return `${number(nats)} nats per example: ${how}`;
}

/** What --worst-case is given. */
function driftOf(text: string): number | 'ellipsoid' {
  if (text === 'ellipsoid') return text;
  try {
    return notNegative(text);
  } catch {
    throw new InvalidArgumentError('Expected a number of at least 0, or ellipsoid.');
  }
}

function worstCaseLine({ bound, upper, drift, confidence = 0 }: ExactGuarantee, model: Autoencoder): string {
  const unit = unitOf(model.reconstructionLoss);
  const where =
    drift === 'ellipsoid'
      ? `on any data with these codes and correlations that their source may have, at ${number(100 * confidence)}% confidence`
      : `on any data with these codes whose correlations drift by ${number(drift)} of the size of codes`;
  return `${number(bound)} ${unit} per row, exact, ${where} (App. C.1: at most ${number(upper)})`;
}

/** A report without what is asked for by --drift. */
function withoutDrift({ bound: _, drift: __, ...report }: Reconstruction & Partial<LossReport>) {
  return report;
}

/** What is proven of data with such correlations. */
function boundLines(model: Autoencoder, { bound, drift }: LossReport): Line[] {
  // A decoder that restores clean rows has no correlations of its own to be held to.
  if (!Number.isFinite(bound)) return [];
  const chance = evenOdds(model);
  const drifting = `if each correlation may drift as it does here (${number(drift)} at most)`;
  const vacuous = `no help: even odds for every bit cost ${number(chance)}; see --l1 of train`;
  return [
    ['bound', `${number(bound)} ${unitOf(model.reconstructionLoss)} per row, ${drifting}`],
    ['', bound > chance ? vacuous : undefined],
  ];
}

/** What is proven of the codes. */
function gapLines(model: Autoencoder, { loss, gap }: LossReport): Line[] {
  const unit = unitOf(model.reconstructionLoss);
  const { discrete, words } = encodingOf(model.encoding);
  const below = discrete ? ': what better bits could save at most, by the bound of their relaxation' : '';
  // No loss is negative: a bound below 0 says nothing, and one that equals the loss is said by the gap.
  const least = loss - gap.mean;
  const tells = discrete && least > 0 && gap.mean > 0;
  return [
    [words.gap, `mean ${number(gap.mean)}, max ${number(gap.max)} ${unit}${below}`],
    ['no bits below', tells ? `${number(least)} ${unit}, proven` : undefined],
  ];
}

/** What bits drawn from box codes come to, and codes that could not be proven. */
function codeLines(model: Autoencoder, report: LossReport): Line[] {
  const { n, randomised, flipOptimal, uncertified } = report;
  const { loss = 0, standardError = 0, draws } = randomised ?? {};
  const drawn = `${number(loss)} ${unitOf(model.reconstructionLoss)} expected, +- ${number(standardError)}`;
  // Bits far from the best code in the box are no failure: most rows have none nearer.
  const failed = uncertified > 0 && !encodingOf(model.encoding).discrete;
  return [
    ['drawn bits', randomised && `${drawn} (${draws} draws)`],
    ['search', flipOptimal === undefined ? undefined : searched(flipOptimal, model.H)],
    ['not certified', failed ? `${uncertified} of ${counted(n, 'row')}` : undefined],
  ];
}

/** What is known of codes of bits, in words. */
function searched(flips: number, H: number): string {
  if (flips === H) return 'no other code is better: all were tried';
  return flips === 1
    ? 'no flip of a bit improves a code'
    : `no flip of up to ${counted(flips, 'bit')} improves a code`;
}
