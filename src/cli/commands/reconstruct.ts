import type { Command } from 'commander';
import type { Shrunk } from '../../model/impute.ts';
import { addDataOptions, type DataOptions, describeData, openForModel } from '../data.ts';
import { type Documentation, document } from '../document.ts';
import { checkCodeOptions, toleranceOption } from '../effort.ts';
import type { Io } from '../io.ts';
import { openAnyModel } from '../model.ts';
import { checkOutput, reportWritten, toOption } from '../output.ts';
import { notNegative, whole } from '../parse.ts';
import { asOption, type ReconstructingOptions, writeReconstructions, writtenAs } from '../reconstructions.ts';
import { Session } from '../session.ts';
import { number, unitOf } from '../text.ts';

export function addReconstruct(program: Command, io: Io): void {
  const command = program
    .command('reconstruct')
    .description(
      'Writes the reconstruction of every row, in order, as it comes, known entries and missing ones alike (`pcae ' +
        'impute` keeps the known ones). Without -o: CSV to standard output.',
    )
    .addOption(toleranceOption());
  writeRows(command, io, {
    fill: false,
    examples: [
      ['pcae reconstruct model.safetensors data.csv -o reconstructed.csv', 'probabilities for every entry'],
      ['pcae reconstruct model.safetensors data.csv --as bits -o rounded.csv', 'the likelier value of each'],
    ],
  });
}

export function addImpute(program: Command, io: Io): void {
  const command = program
    .command('impute')
    .description(
      'Encodes each row by what is known of it, and writes it with its missing entries decoded; known entries stay as ' +
        'they are. The best code of a row would be far too sure of what it did not see: codes are drawn towards 0 by as ' +
        'much as some known entries ask for, which are hidden and guessed. Without -o: CSV to standard output.',
    )
    .option(
      '--shrink <x>',
      'how far codes are drawn towards 0 (default: found by guessing known entries)',
      notNegative,
    );
  writeRows(command, io, {
    fill: true,
    examples: [
      ['pcae impute model.safetensors survey.csv -o filled.csv', 'the probability of each missing answer'],
      ['pcae impute model.safetensors people.csv --as categories -o filled.csv', 'its most likely word'],
    ],
  });
}

interface RowsOptions extends DataOptions, ReconstructingOptions {
  /** Only where rows are filled in. */
  readonly shrink?: number;
}

/** What the two commands have in common: rows go in, rows come out, reconstructed or filled in. */
function writeRows(
  command: Command,
  io: Io,
  { fill, examples }: { readonly fill: boolean; readonly examples: Documentation['examples'] },
): void {
  command
    .argument('<model>', 'a model file')
    .argument('<data>', 'a file of rows, a folder of pictures, or - for standard input')
    .option('-o, --output <file>', 'where the rows go: .npy, .csv, .tsv, .bits, .parquet or .jsonl')
    .addOption(toOption())
    .addOption(asOption())
    .option('--force', 'overwrite the output')
    .option('--threads <count>', 'threads to use (default: one for each core, 8 at most)', whole(1));
  addDataOptions(command).action(async (modelPath: string, dataPath: string, options: RowsOptions) => {
    const session = new Session(command, io);
    await checkOutput(options.output, options.force, [modelPath, dataPath]);
    const model = await openAnyModel(modelPath);
    checkCodeOptions(options, model);
    const as = writtenAs(options, session, model);
    const source = await openForModel(dataPath, model, options, session);
    const { n, V } = source;
    const shrunk = await writeReconstructions(session, model, source, options, fill);
    if (Number.isFinite(shrunk?.entryLoss))
      for (const line of entriesText(shrunk!, unitOf(model.reconstructionLoss))) session.say(line);
    await reportWritten(session, options, { n, V, as, ...shrunk, data: describeData(source) });
  });
  document(command, {
    examples,
    json: {
      n: 'rows written',
      V: 'columns',
      as: 'what entries are written as: unit, signs, bits or categories',
      ...(fill && {
        shrink:
          'how far codes were drawn towards 0: (shrink/2) |e|^2 was added to the loss of a row; for models of one layer',
        entryLoss: 'mean loss of known entries that were hidden and guessed, where they were',
        entryLossUnshrunk: 'the same at codes that were not drawn towards 0',
        entryLossAtBaseRates: 'the same for guesses by how often each column is 1 alone',
      }),
      output: 'the file written',
      seconds: 'wall-clock seconds',
      data: '{name, format, n, V, kind, values, binarize}: how the data were read',
    },
  });
}

function entriesText(shrunk: Shrunk, unit: string): string[] {
  const { entryLoss = 0, entryLossUnshrunk = 0, entryLossAtBaseRates = 0 } = shrunk;
  const others = `${number(entryLossAtBaseRates)} by base rates alone, ${number(entryLossUnshrunk)} at codes that were not drawn towards 0`;
  const found = `known entries that were hidden cost ${number(entryLoss)} ${unit} each (${others})`;
  if (entryLoss < entryLossAtBaseRates) return [found];
  return [
    found,
    'warning: base rates guess better than this model; learn it with --ridge auto --validation 0.1, or with the size ' +
      'that `pcae sweep` finds',
  ];
}
