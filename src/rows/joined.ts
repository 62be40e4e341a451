import { allKnown, type Rows, rowBytes, sliceRows } from './rows.ts';
import type { RowSource } from './source.ts';

/** Rows of one kind, n in all, that come a few at a time. Names are not kept. */
export class JoinedRows {
  readonly n: number;
  readonly V: number;
  /** Rows that are there. */
  filled = 0;
  readonly #check: (bytes: number) => void;
  #bits?: Uint8Array;
  #known?: Uint8Array;
  #values?: Float32Array;

  /** `check` is called with the number of bytes before so many are allocated. */
  constructor({ n, V }: Pick<RowSource, 'n' | 'V'>, check: (bytes: number) => void = () => {}) {
    this.n = n;
    this.V = V;
    this.#check = check;
  }

  add(rows: Rows): void {
    const { n, V, filled } = this;
    const stride = rowBytes(V);
    if (rows.kind === 'real') {
      if (!this.#values) this.#check(4 * n * V);
      this.#values ??= new Float32Array(n * V);
      this.#values.set(rows.values, filled * V);
    } else {
      if (!this.#bits) this.#check(n * stride);
      this.#bits ??= new Uint8Array(n * stride);
      this.#bits.set(rows.bits, filled * stride);
      if (rows.known && !this.#known) {
        this.#check(2 * n * stride);
        this.#known = allKnown(n, V);
      }
      if (rows.known) this.#known?.set(rows.known, filled * stride);
    }
    this.filled += rows.n;
  }

  /** All of them, once they are there. */
  get rows(): Rows {
    const { n, V } = this;
    if (this.#values) return { kind: 'real', n, V, values: this.#values };
    const known = this.#known;
    return { kind: 'bits', n, V, bits: this.#bits ?? new Uint8Array(0), ...(known && { known }) };
  }
}

/**
 * The rows of a checked source, exactly `size` at a time, with fewer at the end. A reader may hand out fewer
 * rows than it is asked for, such as a few dozen of a table with 100,000 columns.
 */
export async function* fullChunks(source: RowSource, size: number): AsyncGenerator<Rows> {
  const { n, V } = source;
  let read = 0;
  const next = () => new JoinedRows({ n: Math.min(size, n - read), V });
  let joined = next();
  for await (const chunk of source.chunks(size)) {
    for (let at = 0; at < chunk.n; ) {
      const count = Math.min(chunk.n - at, joined.n - joined.filled);
      const part = sliceRows(chunk, at, at + count);
      at += count;
      read += count;
      // Most chunks are full as they come.
      const whole = count === joined.n;
      if (!whole) joined.add(part);
      if (!whole && joined.filled < joined.n) continue;
      yield whole ? part : joined.rows;
      joined = next();
    }
  }
}
