import { mkdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { Argument, type Command } from 'commander';
import { writeAtomic } from '../../formats/node/atomic.ts';
import { FIGURES, figuresMarkdown } from '../../paper/figures.ts';
import { fillMarked } from '../../paper/marked.ts';
import { addFacts, readFacts } from '../../paper/results.ts';
import { document } from '../document.ts';
import { Interrupted } from '../errors.ts';
import type { Io } from '../io.ts';
import { whole } from '../parse.ts';
import { Session } from '../session.ts';
import { VERSION } from '../version.ts';
import { stepProgress } from './paper-progress.ts';

interface FigOptions {
  readonly data: string;
  readonly out: string;
  readonly readme?: string;
  readonly models?: string;
  readonly epochs?: number;
  readonly seed: number;
  readonly threads?: number;
}

export function addPaperFig(paper: Command, io: Io): void {
  const names = Object.keys(FIGURES);
  const command = paper
    .command('fig')
    .summary("the paper's figures")
    .description(
      `Learns what a figure of the paper shows and draws it. ${names
        .map((name) => `${name}: ${FIGURES[name].about}.`)
        .join(' ')} all: those that have not been drawn yet.`,
    )
    .addArgument(new Argument('<name>', 'which figure').choices([...names, 'all']))
    .requiredOption('--data <folder>', 'the folder with the data sets')
    .option('--out <folder>', 'where pictures (.svg) and figures.json go', 'paper/results')
    .option('--readme <file>', 'also show the figures between the markers of this file')
    .option(
      '--models <folder>',
      'where the autoencoders are kept that table and figures share (default: models in --out)',
    )
    .option('--epochs <count>', 'at most so many epochs in every run', whole(1))
    .option('--seed <k>', 'fixes everything random in learning', whole(0), 1)
    .option('--threads <count>', 'threads to use (default: one for each core, 8 at most)', whole(1));
  command.action(async (name: string, options: FigOptions) => {
    const session = new Session(command, io);
    const { out, readme, epochs, seed, models = join(out, 'models') } = options;
    const files: string[] = [];
    const facts: Record<string, unknown> = {};
    const path = join(out, 'figures.json');
    const kept = await readFacts(path);
    for (const figure of name === 'all' ? names.filter((one) => !(one in kept)) : [name]) {
      const began = session.seconds;
      const drawn = await session.withEngine(options.threads, (engine) =>
        FIGURES[figure]
          .draw(options.data, {
            ...{ engine, seed, epochs, models, signal: io.signal },
            onProgress: stepProgress(session, figure),
          })
          .catch((error) => {
            if (!io.signal.aborted) throw error;
            throw new Interrupted(`interrupted; ${files.length} pictures are written`);
          }),
      );
      await mkdir(out, { recursive: true });
      for (const [file, svg] of Object.entries(drawn.pictures)) {
        files.push(join(out, `${file}.svg`));
        await writeAtomic(join(out, `${file}.svg`), [svg], { force: true });
      }
      facts[figure] = {
        pictures: Object.keys(drawn.pictures),
        ...drawn.facts,
        ...{ seed, ...(epochs ? { epochs } : {}), program: `pc-ae ${VERSION}` },
      };
      await addFacts(path, figure, facts[figure]);
      session.say(`${figure}: ${Math.round(session.seconds - began)} s`);
    }
    if (readme !== undefined) {
      const folder = relative(dirname(readme), out) || '.';
      await fillMarked(readme, 'figures', figuresMarkdown(await readFacts(path), folder));
    }
    const { seconds } = session;
    await session.result({ figures: facts, files, seconds }, `${files.join('\n')}\n`);
  });
  document(command, {
    examples: [
      ['pcae paper fig reconstructions-mnist --data datasets', 'one figure, in paper/results'],
      ['pcae paper fig all --data datasets --out figures', 'all that are not there yet: about an hour'],
    ],
    json: {
      figures: 'the numbers behind each figure, by its name',
      files: 'the pictures that were written',
      seconds: 'wall-clock seconds',
    },
  });
}
