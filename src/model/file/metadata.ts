import * as z from 'zod/mini';
import type { ColumnGroup } from '../../rows/about.ts';
import { learnedSchema } from '../../rows/check-schema.ts';
import { conforming } from '../../rows/conforming.ts';
import { counted } from '../../rows/counted.ts';
import { FormatError } from '../../rows/errors.ts';
import { mostHidden } from '../../training/hidden.ts';

/** What the metadata of all model files have in common: JSON under 'pc-ae', which says of what format it is. */

/** A number of rows, columns or units. */
export const size = z.int().check(z.positive(), z.lte(2 ** 31));

const group = z.object({
  name: z.string(),
  first: z.int().check(z.nonnegative()),
  values: z.array(z.string()).check(z.minLength(1)),
});

/** What a file tells of the rows that were learned from, so that new ones are read alike. */
export const aboutRows = {
  columns: z.optional(z.array(z.string())),
  groups: z.optional(z.array(group)),
  image: z.optional(z.object({ height: size, width: size })),
  schema: z.optional(learnedSchema),
};

/** Names and groups must be those of V columns. */
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

/** A file must not claim more units than could have been learned: arrays of their number are made from it. */
export function checkUnits(V: number, H: number, name: string): void {
  const most = mostHidden(V);
  if (H <= most) return;
  throw new FormatError(
    name,
    'metadata, H',
    `claims ${H} units; rows of ${V} columns can have ${most} at most`,
  );
}

/** The JSON of a file, and the format that it claims to be of. */
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

/** The metadata as a schema wants them, or an error that names the first entry that it does not. */
export function checkMetadata<T>(schema: z.ZodMiniType<T>, json: unknown, name: string): T {
  return conforming(
    schema,
    json,
    (place, message) => new FormatError(name, `metadata, ${place.join('.') || 'top level'}`, message),
  );
}
