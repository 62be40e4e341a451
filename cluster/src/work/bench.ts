import { totalmem } from 'node:os';
import { load, PCAE } from 'pc-ae';
import type { Block, Engine, Floats } from 'pc-ae/engine';
import type { Rows } from 'pc-ae/rows';
import type { Manifest } from '../manifest.ts';
import { manifestOf, rowsOf } from '../rows-of.ts';
import type { Store } from '../store/store.ts';
import type { Task } from '../task.ts';
import { WarmCodes } from './warm-codes.ts';

/** Where a worker works: its engine, the store, the codes of its shards, and what it opened last. */
export class Bench {
  readonly engine: Engine;
  readonly store: Store;
  readonly codes = new WarmCodes(memory() / 2);
  /** Where rounds led, before W was extrapolated, by the hash of W: see `advance.ts`. */
  readonly led = new Map<string, Float32Array>();
  #manifest?: { readonly hash: string; readonly manifest: Manifest };
  #model?: { readonly hash: string; readonly model: PCAE };

  constructor(engine: Engine, store: Store) {
    this.engine = engine;
    this.store = store;
  }

  async manifest(hash: string): Promise<Manifest> {
    if (this.#manifest?.hash !== hash)
      this.#manifest = { hash, manifest: await manifestOf(this.store, hash) };
    return this.#manifest.manifest;
  }

  /** The rows of a shard: the task's first, unless another is asked for. */
  async rows({ manifest, shards }: Task, shard = shards[0][0]): Promise<Rows> {
    return rowsOf(this.store, await this.manifest(manifest), shard);
  }

  /** A model stays open from task to task: its engine keeps what it found out about it. */
  async model(hash: string): Promise<PCAE> {
    if (this.#model?.hash !== hash) {
      const bytes = await this.store.get(hash, 'the model');
      this.#model = { hash, model: load(bytes, { as: PCAE }) };
    }
    return this.#model.model;
  }
}

/** Bytes of memory that this machine has, or that this process may use. */
function memory(): number {
  const allowed = process.constrainedMemory();
  return allowed > 0 ? Math.min(allowed, totalmem()) : totalmem();
}

/** The blobs that a task makes, by name: a pure function of the task and the blobs that it names. */
export type Work = (task: Task, bench: Bench) => Promise<Readonly<Record<string, Uint8Array>>>;

/** Work with the engine's memory, which is given back when the work is over, well or not. */
export async function withFloats<T>(
  engine: Engine,
  work: (engine: Engine, floats: (length: number) => Floats, load: (rows: Rows) => Block) => Promise<T>,
): Promise<T> {
  const held: { free(): void }[] = [];
  const kept = <M extends { free(): void }>(made: M): M => {
    held.push(made);
    return made;
  };
  try {
    return await work(
      engine,
      (length) => kept(engine.floats(length)),
      (rows) => kept(engine.load(rows)),
    );
  } finally {
    for (const one of held) one.free();
  }
}
