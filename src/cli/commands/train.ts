import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Engine } from '../../engine/engine.ts';
import { suitsGpu } from '../../engine/gpu/choice.ts';
import { openSource } from '../../formats/node/open.ts';
import type { OpenedSource } from '../../formats/options.ts';
import { fit } from '../../model/fit.ts';
import type { PCAE } from '../../model/model.ts';
import { checkpointFile } from '../../node/checkpoints.ts';
import { saveModel } from '../../node/save-model.ts';
import type { RowSource } from '../../rows/source.ts';
import { METRICS } from '../../vectors/vectors.ts';
import { addChosenOptions, type ChosenOptions, chosenCorrelations } from '../chosen.ts';
import { checkModelName, checkpointOf, claimFile } from '../claim.ts';
import { checkCombinations } from '../combinations.ts';
import { addDataOptions, columnNote, dataLine, openOptions } from '../data.ts';
import { document } from '../document.ts';
import { type EngineName, engineOption, gpuFor, type Work } from '../engine.ts';
import { UsageError } from '../errors.ts';
import { parseValidation } from '../held-out.ts';
import type { Io } from '../io.ts';
import { listOf, notNegative, positive, whole } from '../parse.ts';
import { confidenceOption, share } from '../promises.ts';
import { chooseStart, howToGoOn, identify, resuming } from '../resume.ts';
import { Session } from '../session.ts';
import { counted } from '../text.ts';
import { summary, TRAIN_FIELDS, trained } from '../trained.ts';
import { interruptible, showFit } from '../training.ts';
import { addTrainingOptions, checkUnits, fitOptions, NEIGHBOURS } from '../training-options.ts';
import { forFilling, heldToCalibrate, type RowOptions, weightsAndNoise } from './train-rows.ts';

interface TrainOptions extends RowOptions, ChosenOptions {
  readonly hidden: number;
  readonly layers?: readonly number[];
  readonly codes?: string;
  readonly tolerance?: number;
  readonly ellipsoid?: number;
  readonly output: string;
  readonly confidence: number;
  readonly checkpointEvery: number;
  readonly resume?: boolean;
  readonly force?: boolean;
  readonly engine: EngineName;
  readonly metric?: string;
}

export function addTrain(program: Command, io: Io): void {
  const command = program
    .command('train')
    .description(
      'Learns an autoencoder from rows of bits (or of values between 0 and 1) and writes it to a ' +
        'file. A checkpoint is kept beside the output while learning. After Ctrl-C or a crash, the same ' +
        'command with --resume continues from it and ends with the same model.',
    )
    .argument('<data>', 'a file of rows, a folder of pictures, or - for standard input')
    .option('-H, --hidden <count>', 'units: how many numbers a code has', whole(1))
    .option(
      '--layers <count,...>',
      'instead of -H: learn a stack of layers; the last size is that of the codes',
      listOf(whole(1)),
    )
    .option(
      '--codes <file>',
      'instead of -H: learn the best decoder for these codes of the rows, which may come from any program; in the ' +
        'order of the rows',
    )
    .requiredOption('-o, --output <file>', 'where the model goes, a .safetensors file')
    .option('--checkpoint-every <seconds>', 'how often to save a checkpoint', positive, 60)
    .option('--resume', 'continue from the checkpoint beside the output, if there is one')
    .option('--force', 'overwrite the output, and start afresh if there is a checkpoint');
  addChosenOptions(addTrainingOptions(command).addOption(engineOption()))
    .option(
      '--ridge <x>',
      'penalty on weights and codes; auto chooses the one under which hidden entries are predicted best',
      parseRidge,
    )
    .option(
      '--neighbours [count]',
      `for filling in: guess each entry also from this many other columns of its row (default: ${NEIGHBOURS}); the ` +
        'weights of these columns and the ridge are chosen by guessing hidden entries',
      parseNeighbours,
    )
    .option(
      '--validation <share|file>',
      'rows held out to decide when to stop: a share such as 0.1, or a file',
      parseValidation,
    )
    .option(
      '--calibrate <share|file>',
      'rows held out to calibrate promises about new rows: a share such as 0.1, or a file',
      parseValidation,
    )
    .addOption(confidenceOption())
    .option(
      '--ellipsoid <confidence>',
      'with --codes: learn the decoder with the smallest worst case over all correlations that the source ' +
        'of the rows may have, at this confidence, instead of a ridge; made for tens of columns and ' +
        'thousands of rows',
      share,
    )
    .option(
      '--tolerance <nats>',
      'with --codes: learn until the weights are proven to be this close to the best (default: 0.01)',
      positive,
    )
    .option('--row-weights <file>', 'how much each row counts: one number per row, in a text or .npy file')
    .option('--column-weights <file>', 'how much each column counts: one number per column')
    .option(
      '--noise <mask:share>',
      'this share of the ones was erased from the rows: learn to decode them as they were before',
      parseNoise,
    )
    .option('--clean <file>', 'the same rows without noise: learn to decode these');
  command.addOption(
    new Option('--metric <name>', 'with --values vectors: how to measure similarity').choices(METRICS),
  );
  addDataOptions(command, ['vectors']).action((dataPath: string, options: TrainOptions) =>
    train(dataPath, options, command, new Session(command, io)),
  );
  document(command, {
    first: 'hidden output layers encoding neighbours ridge validation calibrate time seed resume force',
    examples: {
      'pcae train data.csv -H 16 -o model.safetensors': 'sixteen numbers for each row of a table of 0 and 1',
      'pcae train survey.csv -H 8 --neighbours -o model.safetensors':
        'a model for filling in missing entries',
      'pcae train data.csv -H 16 --calibrate 0.1 -o model.safetensors':
        'a model that promises what new rows cost at most',
      'pcae train words.npy --values vectors --metric cosine -H 64 -o w.safetensors':
        'codes of 64 bits that find the neighbours of vectors',
      'pcae train data.csv -H 16 -o model.safetensors --resume': 'continue after an interruption',
      'pcae train data.csv --layers 64,16 -o stack.safetensors': 'a stack of two layers, in one file',
      'pcae train data.csv -H 16 --l1 0.01 -o model.safetensors':
        'sparse weights, safe if correlations drift',
      'pcae train digits.idx -H 64 --local 10/6 -o model.safetensors':
        'units that see a patch of 10 x 10 pixels each',
      'pcae train data.csv --codes codes.npy -o decoder.safetensors':
        'the best decoder for codes of another program',
    },
    json: TRAIN_FIELDS,
  });
}

async function train(
  dataPath: string,
  options: TrainOptions,
  command: Command,
  session: Session,
): Promise<void> {
  const { layers, codes } = options;
  checkOptions(options);
  checkCombinations(command);
  const { validation, calibrate: other, clean, chosen, l1File, rowWeights, columnWeights } = options;
  const inputs = [dataPath, codes, validation, other, clean, chosen, l1File, rowWeights, columnWeights];
  await claimFile(session, options.output, options.force, inputs);
  checkModelName(options.output);
  if (isVectors(options))
    return (await import('./train-vectors.ts')).trainVectors(dataPath, command, session);
  const opened = await openSource(dataPath, openOptions(options, session.io.signal));
  session.say(dataLine(opened));
  const { source, calibrating } = await heldToCalibrate(opened, options);
  const note = columnNote(source);
  if (note) session.say(note);
  if (layers) return (await import('./train-stack.ts')).trainStack(source, command, session);
  if (codes) return (await import('./train-codes.ts')).trainOnCodes(source, command, session);
  checkUnits([options.hidden], source);
  const few = sizeNote(options.hidden, source);
  if (few) session.say(few);
  const checkpoints = checkpointFile(checkpointOf(options.output), identify(source));
  const resume = await chooseStart(checkpoints, options, session);
  const correlations = await chosenCorrelations(options, source, options.hidden);
  const task = { source, checkpoints, resume, correlations };
  const model = await interruptible(
    session,
    () => howToGoOn(checkpoints),
    async () =>
      session.withEngine(
        options.threads,
        (engine) => learn(engine, task, options, session),
        await gpuFor(options.engine, workOf(options, source)),
      ),
  );
  const calibrated = calibrating ? await calibrateWith(model, calibrating, options, session) : model;
  await saveModel(options.output, calibrated, { force: options.force });
  await checkpoints.remove();
  await session.result(trained(calibrated, options, source), summary(calibrated, options));
}

/** Refuses options without the one that they belong to. */
function checkOptions(options: TrainOptions): void {
  const { layers, codes, tolerance } = options;
  if (!isVectors(options) && options.hidden === undefined && layers === undefined && codes === undefined)
    throw new UsageError('say how many numbers a code has: -H 16, or --layers 64,16');
  if (options.metric !== undefined && !isVectors(options))
    throw new UsageError('--metric is for --values vectors');
  if (options.ellipsoid !== undefined && codes === undefined)
    throw new UsageError('--ellipsoid is for --codes; --l1 makes weights safe for correlations that drift');
  if (tolerance !== undefined && codes === undefined)
    throw new UsageError('--tolerance is for --codes; --min-improvement says when learning ends');
}

/** What is learned from, and from where learning continues. */
interface Task {
  readonly source: OpenedSource;
  readonly checkpoints: ReturnType<typeof checkpointFile>;
  readonly resume: Awaited<ReturnType<typeof chooseStart>>;
  readonly correlations: Awaited<ReturnType<typeof chosenCorrelations>>;
}

/** Learns a model; with --keep-strongest once more, with the strongest correlations only. */
async function learn(
  engine: Engine,
  { source, checkpoints, resume, correlations }: Task,
  options: TrainOptions,
  session: Session,
): Promise<PCAE> {
  const learning = {
    ...fitOptions(options, options.hidden),
    // The command's time counts from its start.
    timeBudget: options.time && Math.max(0.001, options.time - session.seconds),
    ...(await forFilling(options, source, session)),
    ...correlations,
    ...(await weightsAndNoise(options, source)),
    engine,
    signal: session.io.signal,
  };
  const checkpoint = { every: options.checkpointEvery, save: checkpoints.save };
  // Only learning itself shows whether the checkpoint fits.
  const greeting = resume && `continuing from ${checkpoints.path}, epoch ${resume.progress.epoch + 1}`;
  const first = await resuming(checkpoints.path, () =>
    fit(source, { ...learning, checkpoint, resume, onProgress: showFit(session, greeting) }),
  );
  const k = options.keepStrongest;
  if (k === undefined) return first;
  session.say(`learning again with the ${k} strongest units of each column`);
  const { strongestMask } = await import('../../model/masks.ts');
  const again = { chosen: strongestMask(first, k), start: first.W, ridge: first.training.ridge };
  return fit(source, { ...learning, ...again, onProgress: showFit(session) });
}

/**
 * What to say about a size that makes codes longer than rows, or that can tell all rows apart by themselves.
 */
function sizeNote(H: number, { n, V }: RowSource): string | undefined {
  const codes = `note: codes of ${counted(H, 'number')}`;
  if (H >= V) return `${codes} are not shorter than the rows, which have ${counted(V, 'column')}`;
  if (H >= n) return `${codes} can learn ${counted(n, 'row')} by heart; new rows will cost more`;
  return undefined;
}

/** Whether the data are vectors, for which codes of bits are learned, and not rows of bits. */
function isVectors({ values }: { readonly values?: string }): boolean {
  return values === 'vectors';
}

const parseNeighbours = whole(0);

function parseRidge(text: string): number | 'auto' {
  return text === 'auto' ? 'auto' : notNegative(text);
}

/** The value of --noise: the only kind of noise that can be corrected without the clean rows is a mask. */
function parseNoise(text: string): { readonly mask: number } {
  const [kind, share] = text.split(':');
  const mask = Number(share);
  if (kind === 'mask' && share?.trim() && mask >= 0 && mask < 1) return { mask };
  throw new InvalidArgumentError(
    'Expected mask and a share below 1, as in mask:0.25; other noise needs --clean.',
  );
}

/** What the GPU engine would have to do. */
function workOf(options: TrainOptions, { n, V }: RowSource): Work {
  const { encoding, algorithm, loss, l1, l1File, hidden, noise, clean } = options;
  const plain = !(l1 > 0) && l1File === undefined && noise === undefined && clean === undefined;
  const suits = suitsGpu(encoding, loss) && plain && algorithm === 'fast';
  return { suits, size: n * V * hidden, codes: { encoding, H: hidden } };
}

async function calibrateWith(
  model: PCAE,
  rows: RowSource,
  options: TrainOptions,
  session: Session,
): Promise<PCAE> {
  const { calibrate } = await import('../../model/calibrate.ts');
  return session.withEngine(options.threads, (engine) =>
    calibrate(model, rows, {
      engine,
      signal: session.io.signal,
      seed: options.seed,
      onProgress: session.showing('calibrating'),
    }),
  );
}
