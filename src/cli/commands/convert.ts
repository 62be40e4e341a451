import type { Command } from 'commander';
import { openSource } from '../../formats/node/open.ts';
import { type Corruption, corrupt } from '../../rows/corrupt.ts';
import { badFile } from '../../rows/errors.ts';
import { anyMissing } from '../../rows/rows.ts';
import { claimOutput } from '../claim.ts';
import { openCompressed, type ReadRows } from '../compressed.ts';
import { parseCorruption } from '../corruption.ts';
import { addDataOptions, DATA_FIELDS, type DataOptions, describeData, openOptions } from '../data.ts';
import { document } from '../document.ts';
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { type OutputOptions, outputFormat, reportWritten, toOption, writeRows } from '../output.ts';
import { whole } from '../parse.ts';
import { Session } from '../session.ts';

interface ConvertOptions extends DataOptions, OutputOptions {
  readonly corrupt?: Pick<Corruption, 'kind' | 'rho'>;
  readonly seed: number;
}

export function addConvert(program: Command, io: Io): void {
  const command = program
    .command('convert')
    .description(
      'Reads rows in any format, also compressed ones, and writes them in another, piece by piece.',
    )
    .argument('<data>', 'a file of rows, a folder of pictures, or - for standard input')
    .argument(
      '[output]',
      'where they go: .npy, .csv, .tsv, .bits, .parquet or .jsonl (default: standard output, also written as -)',
    )
    .option('-o, --output <file>', 'the output, given as an option')
    .addOption(toOption())
    .option('--packed', 'NPY only: eight bits in a byte, the first in the most significant place')
    .option('--corrupt <kind:share>', 'add noise: mask, flip, salt or hide, as in mask:0.25', parseCorruption)
    .option('--seed <k>', 'fixes the noise of --corrupt', whole(0), 1)
    .option('--force', 'overwrite the output');
  addDataOptions(command).action(
    async (dataPath: string, named: string | undefined, options: ConvertOptions) => {
      const session = new Session(command, io);
      if (named !== undefined && options.output !== undefined) {
        throw new UsageError(`name one output: ${named} or -o ${options.output}`);
      }
      const output = named ?? options.output;
      const place = { ...options, output };
      const to = outputFormat(place, session);
      await claimOutput(session, output, options.force, [dataPath]);
      const clean: ReadRows =
        (await openCompressed(dataPath, options)) ??
        (await openSource(dataPath, openOptions(options, io.signal)));
      if (clean.schema.kind === 'real' && (to === 'bits' || options.packed)) {
        throw badFile(
          dataPath,
          `holds real values, which ${options.packed ? '--packed' : '.bits files'} cannot keep: use --binarize threshold ` +
            'to write their bits, or write .npy',
        );
      }
      const { corrupt: noise, seed } = options;
      const source = noise ? { ...clean, ...corrupt(clean, { ...noise, seed }) } : clean;
      const announced = to === 'bits' || (to === 'npy' && !options.packed);
      const masked = clean.schema.kind === 'bits' && announced && (await hasMissing(source));
      await writeRows(watched(source, session), place, session, { masked, packed: options.packed });
      const { n, V } = source;
      await reportWritten(session, place, { n, V, format: to, data: describeData(source) });
    },
  );
  document(command, {
    first: 'output to packed corrupt force values binarize rows columns',
    examples: {
      'pcae convert data.csv data.bits': 'a table of 0 and 1 as packed bits',
      'pcae convert images.pcz images.bits': 'restore compressed rows',
      'pcae convert images-idx3-ubyte.gz images.npy --binarize threshold': 'pictures as booleans for numpy',
    },
    json: {
      n: 'rows written',
      V: 'columns',
      format: 'the format written',
      output: 'the file written',
      seconds: 'wall-clock seconds',
      data: DATA_FIELDS,
    },
  });
}

async function hasMissing(source: ReadRows): Promise<boolean> {
  for await (const rows of source.chunks(4096)) if (anyMissing(rows)) return true;
  return false;
}

/** The same source with a progress line, which stops when it is asked to. */
function watched(source: ReadRows, session: Session): ReadRows {
  return {
    ...source,
    async *chunks(size) {
      const show = session.showing('converting');
      let done = 0;
      for await (const rows of source.chunks(size)) {
        session.io.signal.throwIfAborted();
        yield rows;
        done += rows.n;
        show(done / source.n);
      }
    },
  };
}
