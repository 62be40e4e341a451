import { heapStart } from './layout.generated.ts';

const PAGE = 65536;
const LIMIT = 65536 * PAGE;

/** A piece of the memory, in bytes. */
interface Piece {
  at: number;
  size: number;
}

/**
 * The kernels' memory and a plain allocator on it: a list of free pieces by address, the first that fits is
 * taken, neighbours are joined when they are given back. Views are made afresh each time, because the memory
 * may have grown since; none of them leaves the engine.
 */
export class Memory {
  readonly memory: WebAssembly.Memory;
  readonly #limit: number;
  readonly #sizes = new Map<number, number>();
  #free: Piece[] = [];
  #end: number;

  /** `limit`: the most bytes that the memory may grow to. */
  constructor(limit = LIMIT) {
    const maximum = Math.max(2, Math.min(LIMIT / PAGE, Math.floor(limit / PAGE)));
    this.memory = new WebAssembly.Memory({ initial: 2, maximum, shared: true });
    this.#limit = maximum * PAGE;
    this.#end = this.memory.buffer.byteLength;
    this.#free = [{ at: heapStart, size: this.#end - heapStart }];
  }

  /** Bytes that the memory has grown to. */
  get size(): number {
    return this.memory.buffer.byteLength;
  }

  /** Bytes of the largest piece that can still be had, if the host lets the memory grow to its limit. */
  get largest(): number {
    const atEnd = this.#limit - this.#end + (this.#tail?.size ?? 0);
    return this.#free.reduce((most, piece) => Math.max(most, piece.size), atEnd);
  }

  /** The address of `bytes` bytes, aligned to 64, of any content. `what` names them when they do not fit. */
  allocate(bytes: number, what: string): number {
    const size = Math.max(64, Math.ceil(bytes / 64) * 64);
    let piece = this.#free.find((free) => free.size >= size);
    if (!piece) {
      this.#grow(size, what);
      piece = this.#free[this.#free.length - 1];
    }
    const { at } = piece;
    piece.at += size;
    piece.size -= size;
    if (piece.size === 0) this.#free.splice(this.#free.indexOf(piece), 1);
    this.#sizes.set(at, size);
    return at;
  }

  /** A way to allocate pieces that are given back together. */
  lease(): Pick<Memory, 'allocate'> & { free(): void } {
    const held: number[] = [];
    const allocate = (bytes: number, what: string): number => {
      const at = this.allocate(bytes, what);
      held.push(at);
      return at;
    };
    const free = (): void => {
      for (const at of held.splice(0)) this.free(at);
    };
    return { allocate, free };
  }

  free(at: number): void {
    const size = this.#sizes.get(at);
    if (size === undefined) return;
    this.#sizes.delete(at);
    let index = this.#free.findIndex((piece) => piece.at > at);
    if (index < 0) index = this.#free.length;
    const before = this.#free[index - 1];
    const after = this.#free[index];
    const joinsBefore = before && before.at + before.size === at;
    const joinsAfter = after && at + size === after.at;
    if (joinsBefore && joinsAfter) {
      before.size += size + after.size;
      this.#free.splice(index, 1);
    } else if (joinsBefore) before.size += size;
    else if (joinsAfter) {
      after.at = at;
      after.size += size;
    } else this.#free.splice(index, 0, { at, size });
  }

  floats(at: number, length: number): Float32Array {
    return new Float32Array(this.memory.buffer, at, length);
  }

  doubles(at: number, length: number): Float64Array {
    return new Float64Array(this.memory.buffer, at, length);
  }

  integers(at: number, length: number): Int32Array {
    return new Int32Array(this.memory.buffer, at, length);
  }

  bytes(at: number, length: number): Uint8Array {
    return new Uint8Array(this.memory.buffer, at, length);
  }

  /** The free piece at the memory's end. */
  get #tail(): Piece | undefined {
    const last = this.#free[this.#free.length - 1];
    return last && last.at + last.size === this.#end ? last : undefined;
  }

  #grow(size: number, what: string): void {
    const tail = this.#tail;
    const needed = this.#end + size - (tail?.size ?? 0);
    if (needed > this.#limit) throw tooLarge(what, size, this.#limit - this.#end + (tail?.size ?? 0));
    // Some room to spare, so that many small requests do not grow the memory one by one.
    const target = Math.min(this.#limit, Math.ceil(Math.max(needed, this.#end * 1.25) / PAGE) * PAGE);
    try {
      this.memory.grow((target - this.#end) / PAGE);
    } catch {
      throw tooLarge(what, size, tail?.size ?? 0);
    }
    if (tail) tail.size += target - this.#end;
    else this.#free.push({ at: this.#end, size: target - this.#end });
    this.#end = target;
  }
}

function tooLarge(what: string, size: number, left: number): Error {
  const mebibytes = (bytes: number) => (bytes / 1048576).toFixed(1);
  return new Error(
    `engine: ${what} need ${mebibytes(size)} MiB, but at most ${mebibytes(left)} MiB are left in its memory; ` +
      `work on fewer rows at a time, or free what is no longer needed`,
  );
}
