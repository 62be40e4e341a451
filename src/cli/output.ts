import { Option } from 'commander';
import { encodeRows, type WrittenFormat, writtenFormat } from '../formats/encode.ts';
import { writeAtomic } from '../formats/node/atomic.ts';
import type { WriteOptions } from '../formats/write.ts';
import type { RowSource } from '../rows/source.ts';
import { namesFile } from './claim.ts';
import { UsageError } from './errors.ts';
import type { Session } from './session.ts';
import { counted, number } from './text.ts';

/** Where rows are written: a file or, without one, standard output. */
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
  if (!namesFile(output)) {
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
  if (namesFile(output)) {
    await writeAtomic(output, pieces, { force });
    return;
  }
  for await (const piece of pieces) await session.io.out(piece);
}

/** Reports what was written, unless the rows themselves went to standard output. */
export async function reportWritten(
  session: Session,
  options: OutputOptions,
  facts: Readonly<Record<string, unknown>> & { readonly n: number; readonly V: number },
  /** Columns of the file, if categories fill one of several, and what else to say. */
  { columns = facts.V, more = '' } = {},
): Promise<void> {
  const { output } = options;
  const { seconds } = session;
  if (!namesFile(output)) return;
  const { n } = facts;
  await session.result(
    { ...facts, output, seconds },
    `${output}: ${counted(n, 'row')} of ${counted(columns, 'column')}${more}, ${number(seconds)} s\n`,
  );
}
