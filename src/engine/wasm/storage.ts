import { knowAll, type Rows, rowBytes } from '../../rows/rows.ts';
import type { Block, Floats, OpenBlock } from '../engine.ts';
import type { Memory } from './memory.ts';

/** Float32 numbers in the kernels' memory. */
export class WasmFloats implements Floats {
  readonly length: number;
  readonly at: number;
  readonly memory: Memory;
  /** Counts the times that the numbers may have changed: what was made from them is stale then. */
  version = 0;
  #freed = false;

  constructor(memory: Memory, length: number) {
    if (!(Number.isSafeInteger(length) && length >= 0)) {
      throw new Error(`engine: ${length} floats were asked for; expected a whole number, 0 or more`);
    }
    this.memory = memory;
    this.length = length;
    this.at = memory.allocate(4 * length, `${length} float32 numbers`);
    this.#view().fill(0);
  }

  async read(start?: number, end?: number): Promise<Float32Array> {
    return this.copy(start, end);
  }

  /** The same, at once. */
  copy(start = 0, end = this.length): Float32Array {
    return new Float32Array(this.#view().subarray(start, end));
  }

  write(values: ArrayLike<number>, start = 0): void {
    if (start < 0 || start + values.length > this.length) {
      const span = `${start} to ${start + values.length}`;
      throw new Error(`engine: floats ${span} were written, but there are only ${this.length}`);
    }
    this.version++;
    this.#view().set(values, start);
  }

  fill(value: number, start = 0, end = this.length): void {
    this.version++;
    this.#view().fill(value, start, end);
  }

  free(): void {
    if (this.#freed) return;
    this.#freed = true;
    this.version++;
    this.memory.free(this.at);
  }

  /** The address, for an operation that reads or writes these numbers. */
  use(memory: Memory, name: string, length: number): number {
    if (this.memory !== memory) throw new Error(`engine: ${name} belong to another engine`);
    if (this.#freed) throw new Error(`engine: ${name} were already freed`);
    if (this.length < length) {
      throw new Error(`engine: ${name} are ${this.length} numbers; expected ${length}`);
    }
    return this.at;
  }

  #view(): Float32Array {
    if (this.#freed) throw new Error('engine: these floats were already freed');
    return this.memory.floats(this.at, this.length);
  }
}

/** Rows in the kernels' memory: packed bits and which of them are known, or float32 with NaN for missing. */
export class WasmBlock implements OpenBlock {
  readonly n: number;
  readonly V: number;
  readonly memory: Memory;
  #bits = 0;
  #known = 0;
  #values = 0;
  #missing = false;
  #freed = false;

  private constructor(memory: Memory, { n, V }: Pick<Rows, 'n' | 'V'>) {
    this.memory = memory;
    this.n = n;
    this.V = V;
  }

  static load(memory: Memory, rows: Rows): WasmBlock {
    const { n, V } = rows;
    const block = new WasmBlock(memory, rows);
    if (rows.kind === 'real') {
      block.#values = memory.allocate(4 * n * V, block.#what);
      memory.floats(block.#values, n * V).set(rows.values.subarray(0, n * V));
      block.#missing = rows.values.some((value) => Number.isNaN(value));
      return block;
    }
    try {
      block.#bits = block.#bitsOf(rows.bits);
      if (rows.known) block.#known = block.#bitsOf(rows.known);
    } catch (error) {
      block.free();
      throw error;
    }
    block.#missing = rows.known !== undefined;
    return block;
  }

  static blank(memory: Memory, n: number, V: number): WasmBlock {
    const block = new WasmBlock(memory, { n, V });
    block.#bits = block.#bitsOf();
    return block;
  }

  /** Addresses; 0 for what the rows do not have. */
  get bits(): number {
    return this.#bits;
  }

  get known(): number {
    return this.#known;
  }

  get values(): number {
    return this.#values;
  }

  /** Whether some entry may be missing. */
  get missing(): boolean {
    return this.#missing;
  }

  put(rows: Rows, places: ArrayLike<number>): void {
    if (rows.kind !== 'bits') throw new Error('engine: only rows of bits are put into a block');
    if (rows.known && !this.#known) {
      this.#known = this.#bitsOf();
      knowAll(this.memory.bytes(this.#known, this.n * rowBytes(this.V)), this.V);
      this.#missing = true;
    }
    this.#putBits(this.#bits, rows.bits, places);
    if (rows.known) this.#putBits(this.#known, rows.known, places);
  }

  /** Row i, copied out. */
  row(i: number): Rows {
    return this.copy(i, i + 1);
  }

  /** Rows, copied out. */
  copy(start = 0, end = this.n): Rows {
    const { V, memory } = this;
    const n = end - start;
    if (this.#values)
      return { kind: 'real', n, V, values: memory.floats(this.#values + 4 * start * V, n * V).slice() };
    const size = rowBytes(V);
    const bytes = (at: number) => memory.bytes(at + start * size, n * size).slice();
    if (!this.#known) return { kind: 'bits', n, V, bits: bytes(this.#bits) };
    return { kind: 'bits', n, V, bits: bytes(this.#bits), known: bytes(this.#known) };
  }

  get freed(): boolean {
    return this.#freed;
  }

  free(): void {
    if (this.#freed) return;
    this.#freed = true;
    for (const at of [this.#bits, this.#known, this.#values]) if (at) this.memory.free(at);
  }

  get #what(): string {
    return `${this.n} rows of ${this.V} entries`;
  }

  /** The address of one bit for each entry, of these or of any content. */
  #bitsOf(bits?: Uint8Array): number {
    const size = this.n * rowBytes(this.V);
    // The kernels may look one byte past a row: never past the end.
    const at = this.memory.allocate(size + 8, this.#what);
    if (bits) this.memory.bytes(at, size).set(bits.subarray(0, size));
    return at;
  }

  #putBits(at: number, bits: Uint8Array, places: ArrayLike<number>): void {
    const size = rowBytes(this.V);
    const to = this.memory.bytes(at, this.n * size);
    for (let i = 0; i * size < bits.length; i++)
      to.set(bits.subarray(i * size, (i + 1) * size), places[i] * size);
  }
}

/** The address of floats that belong to this memory and are at least `length` numbers. */
export function useFloats(memory: Memory, floats: Floats, name: string, length: number): number {
  if (!(floats instanceof WasmFloats)) throw new Error(`engine: ${name} belong to another engine`);
  return floats.use(memory, name, length);
}

export function useBlock(memory: Memory, block: Block): WasmBlock {
  if (!(block instanceof WasmBlock) || block.memory !== memory) {
    throw new Error('engine: this block of rows belongs to another engine');
  }
  if (block.freed) throw new Error('engine: this block of rows was already freed');
  return block;
}
