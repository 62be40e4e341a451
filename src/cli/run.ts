import { Command } from 'commander';
import { addCompare } from './commands/compare.ts';
import { addCompletion } from './commands/completion.ts';
import { addCompress } from './commands/compress.ts';
import { addConvert } from './commands/convert.ts';
import { addData } from './commands/data.ts';
import { addDecode } from './commands/decode.ts';
import { addDecompress } from './commands/decompress.ts';
import { addDemo } from './commands/demo.ts';
import { addEncode } from './commands/encode.ts';
import { addEval } from './commands/eval.ts';
import { addExport } from './commands/export.ts';
import { addFitDecoder } from './commands/fit-decoder.ts';
import { addGenerate } from './commands/generate.ts';
import { addGuarantee } from './commands/guarantee.ts';
import { addInspect } from './commands/inspect.ts';
import { addPaper } from './commands/paper.ts';
import { addPath } from './commands/path.ts';
import { addImpute, addReconstruct } from './commands/reconstruct.ts';
import { addReport } from './commands/report.ts';
import { addSearch } from './commands/search.ts';
import { addSweep } from './commands/sweep.ts';
import { addTrain } from './commands/train.ts';
import { explain } from './errors.ts';
import type { Io } from './io.ts';
import { VERSION } from './version.ts';

/** Runs one command line and gives its exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const program = createProgram(io);
  try {
    await program.parseAsync(withoutHelp(argv, program), { from: 'user' });
    return 0;
  } catch (error) {
    return explain(error, io, program.opts<{ debug?: boolean }>().debug === true);
  }
}

/** Help for a command that does not exist becomes that command, which is refused with a proposal. */
function withoutHelp(argv: readonly string[], program: Command): string[] {
  const [first, name] = argv;
  const unknown = name !== undefined && !program.commands.some((command) => command.name() === name);
  return first === 'help' && unknown ? argv.slice(1) : [...argv];
}

/** The whole command line, for running it and for writing its reference. */
export function createProgram(io: Io): Command {
  const program = new Command('pcae')
    .description(
      'Binary autoencoding with a guarantee: short codes for rows of bits, learned from pairwise correlations.',
    )
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print the help of a command')
    .option('--json', 'print one JSON object instead of text')
    .option('-q, --quiet', 'no progress and no messages, only results and errors')
    .option('--debug', 'show where in the program an error came from')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      // Help that nobody reads to its end (`| head`) is no failure.
      writeOut: (text) => void io.out(text).catch(() => undefined),
      writeErr: (text) => io.err(text),
      getErrHelpWidth: () => io.width,
      getOutHelpWidth: () => io.width,
    })
    .showHelpAfterError('(add --help for the options and examples)')
    .exitOverride();
  for (const add of COMMANDS) add(program, io);
  return program;
}

/** In the order in which help shows them. */
const COMMANDS = [
  addDemo,
  addTrain,
  addEval,
  addEncode,
  addDecode,
  addReconstruct,
  addImpute,
  addGenerate,
  addFitDecoder,
  addGuarantee,
  addInspect,
  addSweep,
  addPath,
  addCompare,
  addReport,
  addSearch,
  addCompress,
  addDecompress,
  addConvert,
  addData,
  addPaper,
  addExport,
  addCompletion,
];
