import { Command, CommanderError } from 'commander';
import { addClaims } from './commands/claims.ts';
import { addDataGet } from './commands/data-get.ts';
import { addFig } from './commands/fig.ts';
import type { Io } from './commands/session.ts';
import { addTable1 } from './commands/table1.ts';

/** Runs one command line and gives its exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  try {
    await createProgram(io).parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has said it already; help comes here too and is no error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    const stopped = name === 'AbortError' || name === 'Interrupted';
    io.err(stopped ? `${message}\n` : `error: ${message}\n`);
    return stopped ? 130 : 1;
  }
}

function createProgram(io: Io): Command {
  const program = new Command('npm run paper --')
    .description(
      "The paper's table, figures and claims, reproduced: what it reports, its own procedure, this program's, and " +
        'the autoencoders it compares with. The data sets are in a folder of gzipped IDX files: ' +
        'mnist, omniglot, caltech101-silhouettes and notmnist-small.',
    )
    .option('--json', 'print one JSON object instead of text')
    .option('-q, --quiet', 'no progress and no messages, only results and errors')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: (text) => io.out(text), writeErr: (text) => io.err(text) })
    .exitOverride();
  addTable1(program, io);
  addFig(program, io);
  addClaims(program, io);
  addDataGet(
    program
      .command('data')
      .summary('fetch the data sets')
      .description('The data sets of the experiments, from their public addresses.'),
    io,
  );
  return program;
}
