import { lstat, realpath, stat } from 'node:fs/promises';
import { Option } from 'commander';
import { encodeRows, type WrittenFormat, writtenFormat } from '../formats/encode.ts';
import { removeLeftovers, writeAtomic } from '../formats/node/atomic.ts';
import type { WriteOptions } from '../formats/write.ts';
import { LockedError, lockFile } from '../node/lock.ts';
import { FormatError } from '../rows/errors.ts';
import type { RowSource } from '../rows/source.ts';
import { UsageError } from './errors.ts';
import type { Session } from './session.ts';
import { number } from './text.ts';

/** Where rows are written: a file, or standard output where none is named. */
export interface OutputOptions {
  readonly output?: string;
  readonly to?: WrittenFormat;
  readonly packed?: boolean;
  readonly force?: boolean;
}

export const toOption = () =>
  new Option(
    '--to <format>',
    'format to write (default: by the ending of the output; csv without one)',
  ).choices(['npy', 'csv', 'tsv', 'bits', 'parquet', 'jsonl']);

/**
 * Stops a command that could not write its result in the end before it has done any work: until it ends, nobody else
 * writes that file. What it reads, `inputs`, is never written over, not even by force.
 */
export async function claimOutput(
  session: Session,
  path: string | undefined,
  force: boolean | undefined,
  inputs: Inputs,
): Promise<void> {
  if (path === undefined || path === '-') return;
  const found = await lstat(path).catch(() => undefined);
  if (found?.isDirectory()) throw new FormatError(path, '', 'is a folder; name a file');
  if (found && !force) {
    const dangling = found.isSymbolicLink() && !(await stat(path).catch(() => undefined));
    const what = dangling ? 'is a link that leads nowhere' : 'exists already';
    throw new FormatError(path, '', `${what}; say --force to overwrite it`);
  }
  const places = await Promise.all(inputs.map(place));
  if (places.includes(await place(path))) {
    throw new FormatError(path, '', 'is read by this command and cannot be its output: name another file');
  }
  try {
    session.io.atEnd(
      await lockFile(path, async () => {
        await removeLeftovers(path);
        await removeLeftovers(checkpointOf(path));
      }),
    );
  } catch (error) {
    if (error instanceof LockedError) throw error;
    throw new FormatError(
      path,
      '',
      'cannot be written: its folder does not exist, or writing there is not allowed',
      error,
    );
  }
}

/** The same for commands that write no rows: their result is a file, which needs a name. */
export async function claimFile(
  session: Session,
  path: string | undefined,
  force: boolean | undefined,
  inputs: Inputs,
): Promise<void> {
  if (path === '-') throw new UsageError('-o - is for rows; this command writes a file, which needs a name');
  return claimOutput(session, path, force, inputs);
}

/** The file beside an output that learning goes on from. */
export function checkpointOf(output: string): string {
  return `${output}.checkpoint`;
}

/** Names of files as options hold them, where numbers and nothing are none. */
type Inputs = readonly (string | number | undefined)[];

/** The full name of a file, links followed; something else for each that does not exist. */
function place(path: Inputs[number]): Promise<unknown> {
  return realpath(String(path)).catch(() => Symbol());
}

/** The format to write; wrong combinations are found before the work begins. */
export function outputFormat(options: OutputOptions, session: Session): WrittenFormat {
  const format = chosenFormat(options, session);
  if (options.packed && format !== 'npy') {
    throw new UsageError(
      `--packed is for .npy files, and this is ${format}: name the output .npy, or leave it out`,
    );
  }
  return format;
}

function chosenFormat({ output, to }: OutputOptions, session: Session): WrittenFormat {
  if (output === undefined || output === '-') {
    if (session.json)
      throw new UsageError('--json and the rows cannot both go to standard output: name a file with -o');
    return to ?? 'csv';
  }
  if (to) return to;
  try {
    return writtenFormat(output);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Writes rows as they come, to a file that appears at the end, or to standard output. */
export async function writeRows(
  source: RowSource,
  options: OutputOptions,
  session: Session,
  write: WriteOptions & { readonly masked?: boolean } = {},
): Promise<void> {
  const pieces = encodeRows(source, outputFormat(options, session), write);
  const { output, force } = options;
  if (output !== undefined && output !== '-') {
    await writeAtomic(output, pieces, { force });
    return;
  }
  for await (const piece of pieces) await session.io.out(piece);
}

/** Ends a command that wrote rows: with what it wrote, unless standard output has the rows themselves. */
export async function reportWritten(
  session: Session,
  options: OutputOptions,
  facts: Readonly<Record<string, unknown>> & { readonly n: number; readonly V: number },
): Promise<void> {
  const { output } = options;
  const { seconds } = session;
  if (output === undefined || output === '-') return;
  const { n, V } = facts;
  await session.result(
    { ...facts, output, seconds },
    `${output}: ${n} rows of ${V} columns, ${number(seconds)} s\n`,
  );
}
