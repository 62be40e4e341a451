import type { Command } from 'commander';
import { writeAtomic } from '../../formats/node/atomic.ts';
import type { OpenedSource } from '../../formats/options.ts';
import { type Rows, sliceRows } from '../../rows/rows.ts';
import { addDataOptions, type DataOptions, dataLine, describeData, openForModel } from '../data.ts';
import { document } from '../document.ts';
import type { Io } from '../io.ts';
import { openModel } from '../model.ts';
import { modelReport } from '../model-report.ts';
import { claimFile } from '../output.ts';
import { threadsOption } from '../parse.ts';
import { timeLeft } from '../progress.ts';
import { Session } from '../session.ts';
import { codesInWords, number, unitOf } from '../text.ts';

interface ReportOptions extends DataOptions {
  readonly output: string;
  readonly title?: string;
  readonly force?: boolean;
  readonly threads?: number;
}

export function addReport(program: Command, io: Io): void {
  const command = program
    .command('report')
    .description(
      'Measures a model on rows and writes one HTML page that needs nothing else: numbers, reconstructions, every ' +
        'hidden unit, and how learning went.',
    )
    .argument('<model>', 'a model file')
    .argument('<data>', 'rows to measure it on, best such that it has not seen')
    .requiredOption('-o, --output <file>', 'where the page goes, an .html file')
    .option('--title <text>', 'the headline (default: the name of the model file)')
    .option('--force', 'overwrite the page')
    .addOption(threadsOption());
  addDataOptions(command).action(async (modelPath: string, dataPath: string, options: ReportOptions) => {
    const session = new Session(command, io);
    const { output, force } = options;
    await claimFile(session, output, force, [modelPath, dataPath]);
    const model = await openModel(modelPath);
    const source = await openForModel(dataPath, model, options, session);
    await session.withEngine(options.threads, async (engine) => {
      const found = await model.evaluate(source, {
        engine,
        signal: io.signal,
        onProgress: (fraction) =>
          session.progress.update(() => `evaluating: ${timeLeft(fraction, session.seconds)}`),
      });
      const unit = unitOf(model.reconstructionLoss);
      const page = await modelReport({
        title: options.title ?? modelPath,
        lead: `A model with ${codesInWords(model)} for rows of ${model.V} columns, measured on ${dataLine(source)}.`,
        ...{ model, engine, examples: await firstRows(source, 500) },
        summary: [
          ['loss', number(found.loss), `${unit} per example, here`],
          ['loss per bit', number(found.lossPerBit), unit],
          ['training loss', number(model.training.loss), `${unit} per example`],
          [
            'worst-case bound',
            number(model.guarantee().bound),
            `${unit} per example, for the training correlations`,
          ],
          [
            'bound for these codes',
            number(found.bound),
            `${unit} per example, for correlations that drift by ${number(found.drift)}`,
          ],
          ['certified gap', number(found.gap.mean), `${unit} in the mean, ${number(found.gap.max)} at most`],
          ['wrong bits', number(found.hamming), `of ${model.V} per example`],
        ],
        footer: { data: source.name, binarisation: source.schema.binarize },
      });
      await writeAtomic(output, [page], { force });
      const { seconds } = session;
      await session.result(
        { output, ...found, seconds, data: describeData(source) },
        `${output}: loss ${number(found.loss)} ${unit} per example on ${found.n} rows, ${number(seconds)} s\n`,
      );
    });
  });
  document(command, {
    first: ['output', 'title', 'force', 'binarize', 'rows', 'columns', 'threads'],
    examples: [['pcae report model.safetensors test.csv -o report.html', 'a page to look at and to keep']],
    json: {
      output: 'the page written',
      '...':
        'the fields of eval: n, loss, lossPerBit, bound, drift, gap, hamming, uncertified, flipOptimal, tolerance, seconds, ' +
        'data',
    },
  });
}

async function firstRows(source: OpenedSource, count: number): Promise<Rows> {
  for await (const rows of source.chunks(count)) return sliceRows(rows, 0, Math.min(count, rows.n));
  throw new RangeError(`${source.name} holds no rows`);
}
