import type { Command } from 'commander';
import { openSource } from '../../formats/node/open.ts';
import type { Loss } from '../../losses/loss.ts';
import { fitDecoder } from '../../model/decoder.ts';
import { PCAE } from '../../model/model.ts';
import { saveModel } from '../../node/model-files.ts';
import { FormatError } from '../../rows/errors.ts';
import { collect } from '../../rows/memory.ts';
import { openCodes } from '../codes.ts';
import { addDataOptions, type DataOptions, dataLine, describeData, openOptions } from '../data.ts';
import { document } from '../document.ts';
import type { Io } from '../io.ts';
import { checkFile } from '../output.ts';
import { notNegative, positive, whole } from '../parse.ts';
import { Session } from '../session.ts';
import { list, number, unitOf } from '../text.ts';
import { lossOption } from '../training-options.ts';

interface FitDecoderOptions extends DataOptions {
  readonly output: string;
  readonly loss: Loss;
  readonly ridge?: number;
  readonly l1?: number;
  readonly bias: boolean;
  readonly tolerance: number;
  readonly threads?: number;
  readonly force?: boolean;
}

export function addFitDecoder(program: Command, io: Io): void {
  const command = program
    .command('fit-decoder')
    .description(
      'Learns the worst-case optimal decoding layer for codes that anything made, an autoencoder say, and the rows ' +
        'they stand for, and writes it as a model. The weights are proven to be within the tolerance of the best.',
    )
    .argument('<codes>', 'codes, one a row: .npy, .csv, .tsv, .parquet or .jsonl; any scale')
    .argument('<data>', 'the rows, in the same order')
    .requiredOption('-o, --output <file>', 'where the model goes, a .safetensors file')
    .addOption(lossOption())
    .option(
      '--ridge <x>',
      'penalty on the weights, for codes of unit deviation (default: 0.6 / rows)',
      notNegative,
    )
    .option(
      '--l1 <x>',
      'correlations are trusted to within x: sparser weights, in the place of the ridge',
      notNegative,
    )
    .option('--no-bias', 'no unit for the base rates of the bits')
    .option('--tolerance <nats>', 'prove the weights to be this close to the best', positive, 0.01)
    .option('--force', 'overwrite the output')
    .option('--threads <count>', 'threads to use (default: one for each core, 8 at most)', whole(1));
  addDataOptions(command).action(async (codesPath: string, dataPath: string, options: FitDecoderOptions) => {
    const session = new Session(command, io);
    await checkFile(options.output, options.force, [codesPath, dataPath]);
    const source = await openSource(dataPath, openOptions(options, io.signal));
    session.say(dataLine(source));
    const codes = await readCodes(codesPath, source.n);
    const rows = await collect(source);
    const { bias, ridge, l1, tolerance } = options;
    const { loss, gap, residual, model } = await session.withEngine(options.threads, (engine) =>
      fitDecoder(codes, rows, { engine, bias, ridge, l1, tolerance, loss: options.loss }),
    );
    const { columns, groups, image } = source;
    await saveModel(options.output, new PCAE({ ...model, columns, groups, image }), { force: options.force });
    const { n, V } = source;
    const unit = unitOf(model.reconstructionLoss);
    await session.result(
      {
        model: options.output,
        n,
        V,
        H: model.H,
        loss,
        gap,
        residual,
        seconds: session.seconds,
        data: describeData(source),
      },
      list([
        ['model', options.output],
        ['loss', `${number(loss)} ${unit} per example, and the worst case for these correlations`],
        [
          'certified gap',
          Number.isFinite(gap)
            ? `${number(gap)} ${unit}: no weights are better by more, what the ridge adds for their size included`
            : 'none: without a ridge nothing is proven',
        ],
        ['residual', `${number(residual)}: the largest difference of a correlation`],
        ['seconds', number(session.seconds)],
      ]),
    );
  });
  document(command, {
    examples: [
      ['pcae fit-decoder codes.npy data.csv -o decoder.safetensors', "decode another program's codes"],
      ['pcae decode decoder.safetensors codes.npy -o decoded.csv', 'what they decode to'],
    ],
    json: {
      model: 'the file written',
      n: 'rows',
      V: 'columns',
      H: 'numbers in a code',
      loss: 'mean loss per row; the worst case over all rows with these codes and correlations',
      gap:
        'no weights have a loss, penalty included, that is lower by more than this, proven; null with --ridge 0, which ' +
        'leaves nothing to prove it by',
      residual:
        'the largest difference of a correlation of the decoder from the data, for codes of unit deviation',
      seconds: 'wall-clock seconds',
      data: '{name, format, n, V, kind, values, binarize}: how the data were read',
    },
  });
}

async function readCodes(path: string, n: number): Promise<Float32Array> {
  const source = await openCodes(path);
  if (source.n !== n) throw new FormatError(path, '', `holds ${source.n} codes for ${n} rows`);
  const codes = new Float32Array(n * source.H);
  let at = 0;
  for await (const part of source.chunks(4096)) {
    codes.set(part, at);
    at += part.length;
  }
  return codes;
}
