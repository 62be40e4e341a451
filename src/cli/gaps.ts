import { encodingOf } from '../encodings/by-name.ts';
import type { EncodingName } from '../encodings/encoding.ts';
import type { OpenedSource } from '../formats/options.ts';
import { anyMissing } from '../rows/rows.ts';

/** The options that `learnsToFill` looks at. */
interface Fillable {
  readonly ridge?: unknown;
  readonly neighbours?: unknown;
  readonly encoding: EncodingName;
  readonly algorithm: string;
  readonly lowMemory?: boolean;
  readonly l1?: number;
  readonly l1File?: string;
  readonly noise?: unknown;
  readonly clean?: string;
  readonly time?: number;
}

/** Whether to learn for filling in: if the table has gaps, and no option asks for something else. */
export async function learnsToFill(options: Fillable, source: OpenedSource): Promise<boolean> {
  const { ridge, neighbours, encoding, algorithm, lowMemory, l1 = 0, l1File, noise, clean, time } = options;
  const said = [ridge, neighbours, l1File, noise, clean, time].some((value) => value !== undefined);
  if (said || l1 > 0 || lowMemory || algorithm !== 'fast' || encodingOf(encoding).discrete) return false;
  // Hidden entries are those of rows held out.
  if (source.n < 2) return false;
  if (source.gaps !== undefined) return source.gaps;
  for await (const rows of source.chunks(ROWS)) if (anyMissing(rows)) return true;
  return false;
}

const ROWS = 4096;
