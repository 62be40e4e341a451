import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type BitOrder, codesAsRows, packCodes } from '../../bits/pack.ts';
import { encodingOf } from '../../encodings/by-name.ts';
import type { Engine } from '../../engine/engine.ts';
import { suitsGpu } from '../../engine/gpu/choice.ts';
import type { Autoencoder } from '../../model/autoencoder.ts';
import { escapedRows } from '../../model/escape.ts';
import { PCAE } from '../../model/model.ts';
import { counted } from '../../rows/counted.ts';
import { allKnown, type Rows, rowBytes } from '../../rows/rows.ts';
import type { RowSource } from '../../rows/source.ts';
import { claimOutput, namesFile } from '../claim.ts';
import type { DataOptions } from '../data.ts';
import { addDataOptions, DATA_FIELDS, dataLine, describeData, openForModel } from '../data.ts';
import { document } from '../document.ts';
import { addSearchOptions, checkCodeOptions, type SearchOptions, toleranceOption } from '../effort.ts';
import { type EngineName, engineOption, gpuFor } from '../engine.ts';
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { openAnyModel, vectorCodesIn } from '../model.ts';
import { type OutputOptions, outputFormat, toOption, writeRows } from '../output.ts';
import { orderOption } from '../packed-codes.ts';
import { threadsOption } from '../parse.ts';
import { Session } from '../session.ts';
import { list, number, unitOf } from '../text.ts';
import { RowCertificates } from './encode-certificates.ts';

interface EncodeCommandOptions extends DataOptions, OutputOptions, SearchOptions {
  readonly order: BitOrder;
  readonly tolerance?: number;
  readonly certificates?: string;
  readonly escape?: boolean;
  readonly threads?: number;
  readonly engine: EngineName;
}

export function addEncode(program: Command, io: Io): void {
  const command = program
    .command('encode')
    .description(
      'Writes the optimal code of every row, in order, as soon as it is found, so files may be larger ' +
        'than memory. Codes are rows of H numbers; without -o they go to standard output as CSV. Codes ' +
        'of true bits are written as 0 and 1, or packed eight to a byte. In .bits files the first bit of a byte is the ' +
        'least significant. In .npy files (--packed) it is the most significant, as numpy.packbits has it, or with ' +
        '--order lsb the least, as sqlite-vec has it. Codes of a stack have no proof. A model of ' +
        'vectors (train --values vectors) takes vectors and writes codes of bits.',
    )
    .argument('<model>', 'a model file')
    .argument('<data>', 'a file of rows, a folder of pictures, or - for standard input')
    .option('-o, --output <file>', 'where the codes go: .npy, .csv, .tsv, .parquet, .jsonl or .bits')
    .addOption(toOption())
    .option('--force', 'overwrite the output')
    .addOption(toleranceOption())
    .option(
      '--certificates <file>',
      'also write the loss of each row and the gap of its code: .csv, .tsv, .npy, .parquet or .jsonl',
    )
    .option(
      '--escape',
      "write no code for a row that even odds describe better: no row then costs more than the model's ceiling",
    )
    .option('--packed', 'codes of bits in .npy: eight to a byte')
    .addOption(orderOption())
    .addOption(threadsOption())
    .addOption(engineOption());
  addDataOptions(addSearchOptions(command)).action(
    (modelPath: string, dataPath: string, options: EncodeCommandOptions) =>
      encode(modelPath, dataPath, options, command, new Session(command, io)),
  );
  document(command, {
    first: 'output to packed certificates tolerance force binarize rows columns threads',
    examples: {
      'pcae encode model.safetensors data.csv -o codes.npy': 'codes for numpy',
      'pcae encode bits.safetensors data.npy -o codes.npy --packed': 'true bits for a search index',
      'pcae encode model.safetensors data.csv -o codes.npy --certificates c.csv':
        'with the loss and the certificate of each row',
      'gunzip -c big.csv.gz | pcae encode model.safetensors - > codes.csv': 'from and to a pipe',
    },
    json: {
      n: 'rows encoded',
      H: 'numbers in a code',
      output: 'the file written',
      certificates:
        'the file with one line per row: its loss; its gap: another code could lower the loss by this at most; for codes of ' +
        'bits also flips: no change of up to this many bits lowers the loss',
      escaped: 'with --escape: rows without a code',
      loss: 'mean loss per row at these codes',
      gap: '{mean, max} of the gaps: another code could lower the loss of a row by this at most, proven; for bits often far more than other bits could save; absent for a stack',
      seconds: 'wall-clock seconds',
      binarize: 'how grey values became bits: sample, threshold or none',
      data: DATA_FIELDS,
    },
  });
}

async function encode(
  modelPath: string,
  dataPath: string,
  options: EncodeCommandOptions,
  command: Command,
  session: Session,
): Promise<void> {
  const format = outputFormat(options, session);
  if (options.escape && options.packed)
    throw new UsageError(
      '--packed has no room for rows without a code: leave it or --escape out, or write a .bits file',
    );
  await claimOutput(session, options.output, options.force, [modelPath, dataPath]);
  const proofs = options.certificates;
  if (proofs !== undefined) checkProofs(proofs, options, session);
  await claimOutput(session, proofs, options.force, [modelPath, dataPath]);
  const vectors = await vectorCodesIn(modelPath);
  if (vectors)
    return (await import('./encode-vectors.ts')).encodeVectors(vectors, dataPath, command, session);
  const model = await openAnyModel(modelPath);
  checkCodeOptions(options, model);
  const bits = encodingOf(model.encoding).discrete;
  if (options.escape && !(model instanceof PCAE)) throw new UsageError('--escape is for models of one layer');
  checkBits(bits, format, options, model);
  const source = await openForModel(dataPath, model, options, session);
  const { packed, order, escape: masked } = options;
  const certificates = proofs === undefined ? undefined : new RowCertificates(source);
  const totals: Totals = { n: 0, loss: 0, escaped: 0, certificates };
  const suits =
    'reconstructionLoss' in model &&
    suitsGpu(model.encoding, model.reconstructionLoss) &&
    options.effort !== 'exhaustive';
  const size = source.n * source.V * model.H;
  const gpu = await gpuFor(options.engine, { suits, size, codes: suits ? model : undefined });
  const encodeAll = async (engine: Engine) => {
    const codes = codesOf(model, source, options, engine, session, totals);
    await writeRows(codes, options, session, bits ? { packed, order, masked } : { values: 'signs' });
    if (certificates)
      await writeRows(certificates.source(), { output: proofs, force: options.force }, session, {
        values: 'signs',
      });
  };
  await session.withEngine(options.threads, encodeAll, gpu);
  const { n, escaped } = totals;
  const gap = totals.gap && { mean: totals.gap.sum / n, max: totals.gap.max };
  const gapName = encodingOf(model.encoding).words.gap;
  const unit = 'reconstructionLoss' in model ? ` ${unitOf(model.reconstructionLoss)}` : '';
  const certified = gap && `mean ${number(gap.mean)}, max ${number(gap.max)}${unit}`;
  const loss = totals.loss / n;
  const { output } = options;
  if (!namesFile(output)) {
    session.say(`${counted(n, 'code')}${certified ? `, ${gapName}: ${certified}` : ''}`);
    return;
  }
  const { seconds } = session;
  const inBytes = packed ? `, ${counted(rowBytes(model.H), 'byte')} each` : '';
  await session.result(
    {
      n,
      H: model.H,
      output,
      certificates: proofs,
      escaped: options.escape && escaped,
      loss,
      gap,
      seconds,
      binarize: source.schema.binarize,
      data: describeData(source),
    },
    list([
      ['data', dataLine(source)],
      ['codes', `${output}: ${counted(n, 'code')} of ${model.H} ${bits ? 'bits' : 'numbers'}${inBytes}`],
      ['no code', options.escape ? `${counted(escaped, 'row')}, which even odds describe better` : undefined],
      [gapName, certified],
      ['certificates', proofs && `${proofs}: of each row`],
      ['seconds', number(seconds)],
    ]),
  );
}

/** Refuses options and files of packed bits for other codes than bits. */
function checkBits(
  bits: boolean,
  format: string | undefined,
  { packed, order }: EncodeCommandOptions,
  { encoding }: Autoencoder,
): void {
  if (!bits && (packed || format === 'bits')) {
    throw new UsageError(
      `${packed ? '--packed is' : '.bits files are'} for codes of bits; this model has ${encoding} ` +
        'codes: write them to .npy, .csv, .tsv, .parquet or .jsonl',
    );
  }
  if (order === 'lsb' && !packed) throw new UsageError('--order is for --packed');
}

/** Refuses certificates in the same file as the codes, or in a format that holds no numbers. */
function checkProofs(proofs: string, { output }: OutputOptions, session: Session): void {
  if (proofs === '-')
    throw new UsageError('--certificates - : standard output is for the codes; name a file');
  if (output !== undefined && resolve(output) === resolve(proofs))
    throw new UsageError('--certificates and -o name the same file');
  if (outputFormat({ output: proofs }, session) === 'bits')
    throw new UsageError('--certificates are numbers: write them to .csv, .tsv, .npy, .parquet or .jsonl');
}

/** Sums over the rows, with gaps if codes are proven. */
interface Totals {
  n: number;
  loss: number;
  /** Rows without a code, which even odds describe better. */
  escaped: number;
  gap?: { sum: number; max: number };
  readonly certificates?: RowCertificates;
}

/** The codes as a source of rows, encoded piece by piece while it is read. */
function codesOf(
  model: Autoencoder,
  source: RowSource,
  options: EncodeCommandOptions,
  engine: Engine,
  session: Session,
  totals: Totals,
): RowSource {
  return {
    n: source.n,
    V: model.H,
    ids: source.ids,
    columns: Array.from({ length: model.H }, (_, h) => `h${h + 1}`),
    async *chunks() {
      const { tolerance, effort, bound } = options;
      const { signal } = session.io;
      const how = { engine, tolerance, effort, bound, escape: options.escape, signal };
      const show = session.showing('encoding');
      for await (const part of model.encodeSource(source, how)) {
        for (let i = 0; i < part.n; i++) {
          totals.loss += part.losses[i];
          if (Number.isNaN(part.codes[i * model.H])) totals.escaped++;
        }
        if (part.gaps) {
          totals.gap ??= { sum: 0, max: 0 };
          for (let i = 0; i < part.n; i++) {
            totals.gap.sum += part.gaps[i];
            totals.gap.max = Math.max(totals.gap.max, part.gaps[i]);
          }
        }
        totals.certificates?.add(part);
        totals.n += part.n;
        show(totals.n / source.n);
        const { n } = part;
        const { H } = model;
        if (encodingOf(model.encoding).discrete) yield bitRows(part.codes, H);
        else yield { kind: 'real', n, V: H, values: part.codes };
      }
    },
  };
}

/** Codes of bits as rows; a row that escapes has no entries. */
function bitRows(codes: Float32Array, H: number): Rows {
  const n = codes.length / H;
  const { codes: numbers, escaped } = escapedRows(codes, H, -1);
  const rows = codesAsRows(packCodes(numbers, { n, H }, 'lsb'));
  if (escaped.length === 0) return rows;
  const known = allKnown(n, H);
  const stride = rowBytes(H);
  for (const i of escaped) known.fill(0, i * stride, (i + 1) * stride);
  return { ...rows, known };
}
