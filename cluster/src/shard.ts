import { readFile } from 'node:fs/promises';
import { type OpenedSource, type OpenOptions, openSource } from 'pc-ae/node';
import { collect, type RowSource, type Rows, rowBytes, sliceRows } from 'pc-ae/rows';
import { hashOf } from './hash.ts';
import { type Manifest, manifestBytes, type Shard } from './manifest.ts';
import { rowsToBytes } from './rows-file.ts';
import type { Store } from './store/store.ts';

interface ShardOptions extends OpenOptions {
  /** Rows of a shard, the last one's apart. Default: what about 4 MiB hold, 1,000 at least. */
  readonly shardRows?: number;
  /**
   * Every file is a shard as it is: nothing is cut or written anew. For Parquet files of equal columns, say.
   */
  readonly asIs?: boolean;
  readonly onProgress?: (rows: number, of: number) => void;
}

/**
 * Cuts tables into shards in the store: one file, or several one after the other, read alike. A shard may
 * span files: where it ends depends on the number of rows alone. The same rows in the same order are the same
 * manifest, bit for bit.
 */
export async function shardFiles(
  paths: readonly string[],
  store: Store,
  options: ShardOptions = {},
): Promise<{ manifest: Manifest; hash: string }> {
  const { shardRows, asIs, onProgress, ...reading } = options;
  const sources: OpenedSource[] = [];
  for (const path of paths)
    sources.push(await openSource(path, { ...reading, ...(sources[0] && { like: sources[0] }) }));
  const joined = inARow(sources);
  if (asIs) return wholeFiles(paths, sources, joined, store);
  return shardSource(joined, store, { shardRows, onProgress });
}

/** The bytes of files as shards. Workers read them as the first one was read here. */
async function wholeFiles(
  paths: readonly string[],
  sources: readonly OpenedSource[],
  { n, V, columns, groups, image, schema }: RowSource,
  store: Store,
): Promise<{ manifest: Manifest; hash: string }> {
  const shards: Shard[] = [];
  let firstRow = 0;
  for (const [k, path] of paths.entries()) {
    const bytes = await readFile(path);
    const sha256 = await store.put(bytes);
    const { n: rows, format } = sources[k];
    shards.push({ uri: store.uriOf(sha256), firstRow, rows, bytes: bytes.length, sha256, format });
    firstRow += rows;
  }
  const kind = schema?.kind === 'real' ? 'real' : 'bits';
  const manifest = { version: 1, n, V, kind, columns, groups, image, schema, shards } as const;
  return { manifest, hash: hashOf(manifestBytes(manifest)) };
}

/** The same for rows that are open already. */
export async function shardSource(
  source: RowSource,
  store: Store,
  options: Pick<ShardOptions, 'shardRows' | 'onProgress'> = {},
): Promise<{ manifest: Manifest; hash: string }> {
  const { n, V, columns, groups, image, schema } = source;
  if (n === 0) throw new RangeError('shard: the files hold no rows');
  const size = options.shardRows ?? Math.max(1000, Math.floor(SHARD_BYTES / rowBytes(V)));
  if (!(Number.isInteger(size) && size > 0))
    throw new RangeError(`shard: rows of a shard must be a whole number above 0, got ${size}`);
  const shards: Shard[] = [];
  let kind: Rows['kind'] = 'bits';
  let firstRow = 0;
  for await (const rows of inPieces(source, size)) {
    const bytes = rowsToBytes(rows);
    const sha256 = await store.put(bytes);
    shards.push({ uri: store.uriOf(sha256), firstRow, rows: rows.n, bytes: bytes.length, sha256 });
    kind = rows.kind;
    firstRow += rows.n;
    options.onProgress?.(firstRow, n);
  }
  const manifest = { version: 1, n, V, kind, columns, groups, image, schema, shards } as const;
  return { manifest, hash: hashOf(manifestBytes(manifest)) };
}

/** Sources one after the other. */
function inARow(sources: readonly OpenedSource[]): RowSource {
  const [first] = sources;
  if (!first) throw new RangeError('shard: name at least one file');
  for (const { name, V, schema } of sources) {
    if (V !== first.V)
      throw new RangeError(`shard: ${name} has ${V} columns, but ${first.name} has ${first.V}`);
    if (schema.kind !== first.schema.kind)
      throw new RangeError(
        `shard: ${name} holds ${schema.kind} values, but ${first.name} holds ${first.schema.kind} ones`,
      );
  }
  const { V, columns, groups, image, schema } = first;
  const named = sources.every((source) => source.ids);
  const ids = named ? sources.flatMap((source) => [...source.ids!]) : undefined;
  return {
    ...{ V, columns, groups, image, schema, ids },
    n: sources.reduce((sum, source) => sum + source.n, 0),
    async *chunks(size) {
      for (const source of sources) yield* source.chunks(size);
    },
  };
}

/** A source in pieces of exactly `size` rows, whatever chunks it comes in; the last one is what is left. */
async function* inPieces(source: RowSource, size: number): AsyncGenerator<Rows> {
  let [parts, waiting, given]: [Rows[], number, number] = [[], 0, 0];
  const piece = async (): Promise<Rows> => {
    const [joined, n] = [parts, waiting];
    const ids = source.ids && Array.from({ length: n }, (_, i) => source.ids?.at(given + i) ?? '');
    [parts, waiting, given] = [[], 0, given + n];
    const chunks = async function* () {
      yield* joined;
    };
    return collect({ n, V: source.V, ...(ids && { ids }), chunks });
  };
  for await (const chunk of source.chunks(size)) {
    for (let start = 0; start < chunk.n; ) {
      const end = Math.min(chunk.n, start + size - waiting);
      parts.push(sliceRows(chunk, start, end));
      waiting += end - start;
      start = end;
      if (waiting === size) yield await piece();
    }
  }
  if (waiting > 0) yield await piece();
}

/** The usual size of a shard: small enough to be read at once, large enough to outweigh communication. */
const SHARD_BYTES = 4 * 2 ** 20;
