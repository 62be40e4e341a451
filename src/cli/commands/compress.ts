import type { Command } from 'commander';
import { type PackedCodes, packCodes } from '../../bits/pack.ts';
import { chooseUnits } from '../../compress/choose-units.ts';
import { type CodedRows, type Decoder, openCompressor, withoutCodes } from '../../compress/compress.ts';
import { breakdown } from '../../compress/decompress.ts';
import { BLOCK_ROWS, readHeader } from '../../compress/format.ts';
import type { Engine } from '../../engine/engine.ts';
import { writeAtomic } from '../../formats/node/atomic.ts';
import { openSource } from '../../formats/node/open.ts';
import type { OpenedSource } from '../../formats/options.ts';
import { fit } from '../../model/fit.ts';
import type { PCAE } from '../../model/model.ts';
import { readBytes } from '../../node/read-bytes.ts';
import { badFile, FormatError } from '../../rows/errors.ts';
import { evenSample } from '../../rows/even-sample.ts';
import { entry, type Rows, rowBytes } from '../../rows/rows.ts';
import { claimFile } from '../claim.ts';
import type { DataOptions } from '../data.ts';
import { addDataOptions, DATA_FIELDS, dataLine, describeData, openOptions } from '../data.ts';
import { document } from '../document.ts';
import type { Io } from '../io.ts';
import { threadsOption, whole } from '../parse.ts';
import { Session } from '../session.ts';
import { list, number, table } from '../text.ts';
import { interruptible, showFit } from '../training.ts';
import { checkUnits } from '../training-options.ts';
import { otherSizes } from './compress-others.ts';

interface CompressCommandOptions extends DataOptions {
  readonly output: string;
  readonly hidden?: number;
  readonly epochs?: number;
  readonly seed: number;
  readonly compare: boolean;
  readonly force?: boolean;
  readonly threads?: number;
}

export function addCompress(program: Command, io: Io): void {
  const command = program
    .command('compress')
    .description(
      'Packs rows of bits without loss: stores only what earlier rows and columns do not predict. If it makes the file ' +
        'smaller, a small model with codes of true bits is learned and packed too. pcae convert restores the rows bit for ' +
        'bit, in order. Names of rows and columns are not kept. Grey values become bits first (--binarize); the ' +
        'grey values themselves are not kept.',
    )
    .argument('<data>', 'a file of rows or a folder of pictures')
    .requiredOption('-o, --output <file>', 'the compressed file, usually .pcz')
    .option(
      '-H, --hidden <count>',
      'bits of a code, 0 for no codes (default: chosen by a sample of the rows)',
      whole(0),
    )
    .option(
      '--epochs <count>',
      'passes of learning (default: enough to visit 100,000 rows, 5 to 100)',
      whole(1),
    )
    .option('--seed <k>', 'fixes everything random in learning', whole(0), 1)
    .option('--no-compare', 'do not measure gzip, brotli, zstd and xz on the same rows')
    .option('--force', 'overwrite the output')
    .addOption(threadsOption());
  addDataOptions(command).action(async (dataPath: string, options: CompressCommandOptions) => {
    const session = new Session(command, io);
    const { output, force } = options;
    await claimFile(session, output, force, [dataPath]);
    const source = completeRows(await openSource(dataPath, openOptions(options, io.signal)));
    if (source.schema.kind === 'real') {
      throw badFile(dataPath, 'holds real values; use --binarize threshold to compress their bits');
    }
    if (options.hidden) checkUnits([options.hidden], source);
    await session.withEngine(options.threads, async (engine) => {
      await writeAtomic(output, compressed(source, options, engine, session), { force });
    });
    const file = await readBytes(output);
    const size = breakdown(file, output);
    const { n, model } = readHeader(file, output);
    const { V, H } = model;
    const packed = n * rowBytes(V);
    const { seconds } = session;
    if (options.compare) session.progress.update(() => 'measuring other compressors');
    const others = options.compare ? await otherSizes(source) : {};
    await session.result(
      { n, V, H, output, ...size, packed, others, seconds, data: describeData(source) },
      `${list([
        ['data', dataLine(source)],
        ['compressed', `${output}: ${number((8 * size.total) / n)} bits per row, ${number(seconds)} s`],
        ['codes', H === 0 ? 'none: earlier rows predict the others better' : `${H} bits per row`],
      ])}\n${table([
        ['', 'bytes', 'of packed'],
        ...Object.entries({
          'packed rows': packed,
          compressed: size.total,
          '  model': size.model,
          '  codes': size.codes,
          '  residual': size.residual,
          '  frame': size.frame,
          ...others,
        }).map(([name, bytes]) => [name, String(bytes), `${number((100 * bytes) / packed)} %`]),
      ])}`,
    );
  });
  document(command, {
    first: 'output hidden epochs compare force seed binarize rows columns',
    examples: {
      'pcae compress images.bits -o images.pcz': 'rows of bits',
      'pcae convert images.pcz images.bits': 'the rows again',
      'pcae compress train-images-idx3-ubyte.gz --binarize threshold -o train.pcz': 'pictures as bits',
    },
    json: {
      n: 'rows',
      V: 'columns',
      H: 'bits of a code, 0 without codes',
      output: 'the file written',
      total: 'its bytes',
      model: 'bytes of the model',
      codes: 'bytes of the codes',
      residual: 'bytes of what model and codes do not predict',
      frame: 'bytes of headers and checksums',
      packed: 'bytes of the rows, packed eight bits to a byte',
      others: '{name: bytes}: the size that other compressors reach on the packed rows',
      seconds: 'wall-clock seconds, without those of other compressors',
      data: DATA_FIELDS,
    },
  });
}

/** Rows that the model is learned from, at most: these are held in memory. */
const LEARNED = 20_000;
/**
 * Rows that decide whether codes pay and how the model is stored: at most 2,000, and fewer of wide tables.
 */
function enoughToTry(V: number): number {
  return Math.max(200, Math.min(2000, Math.floor(2 ** 20 / V)));
}

/** The share of the passes that shows whether codes pay. */
const QUICK = 0.2;

/** Few passes will do: on 10,000 MNIST images, 80 of them instead of 5 made the file 0.2 % smaller. */
function enoughEpochs(n: number): number {
  return Math.max(5, Math.min(100, Math.ceil(100_000 / n)));
}

/** The file, piece by piece, while the rows are read. */
async function* compressed(
  source: OpenedSource,
  options: CompressCommandOptions,
  engine: Engine,
  session: Session,
): AsyncGenerator<Uint8Array> {
  const { signal } = session.io;
  const { n } = source;
  const sample = await evenSample(source, enoughToTry(source.V));
  const learner = new Learner(options, engine, session);
  const H =
    options.hidden ??
    (await chooseUnits(
      n,
      sample,
      async (rows, units) => learner.coded(await learner.learn(rows, units, QUICK), rows),
      signal,
    ));
  const model = H === 0 ? undefined : await learner.learn(await evenSample(source, LEARNED), H);
  const given = model ? await learner.coded(model, sample) : withoutCodes(sample);
  const compressor = await openCompressor(n, given, { rows: sample, codes: given.codes }, signal);
  yield compressor.header;
  const show = session.showing('compressing');
  let done = 0;
  for await (const { rows, codes } of codedRows(source, model, options.seed, engine, signal)) {
    yield await compressor.block(rows, codes);
    done += rows.n;
    show(done / n);
  }
  yield compressor.finish();
}

/** The rows in blocks with their codes; without a model, codes of no bits. */
async function* codedRows(
  source: OpenedSource,
  model: PCAE | undefined,
  seed: number,
  engine: Engine,
  signal: AbortSignal | undefined,
): AsyncGenerator<CodedRows> {
  if (model) {
    for await (const { rows, codes, n } of model.encodeSource(source, { engine, seed, signal })) {
      yield { rows, codes: packCodes(codes, { n, H: model.H }, 'lsb') };
    }
  } else {
    for await (const rows of source.chunks(BLOCK_ROWS)) yield { rows, codes: withoutCodes(rows).codes };
  }
}

/** Learns models as the options say. */
class Learner {
  private readonly options: CompressCommandOptions;
  private readonly engine: Engine;
  private readonly session: Session;

  constructor(options: CompressCommandOptions, engine: Engine, session: Session) {
    this.options = options;
    this.engine = engine;
    this.session = session;
  }

  learn(rows: Rows, H: number, share = 1): Promise<PCAE> {
    const { engine, session, options } = this;
    const { seed } = options;
    const epochs = Math.ceil(share * (options.epochs ?? enoughEpochs(rows.n)));
    const { signal } = session.io;
    const learning = { H, encoding: 'bits', epochs, seed, certify: false, engine, signal } as const;
    return interruptible(session, 'interrupted: nothing was written', () =>
      fit(rows, { ...learning, onProgress: showFit(session) }),
    );
  }

  async coded(model: PCAE, rows: Rows): Promise<Decoder & { codes: PackedCodes }> {
    const { W, V, H, bias } = model;
    const { codes } = await model.encode(rows, { engine: this.engine, seed: this.options.seed });
    return { W, shape: { V, H, bias }, codes: packCodes(codes, { n: rows.n, H }, 'lsb') };
  }
}

/** The same rows, as long as none of their entries is missing. */
function completeRows(source: OpenedSource): OpenedSource {
  return {
    ...source,
    async *chunks(size) {
      let first = 0;
      for await (const rows of source.chunks(size)) {
        checkComplete(rows, source.name, first);
        yield rows;
        first += rows.n;
      }
    },
  };
}

function checkComplete(rows: Rows, name: string, first: number): void {
  if (rows.kind === 'bits' && !rows.known) return;
  for (let k = 0; k < rows.n * rows.V; k++) {
    const i = Math.floor(k / rows.V);
    const v = k % rows.V;
    if (!Number.isNaN(entry(rows, i, v))) continue;
    throw new FormatError(
      name,
      `row ${first + i + 1}, column ${v + 1}`,
      'is missing, and only complete rows can be compressed; `pcae reconstruct --fill` fills in what is missing',
    );
  }
}
