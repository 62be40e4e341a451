import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { writeAtomic } from '../../formats/node/atomic.ts';
import { fillMarked } from '../../paper/marked.ts';
import { TABLE_ROWS } from '../../paper/published.ts';
import { writeJson } from '../../paper/results.ts';
import { COLUMNS, type Column } from '../../paper/runs.ts';
import { runTable1, storedRuns } from '../../paper/table1.ts';
import { table1Html, table1Json, table1Markdown } from '../../paper/table1-text.ts';
import { document } from '../document.ts';
import { Interrupted } from '../errors.ts';
import type { Io } from '../io.ts';
import { whole } from '../parse.ts';
import { duration } from '../progress.ts';
import { Session } from '../session.ts';
import { number } from '../text.ts';
import { VERSION } from '../version.ts';
import { stepProgress } from './paper-progress.ts';

interface Table1CommandOptions {
  readonly data: string;
  readonly only?: readonly string[];
  readonly columns?: readonly Column[];
  readonly folds?: number;
  readonly out: string;
  readonly readme?: string;
  readonly models?: string;
  readonly epochs?: number;
  readonly seed: number;
  readonly threads?: number;
}

export function addPaperTable1(paper: Command, io: Io): void {
  const command = paper
    .command('table1')
    .summary("the paper's table of reconstruction losses")
    .description(
      'Learns and measures every cell of Table 1: the paper\'s figure beside its procedure ("paper"), this ' +
        'program\'s ("fast", with and without a bias unit), codes of true bits, and the autoencoders, with the epoch ' +
        'chosen by test rows as the paper did and by validation rows. Each finished run is kept at once and not done ' +
        'again, so the command can be stopped and repeated; the table is written anew after each.',
    )
    .requiredOption('--data <folder>', 'the folder with the data sets')
    .option('--only <row,...>', 'rows to work on, such as mnist-32 (default: all)', oneOf(ROWS))
    .option('--columns <name,...>', `columns: ${COLUMNS.join(', ')} (default: all)`, oneOf(COLUMNS))
    .option('--folds <count>', 'folds of notMNIST to run (default: all ten)', whole(1))
    .option('--out <folder>', 'where results are kept and tables are written', 'paper/results')
    .option('--readme <file>', 'also put the table between the markers of this file')
    .option(
      '--models <folder>',
      'where the autoencoders are kept that table and figures share (default: models in --out)',
    )
    .option('--epochs <count>', 'at most so many epochs in every run, for a trial', whole(1))
    .option('--seed <k>', 'fixes everything random in learning', whole(0), 1)
    .option('--threads <count>', 'threads to use (default: one for each core, 8 at most)', whole(1));
  command.action(async (options: Table1CommandOptions) => {
    const session = new Session(command, io);
    let done = 0;
    try {
      await runTable1({
        models: join(options.out, 'models'),
        ...options,
        program: `pc-ae ${VERSION}`,
        signal: io.signal,
        withEngine: (work) => session.withEngine(options.threads, work),
        progressOf: (name) => stepProgress(session, name),
        onRun: async (row, record, stored) => {
          const fold = record.fold === undefined ? '' : ` fold ${record.fold}`;
          const losses = Object.entries(record.losses).map(([name, loss]) => `${name} ${number(loss)}`);
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
    await session.result({ ...table1Json(stored), done, files, seconds }, table1Markdown(stored));
  });
  document(command, {
    examples: [
      ['pcae paper table1 --data datasets', 'the whole table: some hours'],
      ['pcae paper table1 --data datasets --only caltech101-32 --columns fast,paper', 'two cells of it'],
    ],
    json: {
      unit: 'of all losses',
      protocol: 'how they were measured',
      rows: '[{row, set, H, published, measured}]: losses, with spread and folds where there are several; null: not run',
      done: 'runs done by this command; others were kept',
      files: 'the tables that were written',
      seconds: 'wall-clock seconds',
    },
  });
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
