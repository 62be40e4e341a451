import type { RowSource } from '../../rows/source.ts';

/** What encoding says of some rows. */
interface Part {
  readonly n: number;
  readonly losses: ArrayLike<number>;
  readonly gaps?: ArrayLike<number>;
  readonly flipOptimal?: ArrayLike<number>;
}

/** The loss of every row and the proof of its code, as a table, kept until all rows are there. */
export class RowCertificates {
  readonly #rows: Pick<RowSource, 'n' | 'ids'>;
  readonly #columns = new Map<string, Float32Array>();
  #done = 0;

  constructor(rows: Pick<RowSource, 'n' | 'ids'>) {
    this.#rows = rows;
  }

  add({ n, losses, gaps, flipOptimal }: Part): void {
    for (const [name, values] of Object.entries({ loss: losses, gap: gaps, flips: flipOptimal })) {
      if (!values) continue;
      const column = this.#columns.get(name) ?? new Float32Array(this.#rows.n);
      this.#columns.set(name, column);
      column.set(values, this.#done);
    }
    this.#done += n;
  }

  source(): RowSource {
    const { n, ids } = this.#rows;
    const columns = [...this.#columns.values()];
    const V = columns.length;
    return {
      n,
      V,
      ids,
      columns: [...this.#columns.keys()],
      async *chunks(size) {
        for (let first = 0; first < n; first += size) {
          const count = Math.min(size, n - first);
          const values = new Float32Array(count * V);
          for (let k = 0; k < values.length; k++) values[k] = columns[k % V][first + Math.floor(k / V)];
          yield { kind: 'real', n: count, V, values };
        }
      },
    };
  }
}
