import { constants } from './layout.generated.ts';
import type { Memory } from './memory.ts';
import type { Pool } from './pool.ts';
import type { WasmFloats } from './storage.ts';

/** A matrix of K x width that starts `first` numbers into `floats`. */
export interface Matrix {
  readonly floats: WasmFloats;
  readonly first: number;
  readonly K: number;
  readonly width: number;
}

/** Ways to pack a matrix; see src/kernels/product.ts. */
const kinds = ['forward', 'back', 'columns'] as const;
type Kind = (typeof kinds)[number];

interface Pack extends Matrix, Record<Kind, number> {
  readonly version: number;
}

/** Bytes of each; more than a kernel could count when a matrix is too large to fit. */
const bytesOf: Record<Kind, (K: number, width: number) => number> = {
  forward: (K, width) => Math.ceil(K / 4) * width * 16,
  back: (K, width) => Math.ceil(width / 4) * K * 16,
  columns: (K, width) => width * Math.ceil(K / 4) * 16,
};

/** As many matrices as one operation uses, and as many again. */
const KEPT = 4;

/**
 * Matrices packed for the kernels: `forward` for A z, `back` for A^T r, and so on. The last few are kept
 * until the numbers they were made from change, so that going through many rows with one W packs it once.
 */
export class Packs {
  readonly #memory: Memory;
  readonly #pool: Pool;
  #packs: readonly Pack[] = [];

  constructor(memory: Memory, pool: Pool) {
    this.#memory = memory;
    this.#pool = pool;
  }

  /** Addresses of the matrix in the packings asked for. */
  async provide(matrix: Matrix, ...needed: readonly Kind[]): Promise<Readonly<Record<Kind, number>>> {
    const pack = this.#find(matrix);
    const { K, width } = matrix;
    const missing = needed.filter((kind) => pack[kind] === 0);
    if (missing.length === 0) return pack;
    const made: Partial<Record<Kind, number>> = {};
    try {
      for (const kind of missing)
        made[kind] = this.#memory.allocate(bytesOf[kind](K, width), 'packed factors');
      const A = matrix.floats.at + 4 * matrix.first;
      await this.#pool.run(
        [made, { kernel: constants.PACK, K, width, A }],
        2 * K * width,
        Math.ceil(K / constants.PACKED),
      );
    } catch (error) {
      for (const at of Object.values(made)) this.#memory.free(at);
      throw error;
    }
    return Object.assign(pack, made);
  }

  /** Nothing is kept any longer. */
  forget(): void {
    for (const pack of this.#packs) this.#release(pack);
  }

  /**
   * The pack of the matrix, most recent first. What is stale goes, and an old one makes room for a new one.
   */
  #find(matrix: Matrix): Pack {
    const { floats, first, K, width } = matrix;
    for (const stale of this.#packs.filter((pack) => pack.version !== pack.floats.version))
      this.#release(stale);
    const found = this.#packs.find(
      (pack) => pack.floats === floats && pack.first === first && pack.K === K && pack.width === width,
    );
    const pack = found ?? { ...matrix, version: floats.version, forward: 0, back: 0, columns: 0 };
    this.#packs = [pack, ...this.#packs.filter((other) => other !== pack)];
    for (const old of this.#packs.slice(KEPT)) this.#release(old);
    return pack;
  }

  #release(pack: Pack): void {
    this.#packs = this.#packs.filter((other) => other !== pack);
    for (const kind of kinds) if (pack[kind]) this.#memory.free(pack[kind]);
  }
}
