import type { Command } from 'commander';
import { packCodes } from '../../bits/pack.ts';
import { openCompressor } from '../../compress/compress.ts';
import { breakdown } from '../../compress/decompress.ts';
import type { Engine } from '../../engine/engine.ts';
import { writeAtomic } from '../../formats/node/atomic.ts';
import { openSource } from '../../formats/node/open.ts';
import type { OpenedSource } from '../../formats/options.ts';
import { fit } from '../../model/fit.ts';
import type { PCAE } from '../../model/model.ts';
import { readBytes } from '../../node/read-bytes.ts';
import { FormatError } from '../../rows/errors.ts';
import { evenSample } from '../../rows/even-sample.ts';
import { entry, type Rows, rowBytes } from '../../rows/rows.ts';
import { claimFile } from '../claim.ts';
import {
  addDataOptions,
  DATA_FIELDS,
  type DataOptions,
  dataLine,
  describeData,
  openOptions,
} from '../data.ts';
import { document } from '../document.ts';
import type { Io } from '../io.ts';
import { threadsOption, whole } from '../parse.ts';
import { timeLeft } from '../progress.ts';
import { Session } from '../session.ts';
import { list, number, table } from '../text.ts';
import { interruptible, showFit } from '../training.ts';
import { checkUnits } from '../training-options.ts';
import { otherSizes } from './compress-others.ts';

interface CompressCommandOptions extends DataOptions {
  readonly output: string;
  readonly hidden: number;
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
      'Learns a small model with codes of true bits, and writes it with the code of every row and what the two leave ' +
        'over. convert gives the rows back bit for bit, in order; names of rows and columns are not kept. Grey ' +
        'values become bits first (--binarize), and those bits are what is kept.',
    )
    .argument('<data>', 'a file of rows or a folder of pictures')
    .requiredOption('-o, --output <file>', 'the compressed file, by custom .pcz')
    .option('-H, --hidden <count>', 'bits of a code', whole(1), 8)
    .option(
      '--epochs <count>',
      'passes of learning (default: enough to visit 100,000 rows, 5 to 100)',
      whole(1),
    )
    .option('--seed <k>', 'fixes everything random in learning', whole(0), 1)
    .option('--no-compare', 'do not measure what gzip, brotli, zstd and xz would make of the rows')
    .option('--force', 'overwrite the output')
    .addOption(threadsOption());
  addDataOptions(command).action(async (dataPath: string, options: CompressCommandOptions) => {
    const session = new Session(command, io);
    const { output, force } = options;
    await claimFile(session, output, force, [dataPath]);
    const source = completeRows(await openSource(dataPath, openOptions(options, io.signal)));
    if (source.schema.kind === 'real') {
      throw new FormatError(
        dataPath,
        '',
        'holds real values; say --binarize threshold to compress their bits',
      );
    }
    checkUnits([options.hidden], source);
    await session.withEngine(options.threads, async (engine) => {
      await writeAtomic(output, compressed(source, options, engine, session), { force });
    });
    const size = breakdown(await readBytes(output), output);
    const { n, V } = source;
    const packed = n * rowBytes(V);
    const { seconds } = session;
    if (options.compare) session.progress.update(() => 'measuring other compressors');
    const others = options.compare ? await otherSizes(source) : {};
    await session.result(
      { n, V, H: options.hidden, output, ...size, packed, others, seconds, data: describeData(source) },
      `${list([
        ['data', dataLine(source)],
        ['compressed', `${output}: ${number((8 * size.total) / n)} bits a row, ${number(seconds)} s`],
      ])}\n${table([
        ['', 'bytes', 'of packed'],
        ...Object.entries({
          ...{ 'packed rows': packed, compressed: size.total, '  model': size.model, '  codes': size.codes },
          ...{ '  residual': size.residual, '  frame': size.frame, ...others },
        }).map(([name, bytes]) => [name, String(bytes), `${number((100 * bytes) / packed)} %`]),
      ])}`,
    );
  });
  document(command, {
    first: ['output', 'hidden', 'epochs', 'compare', 'force', 'seed', 'binarize', 'rows', 'columns'],
    examples: [
      ['pcae compress images.bits -o images.pcz', 'rows of bits'],
      ['pcae convert images.pcz images.bits', 'the rows again'],
      ['pcae compress train-images-idx3-ubyte.gz --binarize threshold -o train.pcz', 'pictures as bits'],
    ],
    json: {
      n: 'rows',
      V: 'columns',
      H: 'bits of a code',
      output: 'the file written',
      total: 'its bytes',
      model: 'bytes of the model',
      codes: 'bytes of the codes',
      residual: 'bytes of what model and codes leave over',
      frame: 'bytes of headers and checksums',
      packed: 'bytes of the rows, packed eight bits to a byte',
      others: '{name: bytes}: what other compressors make of the packed rows',
      seconds: 'wall-clock seconds, those of other compressors not counted',
      data: DATA_FIELDS,
    },
  });
}

/** Rows that the model is learned from, at most: these are held in memory. */
const LEARNED = 20_000;
/** Rows that decide how the model is stored. */
const TRIED = 2000;

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
  const { hidden: H, seed } = options;
  const { signal } = session.io;
  const { n, V } = source;
  const rows = await evenSample(source, LEARNED);
  const { epochs = enoughEpochs(rows.n) } = options;
  const learning = { H, encoding: 'bits', epochs, seed, certify: false, engine, signal } as const;
  const model = await interruptible(session, 'interrupted: nothing was written', () =>
    fit(rows, { ...learning, onProgress: showFit(session) }),
  );
  const { W, bias } = model;
  const sample = await evenSample(source, TRIED);
  const compressor = await openCompressor(
    n,
    { W, shape: { V, H, bias } },
    { rows: sample, codes: await codesOf(model, sample, engine, seed) },
    signal,
  );
  yield compressor.header;
  let done = 0;
  for await (const part of model.encodeSource(source, { engine, seed, signal })) {
    yield await compressor.block(part.rows, packCodes(part.codes, { n: part.n, H }, 'lsb'));
    done += part.n;
    session.progress.update(() => `compressing: ${timeLeft(done / n, session.seconds)}`);
  }
  yield compressor.finish();
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
    const [i, v] = [Math.floor(k / rows.V), k % rows.V];
    if (!Number.isNaN(entry(rows, i, v))) continue;
    throw new FormatError(
      name,
      `row ${first + i + 1}, column ${v + 1}`,
      'is missing, and only complete rows can be compressed; `pcae reconstruct --fill` fills in what is missing',
    );
  }
}

async function codesOf(model: PCAE, rows: Rows, engine: Engine, seed: number) {
  const { codes } = await model.encode(rows, { engine, seed });
  return packCodes(codes, { n: rows.n, H: model.H }, 'lsb');
}
