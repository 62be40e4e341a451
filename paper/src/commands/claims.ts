import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Argument, type Command } from 'commander';
import { CLAIM_NAMES, CLAIMS, claimsMarkdown } from '../claims.ts';
import { fillMarked } from '../marked.ts';
import { addFacts, readFacts } from '../results.ts';
import { addRunOptions, modelsOf, PROGRAM, type RunOptions } from './run-options.ts';
import { Interrupted, type Io, Session } from './session.ts';
import { examples } from './text.ts';

export function addClaims(program: Command, io: Io): void {
  const command = program
    .command('claims')
    .summary("what the paper's text claims, measured")
    .description(
      "Measures statements of the paper's text and writes what was found beside them, to claims.json and, where a " +
        'file with the markers is named, to its table.',
    )
    .addArgument(
      new Argument(
        '[name...]',
        'which claims to measure, again if need be (default: those that have not been)',
      ).choices(CLAIM_NAMES),
    );
  addRunOptions(command, 'claims.json goes').action(async (names: readonly string[], options: RunOptions) => {
    const session = new Session(command, io);
    const { out, readme, epochs, seed } = options;
    const path = join(out, 'claims.json');
    const kept = await readFacts(path);
    for (const name of names.length > 0 ? names : CLAIM_NAMES.filter((name) => !(name in kept))) {
      const began = session.seconds;
      const before = process.cpuUsage();
      const facts = await session.withEngine(options.threads, (engine) =>
        CLAIMS[name]
          .measure(options.data, {
            ...{ engine, seed, epochs, models: modelsOf(options), signal: io.signal },
            onProgress: session.steps(name),
          })
          .catch((error: unknown) => {
            if (!io.signal.aborted) throw error;
            throw new Interrupted('interrupted; finished claims are kept');
          }),
      );
      const used = process.cpuUsage(before);
      await mkdir(out, { recursive: true });
      await addFacts(path, name, {
        ...{ facts, seed, ...(epochs === undefined ? {} : { epochs }), program: PROGRAM },
        ...{ wallSeconds: session.seconds - began, cpuSeconds: (used.user + used.system) / 1e6 },
      });
      session.say(`${name}: ${Math.round(session.seconds - began)} s`);
    }
    const claims = await readFacts(path);
    const markdown = claimsMarkdown(claims);
    if (readme !== undefined) await fillMarked(readme, 'claims', markdown);
    session.result({ claims, seconds: session.seconds }, markdown);
  });
  command.addHelpText(
    'after',
    examples([
      ['claims --data datasets', 'all that have not been measured: some minutes'],
      ['claims grey bound --data datasets', 'two of them, in any case'],
    ]),
  );
}
