import type { TableValues } from '../rows/input.ts';
import type { TableSchema } from '../rows/schema.ts';

/** What the numbers of a flat table stand for where it does not say so: the same as those that were learned from. */
export function valuesBefore(schema: TableSchema | undefined): TableValues | undefined {
  if (schema?.kind !== 'real') return undefined;
  return schema.values === 'signs' || schema.values === 'unit' ? schema.values : undefined;
}
