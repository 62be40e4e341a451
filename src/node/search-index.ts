import { createHash } from 'node:crypto';
import type { PackedCodes } from '../bits/pack.ts';
import { usualThreads } from '../engine/node/threads.ts';
import { RECORD, rowsPayload } from '../search/index-format.ts';
import { openScores } from '../search/node/index.ts';
import type { CodeScores } from '../search/scores.ts';
import type { VectorsInput } from '../vectors/vectors.ts';
import type { CodeData, CodeModel, Coding, SearchableModel } from './code-models.ts';
import { codeModel, loadSearchable } from './code-models.ts';
import { IndexFile, type NewRecord } from './index-file.ts';
import { type LoadedRows, liveRows, loadRows, rowsCalled } from './index-rows.ts';
import { reranked } from './rerank.ts';

export interface IndexSearchOptions {
  /** How many of the nearest. Default 10. */
  readonly k?: number;
  /** Search only these ids. */
  readonly only?: Iterable<string>;
  readonly threads?: number;
  /**
   * Vectors only: an NPY file of those that were added, in their order. A `shortlist` (default 10 k) is found
   * by the codes and sorted by its vectors; no other vectors are read.
   */
  readonly rerank?: string;
  readonly shortlist?: number;
}

/** Rows to encode and keep, with one of the `ids` for each. */
interface NewRows extends Coding {
  readonly data: CodeData;
  readonly ids?: Iterable<string>;
}

/** The answer to one query, nearest first. */
export interface Answer {
  readonly ids: string[];
  /** The number of each row, from 0, in the order in which rows were added: its row in their file. */
  readonly numbers: number[];
  /**
   * The cost of each; smaller is nearer. After re-ranking: minus cosine or inner product, or squared
   * distance.
   */
  readonly costs: number[];
}

/**
 * A search index: codes in one file, with their constants, their ids and the model that made them. Rows are
 * added and deleted by id; adding an id again replaces its row. A row without an id gets its number as id.
 */
export class SearchIndex {
  readonly model: CodeModel;
  /** SHA-256 of the model, in hexadecimal digits. */
  readonly modelHash: string;
  readonly #file: IndexFile;
  /** The rows, and the scores of their codes once they were searched. */
  #loaded: (LoadedRows & { scores?: CodeScores }) | undefined;

  private constructor(file: IndexFile, model: SearchIndex['model'], modelHash: string) {
    this.#file = file;
    this.model = model;
    this.modelHash = modelHash;
  }

  /**
   * A new index, with its first rows if there are some. It appears whole, in place of one that it replaces.
   */
  static async create(
    path: string,
    model: SearchableModel,
    options: { readonly force?: boolean; readonly first?: NewRows } = {},
  ): Promise<SearchIndex> {
    const { force = false, first } = options;
    const coded = codeModel(model);
    const records = async () => [
      { kind: RECORD.model, count: 1, payload: coded.save() },
      ...(first ? [rowsRecord(await encodeRows(coded, first), 0)] : []),
    ];
    await IndexFile.write(path, records, force);
    return SearchIndex.open(path);
  }

  /** Reads the model and the heads of the records; codes are read when they are searched. */
  static async open(path: string): Promise<SearchIndex> {
    const file = await IndexFile.open(path);
    try {
      const bytes = await file.payload(file.records[0]);
      const hash = createHash('sha256').update(bytes).digest('hex');
      return new SearchIndex(file, codeModel(loadSearchable(bytes, path)), hash);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Rows that can be found, those that were deleted and still take room, and bytes of the file. */
  get size(): { readonly rows: number; readonly deleted: number; readonly bytes: number } {
    const sum = (kind: number) =>
      this.#file.records.reduce((total, record) => total + (record.kind === kind ? record.count : 0), 0);
    const deleted = sum(RECORD.deleted);
    return { rows: sum(RECORD.rows) - deleted, deleted, bytes: this.#file.size };
  }

  /** Encodes rows and adds them, with one of the `ids` for each. Returns how many rows they replace. */
  async add(data: CodeData, options: Omit<NewRows, 'data'> = {}) {
    const encoded = await encodeRows(this.model, { data, ...options });
    const { n } = encoded.codes;
    return this.#write(({ next, places }) => {
      const names = encoded.ids ?? Array.from({ length: n }, (_, i) => String(next + i));
      const replaced = names.flatMap((id) => places.get(id) ?? []);
      return {
        records: [...deletion(replaced), rowsRecord(encoded, next)],
        result: { added: n, replaced: replaced.length },
      };
    });
  }

  /** Deletes rows by their ids and ignores unknown ids. Returns how many were deleted. */
  async delete(ids: Iterable<string>): Promise<number> {
    const asked = new Set(Array.from(ids, String));
    return this.#write(({ places }) => {
      const found = [...asked].flatMap((id) => places.get(id) ?? []);
      return { records: deletion(found), result: found.length };
    });
  }

  /** Rewrites the file without deleted rows, with all rows in one record. */
  async compact(): Promise<void> {
    await this.#file.locked(async () => {
      await this.#file.reread();
      const loaded = await loadRows(this.#file, this.model.H);
      const kept = liveRows(loaded);
      const count = kept.numbers.length;
      await this.#file.replace([
        { kind: RECORD.model, count: 1, payload: this.model.save() },
        { kind: RECORD.numbered, count: loaded.next, payload: new Uint8Array(0) },
        ...(count > 0 ? [{ kind: RECORD.rows, count, payload: rowsPayload(kept) }] : []),
      ]);
    });
    await this.#forget();
  }

  /** The rows of least cost for each query, exactly as float32 would order them. */
  async search(queries: CodeData, options: IndexSearchOptions = {}): Promise<Answer[]> {
    const { k = 10, only, threads, rerank, shortlist = 10 * k } = options;
    const tables = await this.model.tables(queries);
    this.#loaded ??= await loadRows(this.#file, this.model.H);
    const loaded = this.#loaded;
    const { packed, constants, ids, numbers, deleted, live } = loaded;
    loaded.scores ??= await openScores(packed, constants, { threads });
    const allowed = only ? rowsCalled(only, loaded) : deleted ? live : undefined;
    const found = await loaded.scores.nearest(tables, rerank ? Math.max(k, shortlist) : k, allowed);
    const answers = Array.from({ length: tables.n }, (_, q) => {
      const rows = Array.from(found.indices.subarray(q * found.k, (q + 1) * found.k));
      return {
        ids: rows.map((row) => ids[row]),
        numbers: rows.map((row) => numbers[row]),
        costs: Array.from(found.costs.subarray(q * found.k, (q + 1) * found.k)),
      };
    });
    return rerank ? reranked(this.model, answers, queries as VectorsInput, { path: rerank, k }) : answers;
  }

  async close(): Promise<void> {
    await this.#forget();
    await this.#file.close();
  }

  /** Adds the records that come of the rows there are, while nobody else writes. */
  async #write<T>(work: (loaded: LoadedRows) => { records: NewRecord[]; result: T }): Promise<T> {
    const { records, result } = await this.#file.locked(async () => {
      await this.#file.reread();
      const made = work(await loadRows(this.#file, this.model.H));
      if (made.records.length > 0) await this.#file.append(made.records);
      return made;
    });
    if (records.length > 0) await this.#forget();
    return result;
  }

  async #forget(): Promise<void> {
    const scores = this.#loaded?.scores;
    this.#loaded = undefined;
    await scores?.close();
  }
}

/** What an index keeps of rows. */
interface EncodedRows {
  readonly codes: PackedCodes;
  readonly constants: Float32Array;
  readonly ids?: readonly string[];
}

async function encodeRows(model: CodeModel, { data, ids: given, ...coding }: NewRows): Promise<EncodedRows> {
  const ids = given && Array.from(given, String);
  const codes = await model.encode(data, { ...coding, threads: coding.threads ?? usualThreads() });
  const constants = await model.constants(codes, data);
  if (ids && (ids.length !== codes.n || new Set(ids).size !== ids.length)) {
    throw new RangeError(`add: needs ${codes.n} different ids, one for each row; got ${ids.length}`);
  }
  return { codes, constants, ids };
}

/** The record of rows whose numbers begin with `first`. */
function rowsRecord({ codes, constants, ids }: EncodedRows, first: number): NewRecord {
  const numbers = Uint32Array.from({ length: codes.n }, (_, i) => first + i);
  return {
    kind: RECORD.rows,
    count: codes.n,
    payload: rowsPayload({ codes: codes.bytes, constants, numbers, ids }),
  };
}

/** The record that deletes rows by where they are in the file; none where there are none. */
function deletion(rows: readonly number[]): NewRecord[] {
  if (rows.length === 0) return [];
  const payload = new Uint8Array(4 * rows.length);
  const view = new DataView(payload.buffer);
  rows.forEach((row, i) => {
    view.setUint32(4 * i, row, true);
  });
  return [{ kind: RECORD.deleted, count: rows.length, payload }];
}
