import type { Command } from 'commander';
import { hSweepFigure } from '../../figures/h-sweep.ts';
import { writeAtomic } from '../../formats/node/atomic.ts';
import { openSource } from '../../formats/node/open.ts';
import { fitIterator } from '../../model/fit.ts';
import { memorySource } from '../../rows/memory.ts';
import { addDataOptions, type DataOptions, dataLine, describeData, openOptions } from '../data.ts';
import { document } from '../document.ts';
import { Interrupted } from '../errors.ts';
import { trainingAndHeld } from '../held-out.ts';
import type { Io } from '../io.ts';
import { checkOutput } from '../output.ts';
import { listOf, notNegative, whole } from '../parse.ts';
import { Session } from '../session.ts';
import { number, table, unitOf } from '../text.ts';
import { runFit } from '../training.ts';
import {
  addTrainingOptions,
  fitOptions,
  parseValidation,
  type TrainingOptions,
} from '../training-options.ts';

interface SweepOptions extends DataOptions, TrainingOptions {
  readonly hidden: readonly number[];
  readonly ridge?: readonly number[];
  readonly validation: number | string;
  readonly output?: string;
  readonly force?: boolean;
}

/** What one model of the sweep came to; losses are means per row. */
interface Trial {
  readonly H: number;
  readonly ridge: number;
  readonly train: number;
  readonly validation: number;
  readonly gap: number;
  readonly seconds: number;
}

export function addSweep(program: Command, io: Io): void {
  const command = program
    .command('sweep')
    .summary('try several sizes and ridges: how to choose H')
    .description(
      'Learns a model for each H and each ridge and measures it on rows held out: a table, and a plot with -o. ' +
        'Training loss always falls with H; where the validation loss stops falling, more units only memorise.',
    )
    .argument('<data>', 'a file of rows, a folder of pictures, or - for standard input')
    .requiredOption('-H, --hidden <count,...>', 'sizes to try', listOf(whole(1)))
    .option('--ridge <x,...>', 'ridges to try (default: the one that train uses)', listOf(notNegative))
    .option('--validation <share|file>', 'rows to measure on: a share, or a file', parseValidation, 0.1)
    .option('-o, --output <file>', 'where the plot goes, an .svg file')
    .option('--force', 'overwrite the plot');
  addTrainingOptions(command);
  addDataOptions(command).action(async (dataPath: string, options: SweepOptions) => {
    const session = new Session(command, io);
    await checkOutput(options.output, options.force);
    const source = await openSource(dataPath, openOptions(options));
    session.say(dataLine(source));
    const { training, held } = await trainingAndHeld(source, options);
    const { columns, image } = source;
    const trials: Trial[] = [];
    await session.withEngine(options.threads, async (engine) => {
      for (const H of options.hidden) {
        for (const ridge of options.ridge ?? [undefined]) {
          const began = session.seconds;
          const steps = fitIterator(memorySource(training, { columns, image }), {
            ...fitOptions(options, H, training.n),
            ...{ ridge, engine, signal: io.signal },
          });
          const model = await runFit(steps, session);
          if (!model) throw new Interrupted('interrupted');
          const found = await model.evaluate(held, { engine, signal: io.signal });
          const { loss, ridge: used } = model.training;
          const trial = { H, ridge: used, train: loss, validation: found.loss, gap: found.gap.max };
          trials.push({ ...trial, seconds: session.seconds - began });
          session.say(`H ${H}, ridge ${number(used)}: validation loss ${number(found.loss)}`);
        }
      }
    });
    const best = trials.reduce((a, b) => (b.validation < a.validation ? b : a));
    const unit = unitOf(options.loss);
    if (options.output) await writeAtomic(options.output, [plot(trials, unit)], { force: options.force });
    const { seconds } = session;
    await session.result(
      {
        n: training.n,
        held: held.n,
        unit,
        trials,
        best,
        plot: options.output,
        seconds,
        data: describeData(source),
      },
      sweepTable(trials, best, unit),
    );
  });
  document(command, {
    examples: [
      ['pcae sweep data.csv -H 2,4,8,16,32 -o sweep.svg', 'loss against the number of hidden units'],
      ['pcae sweep data.csv -H 8,16 --ridge 1e-5,1e-4,1e-3 --json', 'sizes and ridges together'],
    ],
    json: {
      n: 'rows learned from',
      held: 'rows measured on',
      unit: 'what losses are counted in, per row',
      trials:
        '[{H, ridge, train, validation, gap, seconds}]: mean losses per row, and the largest certified gap',
      best: 'the trial with the lowest validation loss',
      plot: 'the plot written, if any',
      seconds: 'wall-clock seconds',
      data: '{name, format, n, V, kind, values, binarize}: how the data were read',
    },
  });
}

function sweepTable(trials: readonly Trial[], best: Trial, unit: string): string {
  const lines = table([
    ['H', 'ridge', 'train', 'validation', 'gap', 'seconds'],
    ...trials.map((trial) => [
      String(trial.H),
      number(trial.ridge),
      number(trial.train),
      number(trial.validation),
      number(trial.gap),
      number(trial.seconds),
      ...(trial === best ? ['lowest validation loss'] : []),
    ]),
  ]);
  return `${lines}losses and gaps in ${unit} per example\n`;
}

function plot(trials: readonly Trial[], unit: string): string {
  const ridges = [...new Set(trials.map(({ ridge }) => ridge))];
  const series = ridges.flatMap((ridge) => {
    const some = trials.filter((trial) => trial.ridge === ridge);
    const H = some.map((trial) => trial.H);
    const name = ridges.length > 1 ? `, ridge ${number(ridge)}` : '';
    return [
      { label: `validation${name}`, H, loss: some.map((trial) => trial.validation) },
      { label: `train${name}`, H, loss: some.map((trial) => trial.train) },
    ];
  });
  return hSweepFigure({ series, unit: `${unit} per example` });
}
