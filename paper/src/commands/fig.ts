import { mkdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { Argument, type Command } from 'commander';
import { writeAtomic } from 'pc-ae/node';
import { FIGURES, figuresMarkdown } from '../figures.ts';
import { fillMarked } from '../marked.ts';
import { addFacts, readFacts } from '../results.ts';
import { addRunOptions, modelsOf, PROGRAM, type RunOptions } from './run-options.ts';
import { Interrupted, type Io, Session } from './session.ts';
import { examples } from './text.ts';

export function addFig(program: Command, io: Io): void {
  const names = Object.keys(FIGURES);
  const command = program
    .command('fig')
    .summary("the paper's figures")
    .description(
      `Learns what a figure of the paper shows and draws it. ${names
        .map((name) => `${name}: ${FIGURES[name].about}.`)
        .join(' ')} all: those that have not been drawn yet.`,
    )
    .addArgument(new Argument('<name>', 'which figure').choices([...names, 'all']));
  addRunOptions(command, 'pictures (.svg) and figures.json go').action(
    async (name: string, options: RunOptions) => {
      const session = new Session(command, io);
      const { out, readme, epochs, seed } = options;
      const files: string[] = [];
      const facts: Record<string, unknown> = {};
      const path = join(out, 'figures.json');
      const kept = await readFacts(path);
      for (const figure of name === 'all' ? names.filter((one) => !(one in kept)) : [name]) {
        const began = session.seconds;
        const drawn = await session.withEngine(options.threads, (engine) =>
          FIGURES[figure]
            .draw(options.data, {
              ...{ engine, seed, epochs, models: modelsOf(options), signal: io.signal },
              onProgress: session.steps(figure),
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
          ...{ seed, ...(epochs ? { epochs } : {}), program: PROGRAM },
        };
        await addFacts(path, figure, facts[figure]);
        session.say(`${figure}: ${Math.round(session.seconds - began)} s`);
      }
      if (readme !== undefined) {
        const folder = relative(dirname(readme), out) || '.';
        await fillMarked(readme, 'figures', figuresMarkdown(await readFacts(path), folder));
      }
      session.result({ figures: facts, files, seconds: session.seconds }, `${files.join('\n')}\n`);
    },
  );
  command.addHelpText(
    'after',
    examples([
      ['fig reconstructions-mnist --data datasets', 'one figure, in paper/results'],
      ['fig all --data datasets --out figures', 'all that are not there yet: about an hour'],
    ]),
  );
}
