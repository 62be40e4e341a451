import type { Command } from 'commander';
import type { PCAE } from '../../model/model.ts';
import type { Shrunk } from '../../model/shrunk.ts';
import type { Stack } from '../../model/stack.ts';
import type { Filling } from '../../promises/filled.ts';
import { count, percent } from '../../promises/words.ts';
import { claimOutput } from '../claim.ts';
import { addDataOptions, DATA_FIELDS, type DataOptions, describeData, openForModel } from '../data.ts';
import { document } from '../document.ts';
import { checkCodeOptions, toleranceOption } from '../effort.ts';
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { openAnyModel } from '../model.ts';
import { reportWritten, toOption } from '../output.ts';
import { notNegative, threadsOption } from '../parse.ts';
import { confidenceOption, share } from '../promises.ts';
import {
  asOption,
  type FilledIn,
  type ReconstructingOptions,
  writeReconstructions,
  writtenAs,
  writtenColumns,
} from '../reconstructions.ts';
import { Session } from '../session.ts';
import { number, unitOf } from '../text.ts';

interface ReconstructOptions extends DataOptions, ReconstructingOptions {
  readonly fill?: boolean;
  readonly shrink?: number;
  readonly wrong?: number;
  readonly confidence: number;
}

export function addReconstruct(program: Command, io: Io): void {
  const command = program
    .command('reconstruct')
    .description(
      'Encodes each row by its known entries and writes what the code decodes to, in order. With ' +
        '--fill, known entries stay as they are and only missing ones are filled in. The best code of a ' +
        'row is too sure of entries it has not seen, so --fill pulls codes towards 0. How far is chosen ' +
        'by hiding some known entries and checking the guesses. Without -o: CSV to standard output.',
    )
    .argument('<model>', 'a model file')
    .argument('<data>', 'a file of rows, a folder of pictures, or - for standard input')
    .option('--fill', 'keep known entries and fill in missing ones')
    .option('--shrink <x>', 'with --fill: how far codes are pulled towards 0 (default: chosen)', notNegative)
    .option(
      '--wrong <share>',
      'with --fill and a calibrated model: fill in only the entries that the model is sure of, so that at most ' +
        'this share of them is wrong',
      share,
    )
    .addOption(confidenceOption())
    .option('-o, --output <file>', 'where the rows go: .npy, .csv, .tsv, .bits, .parquet or .jsonl')
    .addOption(toOption())
    .addOption(asOption())
    .addOption(toleranceOption())
    .option('--force', 'overwrite the output')
    .addOption(threadsOption());
  addDataOptions(command).action(async (modelPath: string, dataPath: string, options: ReconstructOptions) => {
    const session = new Session(command, io);
    const { fill = false, shrink } = options;
    if (shrink !== undefined && !fill) throw new UsageError('--shrink is for missing entries: add --fill');
    if (options.wrong !== undefined && !fill)
      throw new UsageError('--wrong is for missing entries: add --fill');
    if (options.wrong !== undefined && shrink !== undefined)
      throw new UsageError('--wrong pulls codes towards 0 as far as the calibration did: leave --shrink out');
    await claimOutput(session, options.output, options.force, [modelPath, dataPath]);
    const model = await openAnyModel(modelPath);
    checkCodeOptions(options, model);
    const as = writtenAs(options, session, model);
    const source = await openForModel(dataPath, model, options, session);
    const { n, V } = source;
    const filled = await writeReconstructions(session, model, source, options, fill);
    if (Number.isFinite(filled?.entryLoss)) for (const line of entriesText(filled!, model)) session.say(line);
    if (filled?.filling) session.say(fillingText(filled, filled.filling, options.wrong!, options.confidence));
    const facts = { n, V, as, ...filled, data: describeData(source) };
    await reportWritten(session, options, facts, {
      columns: writtenColumns(as, model),
      more: filled && !filled.filling ? `, ${filledText(filled)}` : '',
    });
  });
  document(command, {
    first: 'output fill wrong as to shrink force rows columns',
    examples: {
      'pcae reconstruct model.safetensors data.csv -o rows.csv': 'probabilities for every entry',
      'pcae reconstruct model.safetensors data.csv --as bits -o rows.csv': 'the more likely value of each',
      'pcae reconstruct model.safetensors survey.csv --fill -o filled.csv': 'fill in missing answers',
      'pcae reconstruct model.safetensors survey.csv --fill --wrong 0.01':
        'only as many as keep wrong ones below 1%',
      'pcae reconstruct model.safetensors people.csv --fill --as words': 'the most likely word of each',
    },
    json: {
      n: 'rows written',
      V: 'columns',
      as: 'what entries are written as: unit, signs, bits or words',
      shrink:
        'with --fill: how far codes were pulled towards 0: (shrink/2) |e|^2 was added to the loss of a row; for models of ' +
        'one layer',
      entryLoss: 'with --fill: mean loss of known entries that were hidden and guessed',
      entryLossAlone:
        'with neighbours: entryLoss by codes alone; both were measured on validation rows while learning',
      entryLossUnshrunk: 'entryLoss at codes that were not pulled towards 0',
      entryLossAtBaseRates: 'entryLoss of guesses that know only the share of ones in each column',
      filling:
        'with --wrong: {threshold, filled, wrong}: `threshold` is how probable a guess has to be; of the hidden entries of the ' +
        'calibration rows, the share `filled` was filled in, and of these the share `wrong` was wrong',
      missing: 'with --fill: how many entries were missing; a category counts as one',
      filledIn: 'with --fill: how many missing entries were filled in',
      output: 'the file written',
      seconds: 'wall-clock seconds',
      data: DATA_FIELDS,
    },
  });
}

function filledText({ missing }: FilledIn): string {
  if (missing === 0) return 'no entry was missing';
  return missing === 1 ? '1 missing entry filled in' : `${count(missing)} missing entries filled in`;
}

function fillingText(
  { missing, filledIn }: FilledIn,
  { threshold }: Filling,
  wrong: number,
  confidence: number,
): string {
  if (threshold > 1)
    return (
      'note: nothing is filled in, because the calibration rows are too few, or the guesses too uncertain, for this promise; allow ' +
      'more wrong entries (--wrong), or calibrate with more rows'
    );
  const done = `filled in ${count(filledIn)} of ${count(missing)} missing entries, each at least ${percent(Number(threshold.toPrecision(4)))} sure`;
  return `${done}; at most ${percent(wrong)} of what is filled in is wrong (${percent(confidence)} confidence, if entries are missing at random)`;
}

/** What hidden entries cost, and what to do if that is too much. */
function entriesText(shrunk: Partial<Shrunk>, model: PCAE | Stack): string[] {
  const unit = unitOf(model.reconstructionLoss);
  if (shrunk.entryLossAlone !== undefined) {
    const found = `${number(shrunk.entryLoss ?? 0)} ${unit} each (${number(shrunk.entryLossAlone)} by the codes alone)`;
    return [`while learning, hidden entries of validation rows cost ${found}`];
  }
  const { entryLoss = 0, entryLossAtBaseRates = 0 } = shrunk;
  const chosen = 'ridgeChosen' in model.training && model.training.ridgeChosen;
  const found = `known entries that were hidden and guessed cost ${number(entryLoss)} ${unit} each; by base rates alone ${number(entryLossAtBaseRates)}`;
  if (entryLoss < entryLossAtBaseRates) return [found];
  return [
    found,
    `warning: base rates guess better than this model; learn it with --neighbours${chosen ? '' : ' or --ridge auto'}, or with the size ` +
      'that `pcae sweep` finds',
  ];
}
