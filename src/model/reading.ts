import { type HowRead, howRead } from '../formats/options.ts';
import { type RowsInput, type TableValues, valuesOf } from '../rows/input.ts';
import type { Rows } from '../rows/rows.ts';
import type { RowSource } from '../rows/source.ts';

/** How rows were read that a model learns from: by a file's source or, of a flat table of real values, by itself. */
export function readingOf(input: RowsInput | RowSource, rows: Rows | RowSource): HowRead | undefined {
  const values = 'kind' in rows && rows.kind === 'real' ? valuesOf(input) : undefined;
  return values ? { values, binarize: 'none', seed: 0, kind: 'real' } : howRead(input);
}

/** What the numbers of a flat table stand for where it does not say so: the same as those that were learned from. */
export function valuesBefore(reading: HowRead | undefined): TableValues | undefined {
  if (reading?.kind !== 'real') return undefined;
  return reading.values === 'signs' || reading.values === 'unit' ? reading.values : undefined;
}
