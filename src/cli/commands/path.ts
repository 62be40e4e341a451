import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { openSource } from '../../formats/node/open.ts';
import { l1PathIterator, type PathStep } from '../../model/path.ts';
import { saveModel } from '../../node/model-files.ts';
import { addDataOptions, type DataOptions, dataLine, describeData, openOptions } from '../data.ts';
import { document } from '../document.ts';
import { Interrupted } from '../errors.ts';
import { trainingAndHeld } from '../held-out.ts';
import type { Io } from '../io.ts';
import { listOf, notNegative, whole } from '../parse.ts';
import { Session } from '../session.ts';
import { number, table, unitOf } from '../text.ts';
import { runPath } from '../training.ts';
import {
  addLearningOptions,
  checkUnits,
  fitOptions,
  type LearningOptions,
  parseValidation,
} from '../training-options.ts';

interface CommandOptions extends DataOptions, LearningOptions {
  readonly hidden: number;
  readonly l1s: readonly number[];
  readonly epochsPerStep?: number;
  readonly validation: number | string;
  readonly models?: string;
  readonly force?: boolean;
}

export function addPath(program: Command, io: Io): void {
  const command = program
    .command('path')
    .description(
      'Learns a model for each relaxation of the correlations, from the smallest to the largest, each going on from ' +
        'the one before, and measures it on rows held out: loss, share of weights that are exactly zero, and the ' +
        'worst case under the drift it was learned for.',
    )
    .argument('<data>', 'a file of rows, a folder of pictures, or - for standard input')
    .requiredOption('-H, --hidden <count>', 'numbers in a code', whole(1))
    .requiredOption('--l1s <x,...>', 'relaxations to go through, 0 for none', listOf(notNegative))
    .option('--epochs-per-step <count>', 'passes at each step after the first (default: a quarter)', whole(1))
    .option('--validation <share|file>', 'rows to measure on: a share, or a file', parseValidation, 0.1)
    .option('--models <folder>', 'where the models go, a file for each relaxation')
    .option('--force', 'overwrite models');
  addLearningOptions(command);
  addDataOptions(command).action(async (dataPath: string, options: CommandOptions) => {
    const session = new Session(command, io);
    const { models, force } = options;
    const source = await openSource(dataPath, openOptions(options, io.signal));
    session.say(dataLine(source));
    checkUnits([options.hidden], source);
    const { training, held } = await trainingAndHeld(source, options);
    const steps = await session.withEngine(options.threads, (engine) =>
      runPath(
        l1PathIterator(training, {
          ...fitOptions(options, options.hidden, training.n),
          ...{ l1s: options.l1s, furtherEpochs: options.epochsPerStep, validation: held },
          ...{ engine, signal: io.signal },
        }),
        session,
      ),
    );
    if (!steps) throw new Interrupted('interrupted');
    if (models) {
      await mkdir(models, { recursive: true });
      for (const { l1, model } of steps) await saveModel(join(models, fileName(l1)), model, { force });
    }
    const unit = unitOf(options.loss);
    const found = steps.map(({ model, ...step }) => ({
      ...step,
      weightGap: model.training.weightGap,
      seconds: model.training.seconds,
      model: models && join(models, fileName(step.l1)),
    }));
    await session.result(
      {
        n: training.n,
        held: held.n,
        unit,
        steps: found,
        seconds: session.seconds,
        data: describeData(source),
      },
      `${table([
        ['l1', 'train', 'validation', 'zero weights', 'bound', 'seconds'],
        ...steps.map((step) => line(step)),
      ])}losses and bounds in ${unit} per example; the bound is for data whose correlations are off by l1\n`,
    );
  });
  document(command, {
    examples: [
      [
        'pcae path data.csv -H 16 --l1s 0,0.001,0.01,0.1',
        'what each relaxation costs and how sparse it makes W',
      ],
      ['pcae path digits.idx -H 32 --l1s 0.003,0.01 --models sparse', 'the models too, a file for each'],
    ],
    json: {
      n: 'rows learned from',
      held: 'rows measured on',
      unit: 'what losses and bounds are counted in, per row',
      steps:
        '[{l1, train, validation, gap, zeros, bound, weightGap, seconds, model}]: mean losses per row, the largest ' +
        'certified gap of a code, the share of zero weights, the worst case under a drift of l1, how far at most ' +
        'the weights are from the best for their codes, and the file written, if any',
      seconds: 'wall-clock seconds',
      data: '{name, format, n, V, kind, values, binarize}: how the data were read',
    },
  });
}

function fileName(l1: number): string {
  return `l1-${l1}.safetensors`;
}

function line({ l1, train, validation, zeros, bound, model }: PathStep): (string | number)[] {
  return [String(l1), train, validation, `${number(100 * zeros)}%`, bound, model.training.seconds];
}
