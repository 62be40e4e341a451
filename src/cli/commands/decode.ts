import type { Command } from 'commander';
import type { BitOrder } from '../../bits/pack.ts';
import { encodingOf } from '../../encodings/by-name.ts';
import { PCAE } from '../../model/model.ts';
import { normaliseGroups } from '../../rows/groups.ts';
import { claimOutput } from '../claim.ts';
import { openBitCodes, openCodes } from '../codes.ts';
import { document } from '../document.ts';
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { openAnyModel } from '../model.ts';
import { type OutputOptions, reportWritten, toOption, writeRows } from '../output.ts';
import { orderOption } from '../packed-codes.ts';
import { notNegative, threadsOption } from '../parse.ts';
import {
  asOption,
  reconstructedRows,
  type WrittenAs,
  writingOf,
  writtenAs,
  writtenColumns,
} from '../reconstructions.ts';
import { Session } from '../session.ts';

interface DecodeOptions extends OutputOptions {
  readonly as?: WrittenAs;
  readonly order: BitOrder;
  readonly cap?: number;
  readonly threads?: number;
}

export function addDecode(program: Command, io: Io): void {
  const command = program
    .command('decode')
    .description('Writes what each code decodes to, in order. Without -o: CSV to standard output.')
    .argument('<model>', 'a model file')
    .argument('<codes>', 'codes as encode writes them, in any of its formats, or - for standard input')
    .option('-o, --output <file>', 'where the rows go: .npy, .csv, .tsv, .bits, .parquet or .jsonl')
    .addOption(toOption())
    .addOption(asOption())
    .addOption(orderOption())
    .option(
      '--cap <score>',
      'limit how sure a decoded entry may be: what the promise about changed bits assumes',
      notNegative,
    )
    .option('--force', 'overwrite the output')
    .addOption(threadsOption())
    .action(async (modelPath: string, codesPath: string, options: DecodeOptions) => {
      const session = new Session(command, io);
      await claimOutput(session, options.output, options.force, [modelPath, codesPath]);
      const model = await openAnyModel(modelPath);
      const as = writtenAs(options, session, model);
      const { cap } = options;
      if (cap !== undefined && !(model instanceof PCAE))
        throw new UsageError('--cap is for models of one layer');
      const codes = encodingOf(model.encoding).discrete
        ? await openBitCodes(codesPath, model.H, options.order)
        : await openCodes(codesPath, model.H, { escapes: model instanceof PCAE });
      const { n, ids } = codes;
      const { V, columns, groups, image, schema } = model;
      await session.withEngine(options.threads, async (engine) => {
        async function* chunks(size: number) {
          const show = session.showing('decoding');
          let done = 0;
          for await (const part of codes.chunks(size)) {
            io.signal.throwIfAborted();
            const decoded = await model.decode(part, { engine, cap });
            yield reconstructedRows(groups ? normaliseGroups(decoded, V, groups) : decoded, V, as);
            done += part.length / model.H;
            show(done / n);
          }
        }
        const rows = { n, V, columns, groups, ids, image, schema, chunks };
        await writeRows(rows, options, session, writingOf(as, model));
      });
      await reportWritten(session, options, { n, V, as }, { columns: writtenColumns(as, model) });
    });
  document(command, {
    examples: {
      'pcae decode model.safetensors codes.npy -o rows.npy': 'the probability of a one for every entry',
      'pcae decode model.safetensors codes.csv --as bits -o rows.csv': 'rounded to 0 and 1',
    },
    json: {
      n: 'rows written',
      V: 'columns',
      as: 'what entries are written as: unit, signs, bits or words',
      output: 'the file written',
      seconds: 'wall-clock seconds',
    },
  });
}
