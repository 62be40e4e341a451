import type { Command } from 'commander';
import { writeAtomic } from '../../formats/node/atomic.ts';
import { modelReport } from '../../report/model-report.ts';
import { addDataOptions, type DataOptions, dataLine, describeData, openForModel } from '../data.ts';
import { document } from '../document.ts';
import type { Io } from '../io.ts';
import { openModel } from '../model.ts';
import { claimFile } from '../output.ts';
import { threadsOption } from '../parse.ts';
import { timeLeft } from '../progress.ts';
import { Session } from '../session.ts';
import { codesInWords, number, unitOf } from '../text.ts';
import { VERSION } from '../version.ts';

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
      const page = await modelReport(model, source, {
        title: options.title ?? modelPath,
        lead: `A model with ${codesInWords(model)} for rows of ${model.V} columns, measured on ${dataLine(source)}.`,
        evaluation: found,
        footer: { 'pc-ae': VERSION, data: source.name, binarisation: source.schema.binarize },
        ...{ engine, signal: io.signal },
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
        'the fields of eval: n, loss, lossWithEscape, escaped, sameSource, lossPerBit, bound, drift, gap, hamming, uncertified, flipOptimal, tolerance, seconds, ' +
        'data',
    },
  });
}
