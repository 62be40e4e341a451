import { hashOf } from '../hash.ts';
import { fromJson, toJson } from '../json.ts';
import { type Answer, answerSchema, sameOutputs } from '../task.ts';
import type { Shelf } from './shelf.ts';

/**
 * Everything that machines hand to each other, besides the list of what is to be done: blobs under the hash
 * of their bytes, and the answers to tasks under the hash of the task. Nothing is believed that does not hash
 * to its name.
 */
export class Store {
  readonly #shelf: Shelf;
  /** Blobs that were used last, by hash: rows and codes stay with the worker that works on them. */
  readonly #kept = new Map<string, Uint8Array>();
  readonly #room: number;
  #keptBytes = 0;
  /** Bytes of blobs that came from the shelf, and that went there. */
  readonly moved = { in: 0, out: 0 };

  constructor(shelf: Shelf, options: { readonly cacheBytes?: number } = {}) {
    this.#shelf = shelf;
    this.#room = options.cacheBytes ?? CACHE_BYTES;
  }

  get name(): string {
    return this.#shelf.name;
  }

  /** Puts a blob into the store and gives its hash. */
  async put(bytes: Uint8Array): Promise<string> {
    const hash = hashOf(bytes);
    if (await this.#shelf.putNew(blobKey(hash), bytes)) this.moved.out += bytes.length;
    this.keep(hash, bytes);
    return hash;
  }

  /** The blob of this hash; `what` is what errors call it. */
  async get(hash: string, what = 'blob'): Promise<Uint8Array> {
    const kept = this.#kept.get(hash);
    if (kept) {
      this.keep(hash, kept);
      return kept;
    }
    const bytes = await this.#shelf.get(blobKey(hash));
    if (!bytes) throw new StoreError(`${what} is missing from the store ${this.name} (${blobKey(hash)})`);
    const found = hashOf(bytes);
    if (found !== hash) {
      throw new StoreError(
        `${what} was altered in the store ${this.name}: ${blobKey(hash)} holds ${bytes.length} bytes that hash to ${found}. ` +
          'Delete that file and restore the right one (for a shard, run `pcae-cluster shard` again)',
      );
    }
    this.moved.in += bytes.length;
    this.keep(hash, bytes);
    return bytes;
  }

  /** Where a blob lies in the store. */
  uriOf(hash: string): string {
    return blobKey(hash);
  }

  /** Whether this process has the blob at hand. */
  holds(hash: string): boolean {
    return this.#kept.has(hash);
  }

  /** Remembers a blob that this process has made or read, for as long as there is room. */
  keep(hash: string, bytes: Uint8Array): void {
    this.#forget(hash);
    if (bytes.length > this.#room) return;
    this.#kept.set(hash, bytes);
    this.#keptBytes += bytes.length;
    for (const [oldest, { length }] of this.#kept) {
      if (this.#keptBytes <= this.#room) break;
      this.#kept.delete(oldest);
      this.#keptBytes -= length;
    }
  }

  async drop(hash: string): Promise<void> {
    this.#forget(hash);
    await this.#shelf.remove(blobKey(hash));
  }

  /** The answer to a task, where somebody has given one. */
  async answer(task: string): Promise<Answer | undefined> {
    const bytes = await this.#shelf.get(`answers/${task}`);
    return bytes && fromJson(answerSchema, bytes);
  }

  /**
   * Gives an answer. The first one stands. A later one with the same outputs changes nothing; one with other
   * outputs is written down as a conflict, which stops the run, and is thrown.
   */
  async offer(answer: Answer): Promise<void> {
    if (await this.#shelf.putNew(`answers/${answer.task}`, toJson(answer))) return;
    const standing = await this.answer(answer.task);
    if (!standing || sameOutputs(standing, answer)) return;
    await this.#shelf.putNew(`conflicts/${answer.task}`, toJson(answer));
    throw conflictError(standing, answer);
  }

  /** Throws where one of these tasks was answered in two ways. */
  async checkConflicts(tasks: ReadonlySet<string>): Promise<void> {
    for (const key of await this.#shelf.list('conflicts/')) {
      const task = key.slice('conflicts/'.length);
      if (!tasks.has(task)) continue;
      const bytes = await this.#shelf.get(key);
      const standing = await this.answer(task);
      if (bytes && standing) throw conflictError(standing, fromJson(answerSchema, bytes));
    }
  }

  #forget(hash: string): void {
    this.#keptBytes -= this.#kept.get(hash)?.length ?? 0;
    this.#kept.delete(hash);
  }
}

/** What is wrong with a store, in a sentence for people. */
class StoreError extends Error {
  override readonly name = 'StoreError';
}

/** Two answers to one task that differ: a broken machine, a broken disk, or another program. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
}

function conflictError(first: Answer, second: Answer): ConflictError {
  const said = ({ worker, outputs }: Answer) => `${worker} says ${JSON.stringify(outputs)}`;
  return new ConflictError(
    `two workers disagree about task ${first.task}: ${said(first)}, ${said(second)}. The run stops: equal tasks ` +
      'must have equal answers, so one of these machines is broken or runs another program. Find out which, then use a new store',
  );
}

function blobKey(hash: string): string {
  return `blobs/${hash.slice(0, 2)}/${hash}`;
}

/** What a worker keeps in memory of blobs. */
const CACHE_BYTES = 2 ** 30;
