import { access } from 'node:fs/promises';
import type { OpenedSource } from '../formats/options.ts';
import type { CheckpointFile } from '../node/checkpoints.ts';
import { badFile } from '../rows/errors.ts';
import { OtherRunError } from '../training/checkpoint/other-run.ts';
import type { Session } from './session.ts';

/** Identifies how the table was read; learning itself identifies the rows. */
export function identify(source: OpenedSource): string {
  const { n, V, format, schema } = source;
  const { values, binarize, seed } = schema;
  return JSON.stringify({ n, V, format, values, binarize, seed });
}

/** The checkpoint to continue from. Without --resume, an existing checkpoint is not discarded silently. */
export async function chooseStart(
  checkpoints: CheckpointFile,
  options: { readonly resume?: boolean; readonly force?: boolean },
  session: Session,
) {
  const { path } = checkpoints;
  if (!options.resume) {
    if (options.force || !(await exists(path))) return undefined;
    throw badFile(
      path,
      'is left from an earlier run: use --resume to continue from it, or --force to start over',
    );
  }
  const found = await resuming(path, () => checkpoints.load());
  if (!found) session.say(`there is no checkpoint ${path}: starting from the beginning`);
  return found;
}

/**
 * Work that continues from a checkpoint. A checkpoint of another run is refused in terms of the command line.
 */
export function resuming<T>(path: string, work: () => Promise<T>): Promise<T> {
  return work().catch((error: unknown) => {
    if (!(error instanceof OtherRunError)) throw error;
    throw badFile(
      path,
      `belongs to another run: ${error.differences}. Use the same data and options as before, or --force instead of ` +
        '--resume to start over',
    );
  });
}

export async function howToGoOn(checkpoints: CheckpointFile): Promise<string> {
  const saved = await exists(checkpoints.path);
  return saved
    ? `interrupted; saved ${checkpoints.path}\nTo continue, run the same command with --resume.`
    : 'interrupted before there was anything to save';
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
