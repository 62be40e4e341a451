import { lstat, mkdir, realpath, stat } from 'node:fs/promises';
import { explainWrite, refuseSpecial, removeLeftovers } from '../formats/node/atomic.ts';
import { LockedError, lockFile } from '../node/lock.ts';
import { badFile } from '../rows/errors.ts';
import { UsageError } from './errors.ts';
import type { Session } from './session.ts';

/**
 * Makes sure, before any work, that a command can write its result, and locks that file until the command
 * ends. The files that it reads, `inputs`, are never overwritten, not even with --force.
 */
export async function claimOutput(
  session: Session,
  path: string | undefined,
  force: boolean | undefined,
  inputs: Inputs,
): Promise<void> {
  if (!namesFile(path)) return;
  await refuseSpecial(path);
  const found = await lstat(path).catch(() => undefined);
  if (found && !force) {
    const dangling = found.isSymbolicLink() && !(await stat(path).catch(() => undefined));
    const what = dangling ? 'is a link that leads nowhere' : 'already exists';
    throw badFile(path, `${what}; use --force to overwrite it`);
  }
  await refuseInput(path, inputs);
  try {
    session.io.atEnd(
      await lockFile(path, async () => {
        await removeLeftovers(path);
        await removeLeftovers(checkpointOf(path));
      }),
    );
  } catch (error) {
    if (error instanceof LockedError) throw error;
    await explainWrite(path, Promise.reject(error));
  }
}

/** Refuses to write a file that the command reads. */
export async function refuseInput(path: string, inputs: Inputs): Promise<void> {
  const places = await Promise.all(inputs.map(place));
  if (!places.includes(await place(path))) return;
  throw badFile(path, 'is read by this command and cannot be its output: name another file');
}

/** The same as `claimOutput` for commands whose result is always a file. */
export async function claimFile(
  session: Session,
  path: string | undefined,
  force: boolean | undefined,
  inputs: Inputs,
): Promise<void> {
  if (path === '-') throw new UsageError('-o - is for rows; this command writes a file, which needs a name');
  return claimOutput(session, path, force, inputs);
}

/** Makes a folder for results, before any work. */
export async function makeFolder(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found && !found.isDirectory()) throw badFile(path, 'is a file; name a folder');
  await explainWrite(path, mkdir(path, { recursive: true }));
}

/** Refuses a name whose ending promises another kind of file than the one that is written. */
export function checkEnding(path: string | undefined, ending: string, kind: string): void {
  if (path === undefined || path.toLowerCase().endsWith(ending)) return;
  throw new UsageError(`${path}: is written as ${kind}: name it ${ending}`);
}

/** The same for models, whose names may end in anything else. */
export function checkModelName(path: string): void {
  if (!/\.(npy|npz|csv|tsv|bits|parquet|jsonl?|onnx|svg|html?|pcz|index|png|pdf)$/i.test(path)) return;
  throw new UsageError(`${path}: is written as a model: name it .safetensors`);
}

/** Whether an output is a file: without a name, or named -, it is the standard output. */
export function namesFile(output: string | undefined): output is string {
  return output !== undefined && output !== '-';
}

/** The checkpoint beside an output. */
export function checkpointOf(output: string): string {
  return `${output}.checkpoint`;
}

/** Values of options, of which only texts are names of files. */
type Inputs = readonly (string | number | undefined)[];

/** The real path of a file; something unique if it does not exist. */
function place(path: Inputs[number]): Promise<unknown> {
  return realpath(String(path)).catch(() => Symbol());
}
