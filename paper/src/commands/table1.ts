import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { formatNumber } from 'pc-ae/figures';
import { writeAtomic } from 'pc-ae/node';
import { fillMarked } from '../marked.ts';
import { TABLE_ROWS } from '../published.ts';
import { writeJson } from '../results.ts';
import { COLUMNS, type Column } from '../runs.ts';
import { runTable1, storedRuns } from '../table1.ts';
import { table1Html, table1Json, table1Markdown } from '../table1-text.ts';
import { addRunOptions, modelsOf, PROGRAM, type RunOptions, whole } from './run-options.ts';
import { Interrupted, type Io, Session } from './session.ts';
import { duration, examples } from './text.ts';

interface Table1CommandOptions extends RunOptions {
  readonly only?: readonly string[];
  readonly columns?: readonly Column[];
  readonly folds?: number;
}

export function addTable1(program: Command, io: Io): void {
  const command = program
    .command('table1')
    .summary("the paper's table of reconstruction losses")
    .description(
      'Learns and measures every cell of Table 1: the paper\'s figure beside its procedure ("paper"), this ' +
        'program\'s ("fast", with and without a bias unit), codes of true bits, and the autoencoders, with the epoch ' +
        'chosen by test rows as the paper did and by validation rows. Each finished run is kept at once and not done ' +
        'again, so the command can be stopped and repeated; the table is written anew after each.',
    )
    .option('--only <row,...>', 'rows to work on, such as mnist-32 (default: all)', oneOf(ROWS))
    .option('--columns <name,...>', `columns: ${COLUMNS.join(', ')} (default: all)`, oneOf(COLUMNS))
    .option('--folds <count>', 'folds of notMNIST to run (default: all ten)', whole(1));
  addRunOptions(command, 'results are kept and tables are written').action(
    async (options: Table1CommandOptions) => {
      const session = new Session(command, io);
      let done = 0;
      try {
        await runTable1({
          ...options,
          models: modelsOf(options),
          program: PROGRAM,
          signal: io.signal,
          withEngine: (work) => session.withEngine(options.threads, work),
          progressOf: (name) => session.steps(name),
          onRun: async (row, record, stored) => {
            const fold = record.fold === undefined ? '' : ` fold ${record.fold}`;
            const losses = Object.entries(record.losses).map(
              ([name, loss]) => `${name} ${formatNumber(loss)}`,
            );
            const times = `${duration(record.wallSeconds)}, ${duration(record.cpuSeconds)} of processor time`;
            session.say(
              `${row.name} ${record.run}${fold}: ${losses.join(', ')} nats ${stored ? '(kept)' : `(${times})`}`,
            );
            if (stored) return;
            done++;
            await writeTables(options);
          },
        });
      } catch (error) {
        if (!io.signal.aborted) throw error;
        throw new Interrupted(
          `interrupted; ${done} finished runs are kept, the same command goes on from there`,
        );
      }
      const stored = await writeTables(options);
      const files = TABLES.map((name) => join(options.out, name));
      const { seconds } = session;
      session.result({ ...table1Json(stored), done, files, seconds }, table1Markdown(stored));
    },
  );
  command.addHelpText(
    'after',
    examples([
      ['table1 --data datasets', 'the whole table: some hours'],
      ['table1 --data datasets --only caltech101-32 --columns fast,paper', 'two cells of it'],
    ]),
  );
}

const TABLES = ['table1.json', 'table1.md', 'table1.html'];

async function writeTables({ out, readme }: Table1CommandOptions) {
  const stored = await storedRuns(out);
  const markdown = table1Markdown(stored);
  await writeJson(join(out, 'table1.json'), table1Json(stored));
  await writeAtomic(join(out, 'table1.md'), [`# Table 1\n\n${markdown}`], { force: true });
  await writeAtomic(join(out, 'table1.html'), [table1Html(stored)], { force: true });
  if (readme !== undefined) await fillMarked(readme, 'table1', markdown);
  return stored;
}

const ROWS = TABLE_ROWS.map(({ name }) => name);

function oneOf<T extends string>(known: readonly T[]): (text: string) => T[] {
  return (text) =>
    text.split(',').map((part) => {
      const found = known.find((name) => name === part.trim());
      if (found === undefined) throw new InvalidArgumentError(`Expected some of ${known.join(', ')}.`);
      return found;
    });
}
