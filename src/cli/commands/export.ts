import { type Command, Option } from 'commander';
import type { EncoderAccuracy } from '../../export/accuracy.ts';
import { modelJson, modelNpz } from '../../export/arrays.ts';
import { exportDecoder } from '../../export/decoder.ts';
import { measuredEncoder } from '../../export/encoder.ts';
import { writeAtomic } from '../../formats/node/atomic.ts';
import { openSource } from '../../formats/node/open.ts';
import type { PCAE } from '../../model/model.ts';
import { counted } from '../../rows/counted.ts';
import { claimFile } from '../claim.ts';
import { document } from '../document.ts';
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { openModel } from '../model.ts';
import { whole } from '../parse.ts';
import { Session } from '../session.ts';
import { number, unitOf } from '../text.ts';

interface ExportOptions {
  readonly output: string;
  readonly to?: 'npz' | 'json' | 'onnx';
  readonly onnx?: 'decoder' | 'encoder';
  readonly steps?: number;
  readonly takeMissing?: boolean;
  readonly heldOut?: string;
  readonly force?: boolean;
}

export function addExport(program: Command, io: Io): void {
  const command = program
    .command('export')
    .description(
      'Writes a model for other programs. Arrays: W is V x H (decoding weights), bias V (zeros ' +
        'without a bias unit), B V x H (remembered correlations), means V; in .npz files the text ' +
        '`about` holds the rest as JSON. A code e decodes to transfer(W e + bias); for cross-entropy ' +
        'that is tanh((W e + bias) / 2). ONNX: the decoder turns codes into probabilities and ' +
        'reconstructions; the encoder turns rows of 0 to 1 into codes by a fixed number of steps, ' +
        'without a proof. --held-out measures what that costs.',
    )
    .argument('<model>', 'a model file')
    .requiredOption('-o, --output <file>', 'where it goes: .npz (numpy), .json or .onnx')
    .addOption(
      new Option('--to <format>', 'format to write (default: by the ending)').choices([
        'npz',
        'json',
        'onnx',
      ]),
    )
    .addOption(
      new Option('--onnx <part>', 'write this part as ONNX (default for .onnx: decoder)').choices([
        'decoder',
        'encoder',
      ]),
    )
    .option('--steps <count>', 'steps of the ONNX encoder for every row (default: 60)', whole(1))
    .option('--take-missing', 'the ONNX encoder accepts NaN as a missing entry')
    .option('--held-out <file>', 'rows to measure the ONNX encoder on; the first 256 are used')
    .option('--force', 'overwrite the output')
    .action(async (modelPath: string, options: ExportOptions) => {
      const session = new Session(command, io);
      const { output, force } = options;
      const ending = /\.(npz|json|onnx)$/i.exec(output)?.[1].toLowerCase();
      const format = options.onnx ? 'onnx' : (options.to ?? ending);
      if (format === undefined) throw new UsageError(`${output}: name it .npz, .json or .onnx, or use --to`);
      if (options.onnx && (options.to ?? ending ?? 'onnx') !== 'onnx') {
        throw new UsageError(
          `--onnx writes ONNX, not ${options.to ?? ending}: give ${output} the ending .onnx`,
        );
      }
      if (options.onnx !== 'encoder' && (options.steps || options.takeMissing || options.heldOut)) {
        throw new UsageError(
          '--steps, --take-missing and --held-out are for the encoder: use --onnx encoder',
        );
      }
      await claimFile(session, output, force, [modelPath, options.heldOut]);
      const model = await openModel(modelPath);
      const { bytes, accuracy } =
        format === 'onnx'
          ? await onnx(model, options)
          : { bytes: format === 'npz' ? modelNpz(model) : modelJson(model), accuracy: undefined };
      await writeAtomic(output, [bytes], { force });
      const { V, H } = model;
      const what = format === 'onnx' ? `${options.onnx ?? 'decoder'} as ONNX` : format;
      const measured = accuracy ? accuracyLine(accuracy, unitOf(model.reconstructionLoss)) : '';
      await session.result(
        { output, format, V, H, accuracy },
        `${output}: ${what}, V ${V}, H ${H}\n${measured}`,
      );
    });
  document(command, {
    examples: {
      'pcae export model.safetensors -o model.npz': 'for numpy.load',
      'pcae export model.safetensors -o model.json': 'for anything else',
      'pcae export model.safetensors -o decoder.onnx': 'codes to probabilities, in any ONNX runtime',
      'pcae export model.safetensors --onnx encoder --held-out test.csv -o e.onnx':
        'rows to codes; their accuracy is printed and stored in the file',
    },
    json: {
      output: 'the file written',
      format: 'npz, json or onnx',
      V: 'columns',
      H: 'hidden units',
      accuracy:
        'with --held-out, {n, loss, excess: {mean, max}}: rows measured on, their mean loss at the best codes, and how ' +
        'much more the codes of the ONNX encoder cost',
    },
  });
}

async function onnx(
  model: PCAE,
  options: ExportOptions,
): Promise<{ readonly bytes: Uint8Array; readonly accuracy?: EncoderAccuracy }> {
  if (options.onnx !== 'encoder') return { bytes: exportDecoder(model) };
  const { steps, takeMissing, heldOut: path } = options;
  if (path === undefined) return measuredEncoder(model, { steps, takeMissing });
  const rows = await openSource(path, { like: model });
  for await (const heldOut of rows.chunks(VALIDATION_ROWS)) {
    return measuredEncoder(model, { steps, takeMissing, heldOut });
  }
  throw new UsageError(`${path}: has no rows to measure the encoder on`);
}

const VALIDATION_ROWS = 256;

function accuracyLine({ n, loss, excess }: EncoderAccuracy, unit: string): string {
  const more = `mean ${number(excess.mean)}, max ${number(excess.max)} ${unit}`;
  return `its codes cost more than the best ones by: ${more} (${counted(n, 'row')}, which cost ${number(loss)} at the best)\n`;
}
