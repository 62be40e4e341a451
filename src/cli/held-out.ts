import { InvalidArgumentError, Option } from 'commander';
import type { OpenedSource } from '../formats/options.ts';
import { collect } from '../rows/memory.ts';
import type { Rows } from '../rows/rows.ts';
import { split } from '../rows/split.ts';
import { type DataOptions, openAlike } from './data.ts';

/** The option for held-out rows, which only measure losses. */
export const heldOutOption = () =>
  new Option('--held-out <share|file>', 'rows to measure on: a share of the data, or a file')
    .argParser(parseValidation)
    .default(0.1);

/** A share of the rows to hold out, or the name of a file with other rows. */
export function parseValidation(text: string): number | string {
  const share = Number(text);
  if (text.trim() === '' || Number.isNaN(share)) return text;
  if (share > 0 && share < 1) return share;
  throw new InvalidArgumentError('Expected a share between 0 and 1, or a file.');
}

/** The rows to learn from and the rows to measure on: a share of the source, or another file. */
export async function trainingAndHeld(
  source: OpenedSource,
  options: DataOptions & { readonly heldOut: number | string; readonly seed: number },
): Promise<{ training: Rows; held: Rows }> {
  const rows = await collect(source);
  const { heldOut } = options;
  if (typeof heldOut === 'string') {
    return { training: rows, held: await collect(await openAlike(heldOut, source, options)) };
  }
  const { training, held } = split({ rows }, heldOut, options.seed);
  return { training: training.rows, held: held.rows };
}
