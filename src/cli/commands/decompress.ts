import type { Command } from 'commander';
import { decompressBlocks } from '../../compress/decompress.ts';
import { readHeader } from '../../compress/format.ts';
import { readBytes } from '../../node/read-bytes.ts';
import { sliceRows } from '../../rows/rows.ts';
import type { RowSource } from '../../rows/source.ts';
import { document } from '../document.ts';
import type { Io } from '../io.ts';
import {
  claimOutput,
  type OutputOptions,
  outputFormat,
  reportWritten,
  toOption,
  writeRows,
} from '../output.ts';
import { timeLeft } from '../progress.ts';
import { Session } from '../session.ts';

export function addDecompress(program: Command, io: Io): void {
  const command = program
    .command('decompress')
    .description(
      'Writes the rows that compress packed, in order, bit for bit. Checksums prove it: a file appears only if the rows ' +
        'are what they were. Without -o: CSV to standard output.',
    )
    .argument('<file>', 'a file that compress wrote')
    .option('-o, --output <file>', 'where the rows go: .npy, .csv, .tsv, .bits, .parquet or .jsonl')
    .addOption(toOption())
    .option('--packed', 'NPY only: eight bits in a byte, the first in the most significant place')
    .option('--force', 'overwrite the output')
    .action(async (path: string, options: OutputOptions) => {
      const session = new Session(command, io);
      const format = outputFormat(options, session);
      await claimOutput(session, options.output, options.force, [path]);
      const source = compressedSource(await readBytes(path), path, session);
      await writeRows(source, options, session, { packed: options.packed });
      const { n, V } = source;
      await reportWritten(session, options, { n, V, format });
    });
  document(command, {
    examples: [
      ['pcae decompress images.pcz -o images.bits', 'rows of packed bits'],
      ['pcae decompress images.pcz -o images.npy', 'booleans for numpy'],
    ],
    json: {
      n: 'rows written',
      V: 'columns',
      format: 'the format written',
      output: 'the file written',
      seconds: 'wall-clock seconds',
    },
  });
}

function compressedSource(bytes: Uint8Array, name: string, session: Session): RowSource {
  const { n, model } = readHeader(bytes, name);
  return {
    n,
    V: model.V,
    async *chunks(size) {
      let done = 0;
      for (const block of decompressBlocks(bytes, name)) {
        session.io.signal.throwIfAborted();
        for (let i = 0; i < block.n; i += size) yield sliceRows(block, i, Math.min(block.n, i + size));
        done += block.n;
        session.progress.update(() => `decompressing: ${timeLeft(done / n, session.seconds)}`);
      }
    },
  };
}
