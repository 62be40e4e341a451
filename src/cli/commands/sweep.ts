import { type Command, InvalidArgumentError } from 'commander';
import { encodingOf } from '../../encodings/by-name.ts';
import { openSource } from '../../formats/node/open.ts';
import type { OpenedSource } from '../../formats/options.ts';
import { fit } from '../../model/fit.ts';
import { pathH } from '../../model/path-h.ts';
import { heldCount } from '../../rows/split.ts';
import { checkEnding, claimFile } from '../claim.ts';
import { checkCombinations } from '../combinations.ts';
import { addDataOptions, DATA_FIELDS, type DataOptions, dataLine, openOptions } from '../data.ts';
import { document } from '../document.ts';
import { UsageError } from '../errors.ts';
import { learnsToFill } from '../gaps.ts';
import { heldOutOption, trainingAndHeld } from '../held-out.ts';
import type { Io } from '../io.ts';
import { listOf, notNegative, whole } from '../parse.ts';
import { Session } from '../session.ts';
import { number } from '../text.ts';
import { showFit } from '../training.ts';
import { addTrainingOptions, checkUnits, fitOptions, type TrainingOptions } from '../training-options.ts';
import { sweepL1 } from './sweep-l1.ts';
import { reportSweep, type Swept, type Trial } from './sweep-trials.ts';

export interface SweepOptions extends DataOptions, Omit<TrainingOptions, 'l1'> {
  readonly hidden: readonly number[];
  readonly ridge?: readonly number[];
  readonly l1?: readonly number[];
  readonly heldOut: number | string;
  readonly grow?: boolean;
  readonly hide: number;
  readonly models?: string;
  readonly output?: string;
  readonly force?: boolean;
}

export function addSweep(program: Command, io: Io): void {
  const command = program
    .command('sweep')
    .description(
      'Learns a model for each size and ridge and measures it on held-out rows. Prints a table, and with -o ' +
        'writes a plot. The loss of whole rows falls with every unit, even for noise, because a code sees the ' +
        'entries it is judged by. The loss of hidden entries is lowest where the units have found the structure and ' +
        'nothing else. With several --l1, goes from dense to sparse weights instead, and also reports the share of ' +
        'zero weights and the worst case.',
    )
    .argument('<data>', 'a file of rows, a folder of pictures, or - for standard input')
    .requiredOption('-H, --hidden <count,...>', 'sizes to try', listOf(whole(1)))
    .option(
      '--ridge <x,...>',
      'ridges to try (default: as train chooses; with --grow, as for a table without gaps)',
      listOf(notNegative),
    )
    .option(
      '--l1 <x,...>',
      'how far correlations may be off: one number for all models, or several to try, with one size',
      listOf(notNegative),
    )
    .addOption(heldOutOption())
    .option('--grow', 'each size starts from the previous one, which is faster')
    .option('--hide <share>', 'share of the entries of held-out rows to hide and guess', parseShare, 0.1)
    .option('--models <folder>', 'with several --l1: folder for the models, one file each')
    .option('-o, --output <file>', 'where to write the plot, an .svg file')
    .option('--force', 'overwrite the plot and the models');
  addTrainingOptions(command);
  addDataOptions(command).action(async (dataPath: string, options: SweepOptions) => {
    const session = new Session(command, io);
    checkCombinations(command);
    checkLists(options);
    await claimFile(session, options.output, options.force, [dataPath, options.heldOut]);
    checkEnding(options.output, '.svg', 'SVG');
    const source = await openSource(dataPath, openOptions(options, io.signal));
    session.say(dataLine(source));
    checkUnits(options.hidden, source);
    const sweep = alongL1(options) ? sweepL1 : options.grow ? sweepGrowing : sweepEach;
    await reportSweep(session, options, source, await sweep(source, options, session));
  });
  document(command, {
    first: 'hidden ridge l1 heldOut grow output models encoding time seed',
    examples: {
      'pcae sweep data.csv -H 2,4,8,16,32 -o sweep.svg': 'losses for each number of hidden units',
      'pcae sweep data.csv -H 2,4,8,16,32 --grow': 'faster: each model starts from the one before',
      'pcae sweep data.csv -H 8,16 --ridge 1e-5,1e-4,1e-3 --json': 'sizes and ridges together',
      'pcae sweep data.csv -H 16 --l1 0,0.001,0.01,0.1': 'what sparse weights cost',
      'pcae sweep data.csv -H 16 --l1 0.003,0.01 --models sparse': 'keep the models too, one file each',
    },
    json: {
      n: 'rows learned from',
      held: 'rows measured on',
      unit: 'what losses and bounds are counted in, per row',
      trials:
        '[{H, ridge, l1, trainingLoss, heldOutLoss, entryLoss, entryLossAtBaseRates, seconds}]: mean losses per row, and ' +
        'per hidden entry, guessed by the model and by base rates (not for codes of bits). With several --l1, each trial has ' +
        '{gap, zeros, bound, weightGap, model} instead of the losses per entry: the gaps of held-out codes, the share ' +
        'of zero weights, the worst case under a drift of l1, a bound on how far the weights are from the best for their ' +
        'codes, and the file written',
      best: 'the trial with the lowest loss of hidden entries, or else the lowest held-out loss',
      plot: 'the plot written, if any',
      seconds: 'wall-clock seconds',
      data: DATA_FIELDS,
    },
  });
}

/** Several relaxations are gone through one after the other. */
function alongL1({ l1 = [] }: SweepOptions): boolean {
  return l1.length > 1;
}

/** Lists that do not go together, found before any work is done. */
function checkLists(options: SweepOptions): void {
  const { grow, ridge = [], hidden, models, output } = options;
  if (grow && ridge.length > 1)
    throw new UsageError('--grow takes one --ridge: larger models start from smaller');
  if (!alongL1(options)) {
    if (models !== undefined)
      throw new UsageError('--models goes with several --l1, as in --l1 0,0.001,0.01');
    return;
  }
  if (hidden.length > 1 || ridge.length > 1 || grow)
    throw new UsageError(
      'several --l1 go with one size and one ridge: give -H one number, and leave --grow out',
    );
  if (output !== undefined) throw new UsageError('several --l1 have no plot: leave -o out');
}

/** Every size with every ridge, each from the beginning. */
async function sweepEach(source: OpenedSource, options: SweepOptions, session: Session): Promise<Swept> {
  const { training, held } = await trainingAndHeld(source, options);
  const { signal } = session.io;
  const trials: Trial[] = [];
  const [l1 = 0] = options.l1 ?? [];
  // As train does.
  const filling = await learnsToFill({ ...options, l1 }, source);
  if (filling) session.say('the table has gaps: for each size the ridge is chosen for filling them in');
  await session.withEngine(options.threads, async (engine) => {
    for (const H of options.hidden) {
      for (const ridge of options.ridge ?? [undefined]) {
        const began = session.seconds;
        const model = await fit(training, {
          ...fitOptions({ ...options, l1 }, H),
          ...(filling ? { ridge: 'auto', validation: 0.1 } : { ridge }),
          engine,
          signal,
          onProgress: showFit(session),
        });
        const found = await model.evaluate(held, { engine, signal });
        const { loss: trainingLoss, ridge: used } = model.training;
        const guessed = encodingOf(model.encoding).discrete
          ? undefined
          : await model.chooseShrink(held, { engine, signal, hide: options.hide });
        const trial = {
          H,
          ridge: used,
          l1,
          trainingLoss,
          heldOutLoss: found.loss,
          entryLoss: finite(guessed?.entryLoss),
          entryLossAtBaseRates: finite(guessed?.entryLossAtBaseRates),
        };
        trials.push({ ...trial, seconds: session.seconds - began });
        session.say(`H ${H}, ridge ${number(used)}: ${lossesText(trial)}`);
      }
    }
  });
  return { n: training.n, held: held.n, trials };
}

/** Sizes from the smallest to the largest, each starting from the units of the one before. */
async function sweepGrowing(source: OpenedSource, options: SweepOptions, session: Session): Promise<Swept> {
  const Hs = [...new Set(options.hidden)].sort((a, b) => a - b);
  const { hide, ridge } = options;
  const [l1 = 0] = options.l1 ?? [];
  const heldOut = options.heldOut as number;
  const trials: Trial[] = [];
  await session.withEngine(options.threads, async (engine) => {
    const { H: _, ...learning } = fitOptions({ ...options, l1 }, Hs[0]);
    const { signal } = session.io;
    await pathH(source, {
      ...learning,
      Hs,
      heldOut,
      hide,
      ridge: ridge?.[0],
      engine,
      signal,
      onProgress: ({ epoch, fraction }) =>
        session.progress.update(() => `epoch ${epoch + 1}  ${Math.floor(100 * fraction)}%`),
      onStep({ H, model, trainingLoss, entryLoss, entryLossAtBaseRates, heldOutLoss, seconds }) {
        trials.push({
          H,
          ridge: model.training.ridge,
          l1,
          trainingLoss,
          heldOutLoss,
          seconds,
          entryLoss: finite(entryLoss),
          entryLossAtBaseRates: finite(entryLossAtBaseRates),
        });
        session.say(`H ${H}: ${lossesText({ entryLoss, heldOutLoss })}`);
      },
    });
  });
  const held = heldCount(source.n, heldOut);
  return { n: source.n - held, held, trials };
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

function lossesText({ entryLoss, heldOutLoss }: Pick<Trial, 'entryLoss' | 'heldOutLoss'>): string {
  const guessed = entryLoss === undefined ? '' : `hidden entries ${number(entryLoss)}, `;
  return `${guessed}held-out loss ${number(heldOutLoss)}`;
}
