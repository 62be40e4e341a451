import { untilAborted } from '../../rows/breath.ts';
import { type Rows, rowBytes } from '../../rows/rows.ts';
import type { Block, Floats, Running } from '../engine.ts';
import type { Dispatching, Slab } from './dispatcher.ts';
import { alignRows, transposeBits, transposeValues } from './wgsl/rows.ts';

/** Float32 numbers on the device. */
export class GpuFloats implements Floats {
  readonly length: number;
  readonly slab: Slab;
  /** Counts the times that the numbers may have changed: what was made from them is stale then. */
  version = 0;
  readonly #dispatcher: Dispatching;
  readonly #signal?: AbortSignal;
  #freed = false;

  /** `signal` ends the wait of whoever reads. */
  constructor(dispatcher: Dispatching, length: number, signal?: AbortSignal) {
    if (!(Number.isSafeInteger(length) && length >= 0)) {
      throw new Error(`engine: ${length} floats were asked for; expected a whole number, 0 or more`);
    }
    this.#dispatcher = dispatcher;
    this.#signal = signal;
    this.length = length;
    this.slab = dispatcher.slab(4 * length, `${length} float32 numbers`);
  }

  async read(start = 0, end = this.length): Promise<Float32Array> {
    this.#check();
    // A device ends with the first read or write beyond a buffer.
    const count = Math.max(0, Math.min(end, this.length) - start);
    const bytes = this.#dispatcher.read(this.slab, 4 * start, 4 * count);
    return new Float32Array(await untilAborted(bytes, this.#signal));
  }

  write(values: ArrayLike<number>, start = 0): void {
    this.#check();
    if (start < 0 || start + values.length > this.length) {
      const span = `${start} to ${start + values.length}`;
      throw new Error(`engine: floats ${span} were written, but there are only ${this.length}`);
    }
    this.version++;
    const floats = values instanceof Float32Array ? values : Float32Array.from(values);
    if (floats.length > 0) this.#dispatcher.write(this.slab, 4 * start, floats);
  }

  fill(value: number, start = 0, end = this.length): void {
    this.#check();
    this.version++;
    const count = Math.max(0, Math.min(end, this.length) - start);
    if (value === 0) this.#dispatcher.clear(this.slab, 4 * start, 4 * count);
    else this.write(new Float32Array(count).fill(value), start);
  }

  free(): void {
    if (this.#freed) return;
    this.#freed = true;
    this.version++;
    this.#dispatcher.free(this.slab);
  }

  /** These numbers, for an operation that needs at least `length` of them. */
  use(dispatcher: Dispatching, name: string, length: number): this {
    if (this.#dispatcher !== dispatcher) throw new Error(`engine: ${name} belong to another engine`);
    if (this.#freed) throw new Error(`engine: ${name} were already freed`);
    if (this.length < length) {
      throw new Error(`engine: ${name} are ${this.length} numbers; expected ${length}`);
    }
    return this;
  }

  #check(): void {
    if (this.#freed) throw new Error('engine: these floats were already freed');
  }
}

/** Running means on the device, in float32. */
export class GpuRunning implements Running {
  readonly floats: GpuFloats;

  constructor(dispatcher: Dispatching, length: number, signal?: AbortSignal) {
    this.floats = new GpuFloats(dispatcher, length, signal);
  }

  async read(): Promise<Float64Array> {
    return Float64Array.from(await this.floats.read());
  }

  write(values: ArrayLike<number>): void {
    this.floats.write(values);
  }

  free(): void {
    this.floats.free();
  }
}

/** Entries of all items of one side, item after item, and which of them are known. */
export interface Entries {
  readonly slab: Slab;
  /** Words of 32 bits for each item, and where those begin that say what is known (0: all is). */
  readonly words: number;
  readonly knownAt: number;
  readonly knownWords: number;
}

/**
 * Rows on the device, every row at a whole word: bits, or float32 with 0 for what is missing. The same
 * transposed, bit after bit, is made when side 'weights' first asks for it.
 */
export class GpuBlock implements Block {
  readonly n: number;
  readonly V: number;
  readonly kind: Rows['kind'];
  /** Whether some entry may be missing. */
  readonly missing: boolean;
  readonly rows: Entries;
  readonly #dispatcher: Dispatching;
  #columns?: Entries;
  #freed = false;

  constructor(dispatcher: Dispatching, rows: Rows) {
    const { n, V, kind } = rows;
    this.#dispatcher = dispatcher;
    this.n = n;
    this.V = V;
    this.kind = kind;
    const known = kind === 'real' ? knownBits(rows.values, n, V) : rows.known;
    this.missing = known !== undefined;
    const bitWords = Math.ceil(V / 32);
    const words = kind === 'real' ? 4 * Math.ceil(V / 4) : bitWords;
    const knownAt = known ? n * words : 0;
    const slab = dispatcher.slab(4 * n * (words + (known ? bitWords : 0)), `${n} rows of ${V} entries`);
    this.rows = { slab, words, knownAt, knownWords: bitWords };
    if (kind === 'real') this.#loadValues(rows.values);
    else this.#loadBits(rows.bits, 0);
    if (known) this.#loadBits(known, knownAt);
  }

  /** Entries by row (side 'codes') or by bit (side 'weights'). */
  entries(side: 'codes' | 'weights'): Entries {
    if (side === 'codes') return this.rows;
    this.#columns ??= this.#transpose();
    return this.#columns;
  }

  /** Row i, as it was given. */
  async read(): Promise<Rows> {
    const { n, V, kind, rows, missing } = this;
    const all = new Uint32Array(await this.#dispatcher.read(rows.slab, 0, rows.slab.bytes));
    const known = missing ? packed(all.subarray(rows.knownAt), n, V) : undefined;
    if (kind === 'bits') return { kind, n, V, bits: packed(all, n, V), known };
    const floats = new Float32Array(all.buffer);
    const values = new Float32Array(n * V);
    for (let i = 0; i < n; i++) values.set(floats.subarray(i * rows.words, i * rows.words + V), i * V);
    if (known)
      values.forEach((_, at) => {
        const i = Math.floor(at / V);
        const v = at % V;
        if (!(known[i * rowBytes(V) + (v >> 3)] & (1 << (v & 7)))) values[at] = Number.NaN;
      });
    return { kind, n, V, values };
  }

  use(dispatcher: Dispatching): this {
    if (this.#dispatcher !== dispatcher)
      throw new Error('engine: this block of rows belongs to another engine');
    if (this.#freed) throw new Error('engine: this block of rows was already freed');
    return this;
  }

  free(): void {
    if (this.#freed) return;
    this.#freed = true;
    this.#dispatcher.free(this.rows.slab);
    if (this.#columns) this.#dispatcher.free(this.#columns.slab);
  }

  #loadBits(bits: Uint8Array, at: number): void {
    const { n, V, rows } = this;
    const bytes = rowBytes(V);
    const words = rows.knownWords;
    const size = n * bytes;
    const whole = wholeWords(bits, size);
    if (bytes === 4 * words) {
      this.#dispatcher.write(rows.slab, 4 * at, whole);
      return;
    }
    const raw = this.#dispatcher.slab(whole.byteLength, `${n} rows of ${V} bits`);
    this.#dispatcher.write(raw, 0, whole);
    alignRows(this.#dispatcher, raw, rows.slab, { n, bytes, words, at });
    this.#dispatcher.free(raw);
  }

  #loadValues(values: Float32Array): void {
    const { n, V, rows } = this;
    const padded = new Float32Array(n * rows.words);
    for (let i = 0; i < n; i++) padded.set(values.subarray(i * V, (i + 1) * V), i * rows.words);
    if (this.missing)
      padded.forEach((value, at) => {
        if (Number.isNaN(value)) padded[at] = 0;
      });
    this.#dispatcher.write(rows.slab, 0, padded);
  }

  #transpose(): Entries {
    const { n, V, kind, missing, rows } = this;
    const knownWords = Math.ceil(n / 32);
    const words = kind === 'real' ? 4 * Math.ceil(n / 4) : knownWords;
    const knownAt = missing ? V * words : 0;
    const slab = this.#dispatcher.slab(
      4 * V * (words + (missing ? knownWords : 0)),
      `${V} columns of ${n} entries`,
    );
    const shape = { n, V };
    if (kind === 'real')
      transposeValues(this.#dispatcher, rows.slab, slab, { ...shape, stride: rows.words, words });
    else
      transposeBits(this.#dispatcher, rows.slab, slab, {
        ...shape,
        stride: rows.words,
        rowsAt: 0,
        words,
        columnsAt: 0,
      });
    if (missing) {
      const known = { stride: rows.knownWords, rowsAt: rows.knownAt, words: knownWords, columnsAt: knownAt };
      transposeBits(this.#dispatcher, rows.slab, slab, { ...shape, ...known });
    }
    return { slab, words, knownAt, knownWords };
  }
}

/** Which values are not missing; nothing where all are there. */
function knownBits(values: Float32Array, n: number, V: number): Uint8Array | undefined {
  const bytes = rowBytes(V);
  let known: Uint8Array | undefined;
  for (let at = 0; at < n * V; at++) {
    if (!Number.isNaN(values[at])) continue;
    known ??= new Uint8Array(n * bytes).fill(255);
    known[Math.floor(at / V) * bytes + ((at % V) >> 3)] &= ~(1 << ((at % V) & 7));
  }
  return known;
}

/** The first `size` bytes, and as many more as a whole word takes. */
function wholeWords(bytes: Uint8Array, size: number): Uint8Array {
  if (size % 4 === 0) return bytes.subarray(0, size);
  const padded = new Uint8Array(4 * Math.ceil(size / 4));
  padded.set(bytes.subarray(0, size));
  return padded;
}

/** Rows that begin at whole words, packed by bytes again. */
function packed(words: Uint32Array, n: number, V: number): Uint8Array {
  const bytes = rowBytes(V);
  const stride = 4 * Math.ceil(V / 32);
  const from = new Uint8Array(words.buffer, words.byteOffset, n * stride);
  const out = new Uint8Array(n * bytes);
  for (let i = 0; i < n; i++) out.set(from.subarray(i * stride, i * stride + bytes), i * bytes);
  return out;
}
