import { en } from 'zod/locales';
import type { ZodMiniType } from 'zod/mini';

/**
 * What came from outside, as its schema wants it. Otherwise `fault` makes the error, of the first entry that
 * does not conform: its place, from the top, and what is wrong with it. Zod's small half, which pages load,
 * has no words of its own.
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
