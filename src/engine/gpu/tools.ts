import type { Block, Floats, Running } from '../engine.ts';
import type { Dispatching, Slab } from './dispatcher.ts';
import { Packs } from './packs.ts';
import { GpuBlock, GpuFloats, GpuRunning } from './storage.ts';

/** What all operations use: the dispatcher, packed factors, and memory that they share. */
export class Tools {
  readonly dispatcher: Dispatching;
  readonly packs: Packs;
  readonly #rooms = new Map<string, Slab>();
  readonly #kept = new Map<string, GpuFloats>();

  constructor(dispatcher: Dispatching) {
    this.dispatcher = dispatcher;
    this.packs = new Packs(dispatcher);
  }

  get name(): string {
    return `gpu (${this.dispatcher.open.name})`;
  }

  /** Floats that an operation reads or writes, at least `length` of them. */
  use(floats: Floats, name: string, length: number): GpuFloats {
    if (!(floats instanceof GpuFloats)) throw new Error(`engine: ${name} belong to another engine`);
    return floats.use(this.dispatcher, name, length);
  }

  block(block: Block): GpuBlock {
    if (!(block instanceof GpuBlock)) throw new Error('engine: this block of rows belongs to another engine');
    return block.use(this.dispatcher);
  }

  running(means: Running, length: number): GpuFloats {
    if (!(means instanceof GpuRunning)) {
      throw new Error('engine: these running means belong to another engine');
    }
    return this.use(means.floats, 'running means', length);
  }

  /** Memory for intermediate results; the next use of the same name overwrites them. */
  room(name: string, bytes: number): Slab {
    let slab = this.#rooms.get(name);
    if (!slab || slab.bytes < bytes) {
      if (slab) this.dispatcher.free(slab);
      slab = this.dispatcher.slab(bytes, name);
      this.#rooms.set(name, slab);
    }
    return slab;
  }

  /** `length` floats for intermediate results, which hold what the last use of the name left in them. */
  kept(name: string, length: number): GpuFloats {
    let floats = this.#kept.get(name);
    if (floats?.length !== length) {
      floats?.free();
      floats = new GpuFloats(this.dispatcher, length);
      this.#kept.set(name, floats);
    }
    return floats;
  }

  /** Frees the memory for intermediate results. */
  free(): void {
    for (const slab of this.#rooms.values()) this.dispatcher.free(slab);
    for (const floats of this.#kept.values()) floats.free();
    this.#rooms.clear();
    this.#kept.clear();
  }

  /** The most bytes of intermediate results: what one binding can hold and a card can spare. */
  get roomBytes(): number {
    return Math.min(this.dispatcher.open.limits.maxStorageBufferBindingSize, MOST_ROOM);
  }

  /** Says that a feature is not done on this engine. */
  refuse(what: string): never {
    throw new Error(`engine: ${this.name} does not do ${what}; use engine 'wasm'`);
  }
}

const MOST_ROOM = 2 ** 30;

/** Marks numbers as changed by a kernel. */
export function touch(...changed: (GpuFloats | undefined)[]): void {
  for (const floats of changed) if (floats) floats.version++;
}
