import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Argument, type Command } from 'commander';
import { CLAIM_NAMES, CLAIMS, claimsMarkdown } from '../../paper/claims.ts';
import { fillMarked } from '../../paper/marked.ts';
import { addFacts, readFacts } from '../../paper/results.ts';
import { document } from '../document.ts';
import { Interrupted } from '../errors.ts';
import type { Io } from '../io.ts';
import { whole } from '../parse.ts';
import { Session } from '../session.ts';
import { VERSION } from '../version.ts';
import { stepProgress } from './paper-progress.ts';

interface ClaimsOptions {
  readonly data: string;
  readonly out: string;
  readonly readme?: string;
  readonly models?: string;
  readonly epochs?: number;
  readonly seed: number;
  readonly threads?: number;
}

export function addPaperClaims(paper: Command, io: Io): void {
  const command = paper
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
    )
    .requiredOption('--data <folder>', 'the folder with the data sets')
    .option('--out <folder>', 'where claims.json goes', 'paper/results')
    .option('--readme <file>', 'also put the table between the markers of this file')
    .option('--models <folder>', 'where the autoencoders of the table are kept (default: models in --out)')
    .option('--epochs <count>', 'at most so many epochs in every run', whole(1))
    .option('--seed <k>', 'fixes everything random in learning', whole(0), 1)
    .option('--threads <count>', 'threads to use (default: one for each core, 8 at most)', whole(1));
  command.action(async (names: readonly string[], options: ClaimsOptions) => {
    const session = new Session(command, io);
    const { out, readme, epochs, seed, models = join(out, 'models') } = options;
    const path = join(out, 'claims.json');
    const kept = await readFacts(path);
    for (const name of names.length > 0 ? names : CLAIM_NAMES.filter((name) => !(name in kept))) {
      const began = session.seconds;
      const before = process.cpuUsage();
      const facts = await session.withEngine(options.threads, (engine) =>
        CLAIMS[name]
          .measure(options.data, {
            ...{ engine, seed, epochs, models, signal: io.signal },
            onProgress: stepProgress(session, name),
          })
          .catch((error: unknown) => {
            if (!io.signal.aborted) throw error;
            throw new Interrupted('interrupted; finished claims are kept');
          }),
      );
      const used = process.cpuUsage(before);
      await mkdir(out, { recursive: true });
      await addFacts(path, name, {
        ...{ facts, seed, ...(epochs === undefined ? {} : { epochs }), program: `pc-ae ${VERSION}` },
        ...{ wallSeconds: session.seconds - began, cpuSeconds: (used.user + used.system) / 1e6 },
      });
      session.say(`${name}: ${Math.round(session.seconds - began)} s`);
    }
    const claims = await readFacts(path);
    const markdown = claimsMarkdown(claims);
    if (readme !== undefined) await fillMarked(readme, 'claims', markdown);
    await session.result({ claims, seconds: session.seconds }, markdown);
  });
  document(command, {
    examples: [
      ['pcae paper claims --data datasets', 'all that have not been measured: some minutes'],
      ['pcae paper claims grey bound --data datasets', 'two of them, in any case'],
    ],
    json: {
      claims: '{name: {facts, seed, program, wallSeconds, cpuSeconds}}: what was measured, now or before',
      seconds: 'wall-clock seconds',
    },
  });
}
