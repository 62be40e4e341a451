import * as z from 'zod/mini';

/** The zod schema of a `TableSchema`, apart from the type so that users of the type do not load zod. */

const words = z.array(z.string());
const selection = z.union([z.string(), z.array(z.union([z.string(), z.number()]))]);

const fields = {
  values: z.enum(['bits', 'signs', 'unit', 'bytes', 'presence', 'numbers', 'packed']),
  binarize: z.enum(['sample', 'threshold', 'none']),
  seed: z.int(),
  kind: z.enum(['bits', 'real']),
  layout: z.enum(['wide', 'long', 'items']),
  header: z.boolean(),
  delimiter: z.string(),
  idColumn: z.union([z.string(), z.int().check(z.nonnegative()), z.boolean()]),
  columns: selection,
  categorical: z.union([z.boolean(), selection]),
  variable: z.string(),
  genotypes: z.enum(['dominant', 'recessive', 'additive']),
  ones: words,
  zeros: words,
  missing: words,
  words: z.record(z.string(), z.tuple([z.string(), z.string()])),
};

/** A schema in a model file: how its rows were read. */
export const learnedSchema = z.required(z.partial(z.strictObject(fields)), {
  ...{ values: true, binarize: true, seed: true, kind: true },
});

/** A schema as people declare it: any part of one. */
export const declaredSchema = z.partial(z.strictObject(fields));
