import type { Command } from 'commander';
import { evenChanceLoss } from '../../model/guarantee.ts';
import type { LossReport, PCAE } from '../../model/model.ts';
import { loadModel } from '../../node/model-files.ts';
import { collect } from '../../rows/memory.ts';
import { addDataOptions, type DataOptions, dataLine, describeData, openForModel } from '../data.ts';
import { document } from '../document.ts';
import { addSearchOptions, checkSearchOptions, type SearchOptions } from '../effort.ts';
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { positive, whole } from '../parse.ts';
import { timeLeft } from '../progress.ts';
import { Session } from '../session.ts';
import { list, number, unitOf } from '../text.ts';
import { readWeights } from '../weights.ts';

interface EvalOptions extends DataOptions, SearchOptions {
  readonly tolerance: number;
  readonly draws?: number;
  readonly threads?: number;
  readonly against?: string;
  readonly rowWeights?: string;
}

export function addEval(program: Command, io: Io): void {
  const command = program
    .command('eval')
    .summary('measure how well a model reconstructs rows')
    .description(
      'Encodes every row optimally and reports the mean loss, the worst-case bound for data whose correlations ' +
        'drift as far as these do, how far each code may be from its optimum at most, and the bits that come back wrong.',
    )
    .argument('<model>', 'a model file')
    .argument('<data>', 'a file of rows, a folder of pictures, or - for standard input')
    .option('--tolerance <nats>', 'prove each code to be this close to its optimum', positive, 0.01)
    .option(
      '--draws <count>',
      'box codes: draw bits from each so often; reports the loss they are expected to have',
      whole(2),
    )
    .option(
      '--against <file>',
      'compare reconstructions with these rows instead: the clean ones of noisy rows',
    )
    .option('--row-weights <file>', 'what each row counts: a number for each, in a text or .npy file')
    .option('--threads <count>', 'threads to use (default: one for each core, 8 at most)', whole(1));
  addDataOptions(addSearchOptions(command)).action(
    async (modelPath: string, dataPath: string, options: EvalOptions) => {
      const session = new Session(command, io);
      const model = await loadModel(modelPath);
      checkSearchOptions(options, model);
      if (options.draws !== undefined && model.encoding !== 'box') {
        throw new UsageError(
          `--draws is for box codes, which stand for bits; this model has ${model.encoding} codes`,
        );
      }
      const source = await openForModel(dataPath, model, options, session);
      const against =
        options.against && (await collect(await openForModel(options.against, model, options, session)));
      const rowWeights = options.rowWeights
        ? await readWeights(options.rowWeights, source.n, 'row')
        : undefined;
      const report = await session.withEngine(options.threads, (engine) =>
        model.evaluate(source, {
          engine,
          tolerance: options.tolerance,
          effort: options.effort,
          against: against || undefined,
          rowWeights,
          bound: options.bound,
          draws: options.draws,
          signal: io.signal,
          onProgress: (fraction) =>
            session.progress.update(() => `evaluating: ${timeLeft(fraction, session.seconds)}`),
        }),
      );
      const { seconds } = session;
      await session.result(
        {
          ...report,
          seconds,
          binarize: source.binarize,
          tolerance: options.tolerance,
          data: describeData(source),
        },
        list([['data', dataLine(source)], ...lossLines(model, report), ['seconds', number(seconds)]]),
      );
    },
  );
  document(command, {
    examples: [
      ['pcae eval model.safetensors test.csv', 'loss and certificates on new rows'],
      ['pcae eval model.safetensors t10k-images-idx3-ubyte.gz --json', 'the same, for a program to read'],
    ],
    json: EVAL_FIELDS,
  });
}

export const EVAL_FIELDS = {
  n: 'rows',
  loss: 'mean loss per row, in the unit of the loss (nats for cross-entropy)',
  lossPerBit: 'the same per entry',
  bound:
    'worst case over all data with these codes and each correlation no further from the remembered one than here',
  drift: 'the largest difference of a correlation of these rows from the remembered one',
  gap: '{mean, max}: how far the codes are from their optimum at most, proven, in the unit of the loss',
  hamming: 'mean number of bits per row that the rounded reconstruction gets wrong',
  uncertified: 'rows that could not be proven to the tolerance',
  flipOptimal:
    'codes of bits: how many flips at once improve no code (1, 2, or H where all codes were tried)',
  randomised: 'with --draws, {loss, standardError, draws}: the loss expected of bits drawn from box codes',
  tolerance: 'the tolerance asked for',
  seconds: 'wall-clock seconds',
  binarize: 'how grey values became bits: sample, threshold or none',
  data: '{name, format, n, V, kind, values, binarize}: how the data were read',
};

/** The numbers of an evaluation, each with its unit. */
function lossLines(model: PCAE, report: LossReport): [string, string][] {
  const unit = unitOf(model.reconstructionLoss);
  const bits = model.encoding === 'bits';
  const chance = evenChanceLoss(model);
  const lines: [string, string][] = [
    ['loss', `${number(report.loss)} ${unit} per example, ${number(report.lossPerBit)} per bit`],
    [
      'bound',
      `${number(report.bound)} ${unit} per example, if each correlation may drift as it does here (${number(report.drift)} at most)`,
    ],
    ...(report.bound > chance
      ? [
          ['', `no help: even odds for every bit cost ${number(chance)}; see --l1 of train`] as [
            string,
            string,
          ],
        ]
      : []),
    ['certified gap', `mean ${number(report.gap.mean)}, max ${number(report.gap.max)} ${unit}`],
    ...(bits
      ? [['no bits below', `${number(report.loss - report.gap.mean)} ${unit}, proven`] as [string, string]]
      : []),
    ['wrong bits', `${number(report.hamming)} of ${model.V} per example`],
  ];
  const { randomised } = report;
  if (randomised) {
    const { loss, standardError, draws } = randomised;
    lines.push([
      'drawn bits',
      `${number(loss)} ${unit} expected, +- ${number(standardError)} (${draws} draws)`,
    ]);
  }
  // Bits far from the best code in the box are no failure: most rows have none nearer.
  if (report.uncertified > 0 && !bits)
    lines.push(['not certified', `${report.uncertified} of ${report.n} rows`]);
  return lines;
}
