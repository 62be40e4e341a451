import type { Command } from 'commander';
import { calibrate } from '../../model/calibrate.ts';
import { saveModel } from '../../node/save-model.ts';
import { claimFile } from '../claim.ts';
import type { DataOptions } from '../data.ts';
import { addDataOptions, DATA_FIELDS, dataLine, describeData, openForModel } from '../data.ts';
import { document } from '../document.ts';
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { openModel } from '../model.ts';
import { notNegative, threadsOption, whole } from '../parse.ts';
import { confidenceOption, PROMISE_FIELDS, promiseLines, promisesOf } from '../promises.ts';
import { Session } from '../session.ts';
import { list, number } from '../text.ts';

interface CalibrateCommandOptions extends DataOptions {
  readonly output?: string;
  readonly learned?: boolean;
  readonly hide: number;
  readonly seed: number;
  readonly confidence: number;
  readonly force?: boolean;
  readonly threads?: number;
}

export function addCalibrate(program: Command, io: Io): void {
  const command = program
    .command('calibrate')
    .description(
      'Encodes rows that took no part in learning and stores their losses in the model file. From ' +
        'then on the model promises what new rows from the same source cost: on average, for 95 of 100 ' +
        'rows, for the next row, for the worst rows. Rows that the model learned from are refused if ' +
        'they are recognised.',
    )
    .argument('<model>', 'a model file')
    .argument('<data>', 'rows that learning, stopping and the choice of options never saw')
    .option('-o, --output <file>', 'where the calibrated model goes (default: into the model file)')
    .option(
      '--learned',
      'the rows are those that the model learned from: promises are weaker, and weights are rounded',
    )
    .option(
      '--hide <share>',
      'share of known entries to hide and guess, for reconstruct --fill --wrong; 0 for none',
      notNegative,
      0.1,
    )
    .addOption(confidenceOption())
    .option('--seed <k>', 'fixes everything random', whole(0), 1)
    .option('--force', 'replace an earlier calibration, or overwrite the output')
    .addOption(threadsOption());
  addDataOptions(command).action(
    async (modelPath: string, dataPath: string, options: CalibrateCommandOptions) => {
      const session = new Session(command, io);
      const { output = modelPath, force, learned, hide, seed, confidence } = options;
      const replaces = output === modelPath;
      await claimFile(session, output, force || replaces, replaces ? [dataPath] : [modelPath, dataPath]);
      const model = await openModel(modelPath);
      if (replaces && model.calibration && !force)
        throw new UsageError(`${modelPath} is already calibrated; use --force to replace it`);
      const source = await openForModel(dataPath, model, options, session);
      const calibrated = await session.withEngine(options.threads, (engine) =>
        calibrate(model, source, {
          engine,
          learned,
          hide,
          seed,
          signal: io.signal,
          onProgress: session.showing('calibrating'),
        }),
      );
      await saveModel(output, calibrated, { force: true });
      const { seconds } = session;
      await session.result(
        {
          model: output,
          n: source.n,
          confidence,
          promises: promisesOf(calibrated, confidence),
          seconds,
          data: describeData(source),
        },
        list([
          ['data', dataLine(source)],
          ['model', output],
          ...promiseLines(calibrated, confidence),
          ['seconds', number(seconds)],
        ]),
      );
    },
  );
  document(command, {
    first: 'output confidence learned force rows threads',
    examples: {
      'pcae calibrate model.safetensors other-rows.csv': 'what rows like these cost, promised',
      'pcae calibrate model.safetensors other-rows.csv --confidence 0.999': 'with more confidence',
      'pcae calibrate model.safetensors data.csv --learned': 'a small table with no rows to spare',
    },
    json: {
      model: 'the file written',
      n: 'rows that it was calibrated with',
      confidence: 'the confidence of the promises shown; the file allows any',
      promises: PROMISE_FIELDS,
      seconds: 'wall-clock seconds',
      data: DATA_FIELDS,
    },
  });
}
