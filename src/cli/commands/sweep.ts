import { type Command, InvalidArgumentError } from 'commander';
import { encodingOf } from '../../encodings/by-name.ts';
import { type HSweepSeries, hSweepFigure } from '../../figures/h-sweep.ts';
import { writeAtomic } from '../../formats/node/atomic.ts';
import { openSource } from '../../formats/node/open.ts';
import type { OpenedSource } from '../../formats/options.ts';
import { fitIterator } from '../../model/fit.ts';
import { pathH } from '../../model/path-h.ts';
import { checkCombinations } from '../combinations.ts';
import { addDataOptions, type DataOptions, dataLine, describeData, openOptions } from '../data.ts';
import { document } from '../document.ts';
import { Interrupted, UsageError } from '../errors.ts';
import { trainingAndHeld } from '../held-out.ts';
import type { Io } from '../io.ts';
import { checkFile } from '../output.ts';
import { listOf, notNegative, whole } from '../parse.ts';
import { Session } from '../session.ts';
import { number, table, unitOf } from '../text.ts';
import { runFit } from '../training.ts';
import {
  addTrainingOptions,
  checkUnits,
  fitOptions,
  parseValidation,
  type TrainingOptions,
} from '../training-options.ts';

interface SweepOptions extends DataOptions, TrainingOptions {
  readonly hidden: readonly number[];
  readonly ridge?: readonly number[];
  readonly validation: number | string;
  readonly path?: boolean;
  readonly hide: number;
  readonly output?: string;
  readonly force?: boolean;
}

/** What one model of the sweep came to; losses are means per row. */
interface Trial {
  readonly H: number;
  readonly ridge: number;
  readonly train: number;
  readonly validation: number;
  /** Mean loss of an entry of rows held out that was hidden and guessed; of codes of bits it is not measured. */
  readonly entries?: number;
  /** The same for guesses by the columns' means alone. */
  readonly baseRates?: number;
  readonly seconds: number;
}

export function addSweep(program: Command, io: Io): void {
  const command = program
    .command('sweep')
    .description(
      'Learns a model for each H and each ridge and measures it on rows held out: a table, and a plot with -o. The loss ' +
        'of whole rows falls with every unit, even for noise, because their codes see all that they are judged by. ' +
        'Entries that are hidden and guessed, as impute does, tell how many units find structure.',
    )
    .argument('<data>', 'a file of rows, a folder of pictures, or - for standard input')
    .requiredOption('-H, --hidden <count,...>', 'sizes to try', listOf(whole(1)))
    .option('--ridge <x,...>', 'ridges to try (default: the one that train uses)', listOf(notNegative))
    .option('--validation <share|file>', 'rows to measure on: a share, or a file', parseValidation, 0.1)
    .option('--path', 'each size goes on from the units of the one before, which is sooner done')
    .option('--hide <share>', 'the share of entries of rows held out to hide and guess', parseShare, 0.1)
    .option('-o, --output <file>', 'where the plot goes, an .svg file')
    .option('--force', 'overwrite the plot');
  addTrainingOptions(command);
  addDataOptions(command).action(async (dataPath: string, options: SweepOptions) => {
    const session = new Session(command, io);
    checkCombinations(command);
    if (options.path && options.ridge && options.ridge.length > 1)
      throw new UsageError('--path takes one --ridge: larger models go on from smaller ones');
    await checkFile(options.output, options.force, [dataPath, options.validation]);
    const source = await openSource(dataPath, openOptions(options, io.signal));
    session.say(dataLine(source));
    checkUnits(options.hidden, source);
    const trials: Trial[] = [];
    if (options.path) {
      const { n, held } = await growingPath(source, options, session, trials);
      return report(session, options, source, trials, { n, held });
    }
    const { training, held } = await trainingAndHeld(source, options);
    await session.withEngine(options.threads, async (engine) => {
      for (const H of options.hidden) {
        for (const ridge of options.ridge ?? [undefined]) {
          const began = session.seconds;
          const steps = fitIterator(training, {
            ...fitOptions(options, H, training.n),
            ...{ ridge, engine, signal: io.signal },
          });
          const model = await runFit(steps, session);
          if (!model) throw new Interrupted('interrupted');
          const found = await model.evaluate(held, { engine, signal: io.signal });
          const { loss: train, ridge: used } = model.training;
          const guessed = encodingOf(model.encoding).discrete
            ? undefined
            : await model.chooseShrink(held, { engine, hide: options.hide });
          const trial = {
            H,
            ridge: used,
            train,
            validation: found.loss,
            entries: finite(guessed?.entryLoss),
            baseRates: finite(guessed?.entryLossAtBaseRates),
          };
          trials.push({ ...trial, seconds: session.seconds - began });
          session.say(`H ${H}, ridge ${number(used)}: ${lossesText(trial)}`);
        }
      }
    });
    await report(session, options, source, trials, { n: training.n, held: held.n });
  });
  document(command, {
    examples: [
      ['pcae sweep data.csv -H 2,4,8,16,32 -o sweep.svg', 'losses for each number of hidden units'],
      [
        'pcae sweep data.csv -H 2,4,8,16,32 --path',
        'the same much sooner: larger models go on from smaller ones',
      ],
      ['pcae sweep data.csv -H 8,16 --ridge 1e-5,1e-4,1e-3 --json', 'sizes and ridges together'],
    ],
    json: {
      n: 'rows learned from',
      held: 'rows measured on',
      unit: 'what losses are counted in, per row',
      trials:
        '[{H, ridge, train, validation, entries, baseRates, seconds}]: mean losses per row, and of a hidden entry, guessed by the model and by base rates (not for bits)',
      best: 'the trial with the lowest loss of hidden entries, or for codes of bits the lowest validation loss',
      plot: 'the plot written, if any',
      seconds: 'wall-clock seconds',
      data: '{name, format, n, V, kind, values, binarize}: how the data were read',
    },
  });
}

/** Sizes along a path of growing models, smallest first. */
async function growingPath(
  source: OpenedSource,
  options: SweepOptions,
  session: Session,
  trials: Trial[],
): Promise<{ n: number; held: number }> {
  const Hs = [...new Set(options.hidden)].sort((a, b) => a - b);
  const { hide, ridge } = options;
  const validation = options.validation as number;
  await session.withEngine(options.threads, async (engine) => {
    const { H: _, ...learning } = fitOptions(options, Hs[0], source.n);
    const { signal } = session.io;
    await pathH(source, {
      ...{ ...learning, Hs, validation, hide, ridge: ridge?.[0], engine, signal },
      onProgress: ({ epoch, fraction }) =>
        session.progress.update(() => `epoch ${epoch + 1}  ${Math.floor(100 * fraction)}%`),
      onStep({ H, model, train, entries, entriesAtBaseRates, rows: heldLoss, seconds }) {
        trials.push({
          H,
          ridge: model.training.ridge,
          train,
          validation: heldLoss,
          entries: finite(entries),
          baseRates: finite(entriesAtBaseRates),
          seconds,
        });
        session.say(`H ${H}: ${lossesText({ entries, validation: heldLoss })}`);
      },
    });
    if (signal.aborted) throw new Interrupted('interrupted');
  });
  const { n } = source;
  const held = Math.min(n - 1, Math.max(1, Math.round(validation * n)));
  return { n: n - held, held };
}

/** The table, the plot, and the best trial: by hidden entries where they were measured, else by rows held out. */
async function report(
  session: Session,
  options: SweepOptions,
  source: OpenedSource,
  trials: readonly Trial[],
  counts: { readonly n: number; readonly held: number },
): Promise<void> {
  const judged = (trial: Trial) => trial.entries ?? trial.validation;
  const best = trials.reduce((a, b) => (judged(b) < judged(a) ? b : a));
  const unit = unitOf(options.loss);
  if (options.output) await writeAtomic(options.output, [plot(trials, unit)], { force: options.force });
  const { seconds } = session;
  await session.result(
    { ...counts, unit, trials, best, plot: options.output, seconds, data: describeData(source) },
    sweepTable(trials, best, unit) + (options.output ? `${options.output}: the plot\n` : ''),
  );
}

function parseShare(text: string): number {
  const share = Number(text);
  if (text.trim() !== '' && share > 0 && share < 1) return share;
  throw new InvalidArgumentError('Expected a share between 0 and 1.');
}

/** Rows in which nothing is known have nothing to guess. */
function finite(loss: number | undefined): number | undefined {
  return Number.isFinite(loss) ? loss : undefined;
}

function lossesText({ entries, validation }: Pick<Trial, 'entries' | 'validation'>): string {
  const guessed = entries === undefined ? '' : `hidden entries ${number(entries)}, `;
  return `${guessed}validation loss ${number(validation)}`;
}

function sweepTable(trials: readonly Trial[], best: Trial, unit: string): string {
  const guessed = best.entries !== undefined;
  const lines = table([
    ['H', 'ridge', 'train', 'validation', ...(guessed ? ['hidden entry'] : []), 'seconds'],
    ...trials.map((trial) => [
      String(trial.H),
      number(trial.ridge),
      number(trial.train),
      number(trial.validation),
      ...(trial.entries === undefined ? [] : [number(trial.entries)]),
      number(trial.seconds),
      ...(trial === best ? [guessed ? 'lowest loss of hidden entries' : 'lowest validation loss'] : []),
    ]),
  ]);
  if (!guessed) return `${lines}losses in ${unit} per example\n`;
  const { entries = 0, baseRates = 0 } = best;
  const verdict =
    entries < baseRates ? '' : ': no model here does better; try a stronger ridge, as in --ridge 0.1';
  return (
    `${lines}losses in ${unit} per example, of hidden entries in ${unit} each\n` +
    `a hidden entry guessed by base rates alone costs ${number(baseRates)}${verdict}\n`
  );
}

function plot(trials: readonly Trial[], unit: string): string {
  const ridges = [...new Set(trials.map(({ ridge }) => ridge))];
  const [series, entries]: HSweepSeries[][] = [[], []];
  for (const ridge of ridges) {
    const some = trials.filter((trial) => trial.ridge === ridge);
    const H = some.map((trial) => trial.H);
    const name = ridges.length > 1 ? `, ridge ${number(ridge)}` : '';
    const add = (to: HSweepSeries[], label: string, loss: (trial: Trial) => number) =>
      to.push({ label, H, loss: some.map(loss) });
    add(series, `validation${name}`, (trial) => trial.validation);
    add(series, `train${name}`, (trial) => trial.train);
    add(entries, `hidden entry${name}`, (trial) => trial.entries ?? Number.NaN);
    if (ridge === ridges.at(-1)) add(entries, 'base rates', (trial) => trial.baseRates ?? Number.NaN);
  }
  const measured = trials.some((trial) => trial.entries !== undefined);
  return hSweepFigure({
    ...{ series, unit: `${unit} per example`, entryUnit: `${unit} per hidden entry` },
    entries: measured ? entries : undefined,
  });
}
