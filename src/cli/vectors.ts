import { encodingOf } from '../encodings/by-name.ts';
import { openSource } from '../formats/node/open.ts';
import type { OpenOptions } from '../formats/options.ts';
import type { CodeData, CodeModel, SearchableModel } from '../node/code-models.ts';
import { readBytes } from '../node/read-bytes.ts';
import { entriesOf } from '../rows/entries.ts';
import { collect } from '../rows/memory.ts';
import type { NameList } from '../rows/names.ts';
import type { Vectors } from '../vectors/vectors.ts';
import { UsageError } from './errors.ts';
import { refuseMissing } from './refuse-first.ts';

/** Rows for an index, with their names if the file has them. */
export interface IndexData<Data> {
  readonly data: Data;
  readonly n: number;
  readonly ids?: NameList;
}

/** A model whose codes can be searched; others are refused in terms of the command line. */
export function checkedSearchable(model: SearchableModel, path: string): SearchableModel {
  if (!('encoding' in model) || encodingOf(model.encoding).discrete) return model;
  throw new UsageError(
    `--model ${path}: searching needs codes of true bits, and this model has ${model.encoding} codes; learn one with ` +
      'pcae train --encoding bits',
  );
}

/** Queries for a model: vectors, or bits read like the model's training rows. Entries may be missing. */
export async function readQueries(
  model: CodeModel,
  path: string,
  signal: AbortSignal,
): Promise<IndexData<CodeData>> {
  if (model.kind === 'vectors') return readNumbers(path, signal);
  const source = await openSource(path, { like: model.like, signal });
  return { data: await collect(source), n: source.n, ids: source.ids };
}

/** Rows to encode; vectors must be complete. */
export async function readFor(
  model: CodeModel,
  path: string,
  signal: AbortSignal,
): Promise<IndexData<CodeData>> {
  return model.kind === 'vectors' ? readVectors(path, signal) : readQueries(model, path, signal);
}

/** The numbers of a table as vectors; none may be missing. */
export async function readVectors(
  path: string,
  signal: AbortSignal,
  options: OpenOptions = {},
): Promise<IndexData<Vectors>> {
  const found = await readNumbers(path, signal, options);
  refuseMissing(path, found.data.values, found.data.V);
  return found;
}

async function readNumbers(
  path: string,
  signal: AbortSignal,
  options: OpenOptions = {},
): Promise<IndexData<Vectors & { readonly values: Float32Array }>> {
  const source = await openSource(path, { ...options, values: 'numbers', signal });
  const { n, V, ids } = source;
  const values = new Float32Array(n * V);
  let done = 0;
  for await (const rows of source.chunks(4096)) {
    values.set(entriesOf(rows), done);
    done += rows.n * V;
  }
  return { data: { n, V, values }, n, ids };
}

/** Ids with commas between them, or `@file` with one per line. */
export async function readIds(text: string): Promise<string[]> {
  const lines = async () => new TextDecoder().decode(await readBytes(text.slice(1))).split(/\r?\n/);
  const ids = text.startsWith('@') ? await lines() : text.split(',');
  return ids.map((id) => id.trim()).filter((id) => id !== '');
}
