import { Command, CommanderError } from 'commander';
import { withoutSecrets } from './addresses.ts';
import { addEncode } from './commands/encode.ts';
import { addEval } from './commands/eval.ts';
import { addImpute } from './commands/impute.ts';
import { addShard } from './commands/shard.ts';
import { addStatus } from './commands/status.ts';
import { addSweep } from './commands/sweep.ts';
import { addTrain } from './commands/train.ts';
import { addWorker } from './commands/worker.ts';
import type { Io } from './io.ts';
import { PROGRAM } from './task.ts';

/** Runs one command line and gives its exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  try {
    await createProgram(io).parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has said it already; help comes here too, with exit code 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    if (name === 'AbortError' || io.signal.aborted) {
      io.err('stopped; run the same command again to continue\n');
      return 130;
    }
    io.err(`error: ${withoutSecrets(message)}\n`);
    return 1;
  }
}

function createProgram(io: Io): Command {
  const program = new Command('pcae-cluster')
    .description(
      'PC-AE on many machines: the same codes and models with any number of workers, even if some of them die.',
    )
    .version(PROGRAM, '-V, --version', 'print the versions that a run depends on')
    .configureOutput({ writeOut: (text) => io.out(text), writeErr: (text) => io.err(text) })
    .exitOverride();
  addShard(program, io);
  addWorker(program, io);
  addTrain(program, io);
  addEncode(program, io);
  addEval(program, io);
  addImpute(program, io);
  addSweep(program, io);
  addStatus(program, io);
  return program;
}
