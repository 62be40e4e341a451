import { Command } from 'commander';
import { COMMANDS, FORMER } from './commands.ts';
import { HELP } from './document.ts';
import { explain, UsageError } from './errors.ts';
import type { Io, World } from './io.ts';
import { guarded } from './terminal.ts';
import { VERSION } from './version.ts';

/** Runs one command line and gives its exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted. */
export async function run(argv: readonly string[], world: World): Promise<number> {
  const endings: (() => Promise<void>)[] = [];
  const io = { ...guarded(world), atEnd: (work: () => Promise<void>) => void endings.push(work) };
  try {
    const words = withoutHelp(argv);
    const program = await createProgram(io, needed(words));
    refuseMissingValue(words, program);
    await program.parseAsync(words, { from: 'user' });
    return 0;
  } catch (error) {
    return explain(error, io, argv.includes('--debug'));
  } finally {
    for (const end of endings) await end();
  }
}

/** `help NAME` without such a command becomes `NAME`, whose error proposes a similar command. */
function withoutHelp(argv: readonly string[]): string[] {
  const [first, name] = argv;
  return first === 'help' && name !== undefined && !Object.hasOwn(COMMANDS, name) ? argv.slice(1) : [...argv];
}

/** The commands whose options have to be loaded for these words. */
function needed(argv: readonly string[]): readonly string[] {
  const [first, second] = argv.filter((word) => !word.startsWith('-'));
  const name = first === 'help' ? second : first;
  const words = argv.map((word) => word.split('=')[0]);
  const options = words.filter((word) => word.startsWith('--'));
  for (const former of [...words.map((word) => `${name} ${word}`), ...options, name]) {
    if (former !== undefined && Object.hasOwn(FORMER, former))
      throw new UsageError(`${former} has a new name: ${FORMER[former]}`);
  }
  // Shell completion needs all commands.
  if (name === 'completion') return Object.keys(COMMANDS);
  return name !== undefined && Object.hasOwn(COMMANDS, name) ? [name] : [];
}

/** An option that needs a value is not given the next option as its value: `--calibrate -o model`. */
function refuseMissingValue(words: readonly string[], program: Command): void {
  const options = program.commands.flatMap((command) => command.options);
  const named = (word: string) => options.find(({ short, long }) => word === short || word === long);
  for (const [k, word] of words.entries()) {
    const [option, next] = [named(word), words[k + 1]];
    if (!option?.required || next === undefined || !named(next)) continue;
    const missing = `option '${option.flags}' argument missing: ${next} follows it`;
    throw new UsageError(`${missing}\n${longerName(`error: ${missing}`, program)}`.trim());
  }
}

/** What to do about a command that is none, or that was given more than it takes. */
function advice(message: string, program: Command): string {
  const [, name] = /^error: unknown command '(.*)'/.exec(message) ?? [];
  if (name !== undefined && /[./\\]/.test(name))
    return `(a command comes first, as in pcae train ${name} -H 8 -o model.safetensors)\n`;
  const [, crowded] = /^error: too many arguments for '(.*)'/.exec(message) ?? [];
  const given = program.commands.find((command) => command.name() === crowded)?.args;
  if (given === undefined) return '';
  return `(found ${given.join(', ')}; a name with spaces needs quotes)\n`;
}

/**
 * Which option is meant where one was given no value, or a wrong one, and another begins with its name:
 * --hidden is the number of units, and who compares by hidden entries may take it for --hidden-entries.
 */
function longerName(message: string, program: Command): string {
  const [, name] = /^error: option '.*(--\S+) <.*' argument /.exec(message) ?? [];
  const all = program.commands.flatMap(({ options }) => options.flatMap(({ long }) => long ?? []));
  const longer = name === undefined ? [] : all.filter((other) => other.startsWith(`${name}-`));
  return longer.map((other) => `(there is also ${other})\n`).join('');
}

/** The program with the options of the named commands; of the others it knows only the summaries. */
export async function createProgram(
  io: Io,
  names: readonly string[] = Object.keys(COMMANDS),
): Promise<Command> {
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
    .configureHelp({ showGlobalOptions: true, ...HELP })
    .configureOutput({
      // A reader that stops early (`| head`) is no failure.
      writeOut: (text) => void io.out(text).catch(() => undefined),
      writeErr: (text) => io.err(text),
      outputError: (text, write) => write(text + longerName(text, program) + advice(text, program)),
      getErrHelpWidth: () => io.width,
      getOutHelpWidth: () => io.width,
    })
    .showHelpAfterError('(add --help for the options and examples)')
    .exitOverride();
  for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
    if (names.includes(name)) (await load())(program, io);
    else program.command(name);
    program.commands.find((command) => command.name() === name)?.summary(summary);
  }
  return program;
}
