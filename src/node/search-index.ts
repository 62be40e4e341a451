import { createHash } from 'node:crypto';
import type { PackedCodes } from '../bits/pack.ts';
import { usualThreads } from '../engine/node/threads.ts';
import { counted } from '../rows/counted.ts';
import { badFile, FormatError } from '../rows/errors.ts';
import { type IndexRows, RECORD, readRowsPayload, rowsPayload } from '../search/index-format.ts';
import { openScores } from '../search/node/index.ts';
import type { CodeScores } from '../search/scores.ts';
import { asVectors, costBetween, type VectorsInput } from '../vectors/vectors.ts';
import type { CodeData, CodeModel, Coding, SearchableModel } from './code-models.ts';
import { codeModel, loadSearchable } from './code-models.ts';
import { IndexFile, type NewRecord } from './index-file.ts';
import { NpyRows } from './npy-rows.ts';

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
  #loaded: Loaded | undefined;

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
    return this.#write(async ({ next, places }) => {
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
    return this.#write(async ({ places }) => {
      const found = [...asked].flatMap((id) => places.get(id) ?? []);
      return { records: deletion(found), result: found.length };
    });
  }

  /** Rewrites the file without deleted rows, with all rows in one record. */
  async compact(): Promise<void> {
    await this.#file.locked(async () => {
      await this.#file.reread();
      const { ids, rows, isLive, next } = await this.#read();
      const kept = Array.from(rows.numbers.keys()).filter((i) => isLive(i));
      const stride = Math.ceil(this.model.H / 8);
      const codes = new Uint8Array(kept.length * stride);
      kept.forEach((row, i) => {
        codes.set(rows.codes.subarray(row * stride, (row + 1) * stride), i * stride);
      });
      const named = kept.some((i) => ids[i] !== String(rows.numbers[i]));
      const payload = rowsPayload({
        codes,
        constants: Float32Array.from(kept, (i) => rows.constants[i]),
        numbers: Uint32Array.from(kept, (i) => rows.numbers[i]),
        ids: named ? kept.map((i) => ids[i]) : undefined,
      });
      await this.#file.replace([
        { kind: RECORD.model, count: 1, payload: this.model.save() },
        { kind: RECORD.numbered, count: next, payload: new Uint8Array(0) },
        ...(kept.length > 0 ? [{ kind: RECORD.rows, count: kept.length, payload }] : []),
      ]);
    });
    await this.#forget();
  }

  /** The rows of least cost for each query, exactly as float32 would order them. */
  async search(queries: CodeData, options: IndexSearchOptions = {}): Promise<Answer[]> {
    const { k = 10, only, threads, rerank, shortlist = 10 * k } = options;
    const tables = await this.model.tables(queries);
    const loaded = await this.#load();
    loaded.scores ??= await openScores(loaded.codes, loaded.rows.constants, { threads });
    const allowed = only ? bitsOf(only, loaded) : loaded.deleted ? loaded.live : undefined;
    const found = await loaded.scores.nearest(tables, rerank ? Math.max(k, shortlist) : k, allowed);
    const answers = Array.from({ length: tables.n }, (_, q) => {
      const rows = Array.from(found.indices.subarray(q * found.k, (q + 1) * found.k));
      return {
        ids: rows.map((row) => loaded.ids[row]),
        numbers: rows.map((row) => loaded.rows.numbers[row]),
        costs: Array.from(found.costs.subarray(q * found.k, (q + 1) * found.k)),
      };
    });
    return rerank ? this.#reranked(answers, queries as VectorsInput, rerank, k) : answers;
  }

  /** The k of each answer that are nearest by the vectors themselves. */
  async #reranked(
    answers: readonly Answer[],
    input: VectorsInput,
    path: string,
    k: number,
  ): Promise<Answer[]> {
    const { metric } = this.model;
    if (metric === undefined)
      throw new RangeError('search: only vectors can be re-ranked, this is an index of bits');
    const queries = asVectors(input, 'queries', true);
    const file = await NpyRows.open(path);
    try {
      if (file.V !== this.model.V) {
        throw badFile(
          path,
          `holds vectors of ${counted(file.V, 'number')}; those of the index have ${this.model.V}`,
        );
      }
      const out: Answer[] = [];
      for (const [q, { ids, numbers }] of answers.entries()) {
        const query = queries.values.subarray(q * queries.V, (q + 1) * queries.V);
        const costs: number[] = [];
        for (const number of numbers) costs.push(costBetween(query, await file.row(number), metric));
        const order = [...costs.keys()].sort((a, b) => costs[a] - costs[b] || a - b).slice(0, k);
        const [chosenIds, chosen] = [order.map((i) => ids[i]), order.map((i) => numbers[i])];
        out.push({ ids: chosenIds, numbers: chosen, costs: order.map((i) => costs[i]) });
      }
      return out;
    } finally {
      await file.close();
    }
  }

  async close(): Promise<void> {
    await this.#forget();
    await this.#file.close();
  }

  /** Adds the records that come of the rows there are, while nobody else writes. */
  async #write<T>(work: (loaded: Loaded) => Promise<{ records: NewRecord[]; result: T }>): Promise<T> {
    const { records, result } = await this.#file.locked(async () => {
      await this.#file.reread();
      const made = await work(await this.#read());
      if (made.records.length > 0) await this.#file.append(made.records);
      return made;
    });
    if (records.length > 0) await this.#forget();
    return result;
  }

  async #load(): Promise<Loaded> {
    this.#loaded ??= await this.#read();
    return this.#loaded;
  }

  async #forget(): Promise<void> {
    const scores = this.#loaded?.scores;
    this.#loaded = undefined;
    await scores?.close();
  }

  /** All rows of the file, and which of them are not deleted. */
  async #read(): Promise<Loaded> {
    const width = Math.ceil(this.model.H / 8);
    const parts: IndexRows[] = [];
    const gone: number[] = [];
    let next = 0;
    for (const record of this.#file.records) {
      if (record.kind === RECORD.model) continue;
      if (record.kind === RECORD.numbered) {
        next = record.count;
        continue;
      }
      const bytes = await this.#file.payload(record);
      if (record.kind === RECORD.rows) {
        parts.push(readRowsPayload(bytes, record.count, width, this.#file.path));
      } else if (record.kind === RECORD.deleted) {
        const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
        for (let i = 0; i < record.count; i++) gone.push(view.getUint32(4 * i, true));
      } else throw new FormatError(this.#file.path, `byte ${record.at}`, 'a record has an unknown kind');
    }
    return loadedOf(joined(parts, width), gone, this.model.H, next);
  }
}

/** The rows of an index in memory. */
interface Loaded {
  readonly rows: IndexRows;
  readonly ids: readonly string[];
  readonly codes: PackedCodes;
  /** A bit for each row that is not deleted. */
  readonly live: Uint8Array;
  readonly deleted: boolean;
  isLive(row: number): boolean;
  /** The row of each id that is not deleted. */
  readonly places: ReadonlyMap<string, number>;
  /** The number of the next row to be added. */
  readonly next: number;
  scores?: CodeScores;
}

function loadedOf(rows: IndexRows, gone: readonly number[], H: number, numbered: number): Loaded {
  const n = rows.numbers.length;
  const live = new Uint8Array(Math.ceil(n / 8));
  for (let i = 0; i < n; i++) live[i >> 3] |= 1 << (i & 7);
  for (const row of gone) live[row >> 3] &= ~(1 << (row & 7));
  const isLive = (row: number) => ((live[row >> 3] >> (row & 7)) & 1) === 1;
  const ids = rows.ids!;
  let made: Map<string, number> | undefined;
  return {
    ...{ rows, ids, live, isLive, deleted: gone.length > 0 },
    codes: { n, H, order: 'lsb', bytes: rows.codes },
    // Only who adds, deletes or filters needs to find rows by their ids.
    get places() {
      made ??= new Map(ids.flatMap((id, row) => (isLive(row) ? [[id, row] as const] : [])));
      return made;
    },
    next: rows.numbers.reduce((most, number) => Math.max(most, number + 1), numbered),
  };
}

function joined(parts: readonly IndexRows[], width: number): IndexRows {
  const n = parts.reduce((sum, part) => sum + part.numbers.length, 0);
  const all = {
    codes: new Uint8Array(n * width),
    constants: new Float32Array(n),
    numbers: new Uint32Array(n),
    ids: new Array<string>(n),
  };
  let at = 0;
  for (const { codes, constants, numbers, ids } of parts) {
    all.codes.set(codes, at * width);
    all.constants.set(constants, at);
    all.numbers.set(numbers, at);
    for (let i = 0; i < numbers.length; i++) all.ids[at + i] = ids?.[i] ?? String(numbers[i]);
    at += numbers.length;
  }
  return all;
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

function bitsOf(ids: Iterable<string>, { live, places }: Loaded): Uint8Array {
  const bits = new Uint8Array(live.length);
  for (const id of ids) {
    const row = places.get(String(id));
    if (row !== undefined) bits[row >> 3] |= 1 << (row & 7);
  }
  return bits;
}
