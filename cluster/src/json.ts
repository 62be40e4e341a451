import type { z } from 'zod';

/** A value as the bytes of its JSON. */
export function toJson(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

/** The value that these bytes are the JSON of, found to be as the schema has it. */
export function fromJson<T>(schema: z.ZodType<T>, bytes: Uint8Array): T {
  return schema.parse(JSON.parse(new TextDecoder().decode(bytes)));
}
