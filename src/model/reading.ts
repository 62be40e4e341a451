import { isSource, type RowsInput, type TableValues, valuesOf } from '../rows/input.ts';
import type { Rows } from '../rows/rows.ts';
import type { TableSchema } from '../rows/schema.ts';
import type { RowSource } from '../rows/source.ts';

/** How rows were read that a model learns from: by a file's source or, of a flat table of real values, by itself. */
export function readingOf(input: RowsInput | RowSource, rows: Rows | RowSource): TableSchema | undefined {
  const values = 'kind' in rows && rows.kind === 'real' ? valuesOf(input) : undefined;
  return values
    ? { values, binarize: 'none', seed: 0, kind: 'real' }
    : isSource(input)
      ? input.schema
      : undefined;
}

/** What the numbers of a flat table stand for where it does not say so: the same as those that were learned from. */
export function valuesBefore(schema: TableSchema | undefined): TableValues | undefined {
  if (schema?.kind !== 'real') return undefined;
  return schema.values === 'signs' || schema.values === 'unit' ? schema.values : undefined;
}
