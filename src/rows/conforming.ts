import { en } from 'zod/locales';
import type { ZodMiniType } from 'zod/mini';

/**
 * Checks data from outside by a schema. `fault` makes the error from the path of the first entry that does
 * not conform and from what is wrong with it; zod/mini, which pages load, has no error messages of its own.
 */
export function conforming<T>(
  schema: ZodMiniType<T>,
  found: unknown,
  fault: (place: readonly PropertyKey[], message: string) => Error,
): T {
  const checked = schema.safeParse(found, { error: en().localeError });
  if (checked.success) return checked.data;
  const [{ path, message }] = checked.error.issues;
  throw fault(path, message);
}
