import { FORMATS, type FormatName } from 'pc-ae/formats';
import type { RowsAbout } from 'pc-ae/rows';
import { z } from 'zod';
import { hashOf } from './hash.ts';

/**
 * A frozen table in pieces: what is known of its columns, and for each shard where it is, which rows it holds
 * and the hash of its bytes. Shards are cut by the number of rows alone, never by who will work on them.
 */
export interface Manifest extends Omit<RowsAbout, 'ids'> {
  readonly version: 1;
  readonly n: number;
  readonly V: number;
  readonly kind: 'bits' | 'real';
  readonly shards: readonly Shard[];
}

export interface Shard {
  /** The key of its bytes in the store. */
  readonly uri: string;
  readonly firstRow: number;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
  /** A file as it was found, of this format; else rows as `rows-file.ts` writes them. */
  readonly format?: FormatName;
}

const count = z.number().int().nonnegative();

const manifestSchema = z.object({
  version: z.literal(1),
  n: count,
  V: count,
  kind: z.enum(['bits', 'real']),
  columns: z.array(z.string()).optional(),
  groups: z.array(z.object({ name: z.string(), first: count, values: z.array(z.string()) })).optional(),
  image: z.object({ height: count, width: count }).optional(),
  schema: z.looseObject({}).optional(),
  shards: z.array(
    z.object({
      uri: z.string(),
      firstRow: count,
      rows: count.min(1),
      bytes: count,
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
      format: z.enum(FORMATS).optional(),
    }),
  ),
});

/** The manifest as the bytes that it is hashed by. */
export function manifestBytes(manifest: Manifest): Uint8Array {
  const { version, n, V, kind, columns, groups, image, schema, shards } = manifest;
  const fields = { version, n, V, kind, columns, groups, image, schema, shards };
  return new TextEncoder().encode(`${JSON.stringify(fields, null, 2)}\n`);
}

/** Reads a manifest and gives its hash, which is what runs are about. `name` is what errors call it. */
export function readManifest(bytes: Uint8Array, name = 'manifest'): { manifest: Manifest; hash: string } {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new RangeError(`${name} is not a manifest: it is not JSON. \`pcae-cluster shard\` writes one`);
  }
  const checked = manifestSchema.safeParse(json);
  if (!checked.success) {
    const [{ path, message }] = checked.error.issues;
    throw new RangeError(`${name} is not a manifest: ${path.join('.') || 'top level'}: ${message}`);
  }
  const manifest = checked.data as unknown as Manifest;
  let next = 0;
  for (const [s, { firstRow, rows }] of manifest.shards.entries()) {
    if (firstRow !== next)
      throw new RangeError(`${name}: shard ${s} begins with row ${firstRow}, not ${next}`);
    next += rows;
  }
  if (next !== manifest.n)
    throw new RangeError(`${name}: its shards hold ${next} rows, but it declares ${manifest.n}`);
  return { manifest, hash: hashOf(manifestBytes(manifest)) };
}
