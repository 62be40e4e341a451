import { type Command, Option } from 'commander';
import { hiddenUnitFigure } from '../../figures/hidden-units.ts';
import { writeAtomic } from '../../formats/node/atomic.ts';
import { sample } from '../../model/sample.ts';
import type { Corruption } from '../../rows/corrupt.ts';
import { counted } from '../../rows/counted.ts';
import { memorySource } from '../../rows/memory.ts';
import { checkEnding, claimFile, claimOutput } from '../claim.ts';
import { parseCorruption } from '../corruption.ts';
import { document } from '../document.ts';
import type { Io } from '../io.ts';
import { openModel } from '../model.ts';
import { type OutputOptions, outputFormat, reportWritten, toOption, writeRows } from '../output.ts';
import { threadsOption, whole } from '../parse.ts';
import { Session } from '../session.ts';

interface GenerateOptions extends OutputOptions {
  readonly count: number;
  readonly steps: number;
  readonly corruption: Pick<Corruption, 'kind' | 'rho'>;
  readonly seed: number;
  readonly picture?: string;
  readonly threads?: number;
}

export function addGenerate(program: Command, io: Io): void {
  const command = program
    .command('generate')
    .description(
      'Makes new rows by the walk of a denoising autoencoder: corrupt, encode, decode to ' +
        'probabilities, draw, and repeat. The model should have been trained with --clean or --noise. ' +
        'Without -o and --picture: CSV to standard output.',
    )
    .argument('<model>', 'a model file')
    .option('-n, --count <rows>', 'how many rows', whole(1), 64)
    .option('--steps <count>', 'steps of the walk', whole(1), 20)
    .addOption(
      new Option(
        '--corruption <kind:share>',
        'noise before each step: mask, flip, salt or hide, and the share of entries',
      )
        .argParser(parseCorruption)
        .default({ kind: 'flip', rho: 0.1 }, 'flip:0.1'),
    )
    .option('--seed <k>', 'fixes everything random', whole(0), 1)
    .option('--picture <file>', 'draw the rows, as an .svg')
    .option('-o, --output <file>', 'where the rows go: .npy, .csv, .tsv, .bits, .parquet or .jsonl')
    .addOption(toOption())
    .option('--force', 'overwrite the output')
    .addOption(threadsOption())
    .action(async (modelPath: string, options: GenerateOptions) => {
      const session = new Session(command, io);
      const { count, steps, corruption, seed, picture, output, force } = options;
      checkEnding(picture, '.svg', 'SVG');
      const writes = output !== undefined || picture === undefined;
      if (writes) outputFormat(options, session);
      await claimOutput(session, output, force, [modelPath]);
      await claimFile(session, picture, force, [modelPath]);
      const model = await openModel(modelPath);
      const { rows, means } = await session.withEngine(options.threads, (engine) =>
        sample(model, {
          count,
          steps,
          corruption,
          seed,
          engine,
          signal: io.signal,
          onProgress: session.showing('walking'),
        }),
      );
      const { V, columns, groups, image } = model;
      if (picture) {
        const title = `${count} generated rows`;
        const note = `after ${steps} steps with ${corruption.kind} noise of ${corruption.rho}`;
        const labels = new Array<string>(count).fill('');
        const svg = hiddenUnitFigure({ units: means, V, image, title, note, labels });
        await writeAtomic(picture, [new TextEncoder().encode(svg)], { force });
      }
      if (writes) await writeRows(memorySource(rows, { columns, groups, image }), options, session);
      const facts = { n: count, V, steps, corruption, seed, picture };
      if (output !== undefined) await reportWritten(session, options, facts);
      else if (picture)
        await session.result(
          { ...facts, seconds: session.seconds },
          `${picture}: ${counted(count, 'row')}\n`,
        );
    });
  document(command, {
    examples: {
      'pcae generate model.safetensors -n 64 --picture generated.svg': 'a picture of 64 new rows',
      'pcae generate model.safetensors -n 1000 --steps 50 -o rows.bits': 'a thousand of them as packed bits',
    },
    json: {
      n: 'rows made',
      V: 'columns',
      steps: 'steps of the walk',
      corruption: '{kind, rho}: the noise before each step',
      seed: 'the seed',
      picture: 'the picture written',
      output: 'the file written',
      seconds: 'wall-clock seconds',
    },
  });
}
