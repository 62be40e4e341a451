import * as z from 'zod/mini';
import type { ColumnGroup } from '../../rows/about.ts';
import { learnedSchema } from '../../rows/check-schema.ts';
import { conforming } from '../../rows/conforming.ts';
import { counted } from '../../rows/counted.ts';
import { FormatError } from '../../rows/errors.ts';
import { mostHidden } from '../../training/hidden.ts';

/**
 * The metadata that all model files have in common: JSON under 'pc-ae', which names the format of the file.
 */

/** A number of rows, columns or units. */
export const size = z.int().check(z.positive(), z.lte(2 ** 31));

const group = z.object({
  name: z.string(),
  first: z.int().check(z.nonnegative()),
  values: z.array(z.string()).check(z.minLength(1)),
});

/** What a file says about the training rows, so that new rows are read in the same way. */
export const aboutRows = {
  columns: z.optional(z.array(z.string())),
  groups: z.optional(z.array(group)),
  image: z.optional(z.object({ height: size, width: size })),
  schema: z.optional(learnedSchema),
};

/** Refuses column names and groups that do not match V columns. */
export function checkColumns(
  V: number,
  columns: readonly string[] | undefined,
  groups: readonly ColumnGroup[] | undefined,
  name: string,
): void {
  if (columns && columns.length !== V) {
    throw new FormatError(name, 'metadata', `names ${counted(columns.length, 'column')} for rows of ${V}`);
  }
  for (const { name: group, first, values } of groups ?? []) {
    if (first + values.length > V)
      throw new FormatError(name, 'metadata', `group '${group}' reaches beyond the ${V} columns`);
  }
}

/** Refuses files with more units than learning allows, before arrays of that size are made. */
export function checkUnits(V: number, H: number, name: string): void {
  const most = mostHidden(V);
  if (H <= most) return;
  throw new FormatError(
    name,
    'metadata, H',
    `claims ${H} units; rows of ${V} columns can have ${most} at most`,
  );
}

/** The JSON of a file and the format that it claims. */
export function parseMetadata(
  metadata: Readonly<Record<string, string>>,
  name: string,
): { json: unknown; format: unknown } {
  const text = metadata['pc-ae'];
  if (text === undefined) {
    throw new FormatError(
      name,
      'metadata',
      "is a safetensors file, but not a model of ours: no 'pc-ae' entry",
    );
  }
  try {
    const json: unknown = JSON.parse(text);
    return { json, format: (json as { format?: unknown } | null)?.format };
  } catch (error) {
    throw new FormatError(name, 'metadata', `cannot be read as JSON (${(error as Error).message})`);
  }
}

/** The metadata checked by a schema; the error names the first entry that does not match. */
export function checkMetadata<T>(schema: z.ZodMiniType<T>, json: unknown, name: string): T {
  return conforming(
    schema,
    json,
    (place, message) => new FormatError(name, `metadata, ${place.join('.') || 'top level'}`, message),
  );
}
