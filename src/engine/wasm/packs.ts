import { constants } from './binary.generated.ts';
import type { Memory } from './memory.ts';
import type { Kernels } from './module.ts';
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
const kinds = ['forward', 'back', 'wide', 'columns'] as const;
type Kind = (typeof kinds)[number];

interface Pack extends Matrix, Record<Kind, number> {
  readonly version: number;
}

/** As many matrices as one operation uses, and as many again. */
const KEPT = 4;

/**
 * Matrices packed for the kernels: `forward` for A z, `back` for A^T r, and so on. The last few are kept until the numbers they
 * were made from change, so that going through many rows with one W packs it once.
 */
export class Packs {
  readonly #memory: Memory;
  readonly #kernels: Kernels;
  readonly #pool: Pool;
  readonly #packs: Pack[] = [];

  constructor(memory: Memory, kernels: Kernels, pool: Pool) {
    this.#memory = memory;
    this.#kernels = kernels;
    this.#pool = pool;
  }

  /** Addresses of the matrix in the packings asked for. */
  async provide(matrix: Matrix, ...needed: readonly Kind[]): Promise<Readonly<Record<Kind, number>>> {
    const pack = this.#find(matrix);
    const { K, width } = matrix;
    const missing = needed.filter((kind) => pack[kind] === 0);
    if (missing.length === 0) return pack;
    for (const kind of missing)
      pack[kind] = this.#memory.allocate(this.#bytes(kind, K, width), 'packed factors');
    await this.#pool.run(
      {
        ...Object.fromEntries(missing.map((kind) => [kind, pack[kind]])),
        ...{ kernel: constants.PACK, units: Math.ceil(K / constants.PACKED), K, width },
        A: matrix.floats.at + 4 * matrix.first,
      },
      2 * K * width,
    );
    return pack;
  }

  #bytes(kind: Kind, K: number, width: number): number {
    const { forwardBytes, backBytes, wideBytes, columnBytes } = this.#kernels;
    return { forward: forwardBytes, back: backBytes, wide: wideBytes, columns: columnBytes }[kind](K, width);
  }

  /** The pack of the matrix, most recent first; an old one makes room for a new one. */
  #find(matrix: Matrix): Pack {
    const { floats, first, K, width } = matrix;
    const index = this.#packs.findIndex(
      (pack) => pack.floats === floats && pack.first === first && pack.K === K && pack.width === width,
    );
    let pack = index < 0 ? undefined : this.#packs.splice(index, 1)[0];
    if (pack && pack.version !== floats.version) {
      this.#release(pack);
      pack = undefined;
    }
    pack ??= { ...matrix, version: floats.version, forward: 0, back: 0, wide: 0, columns: 0 };
    this.#packs.unshift(pack);
    while (this.#packs.length > KEPT) this.#release(this.#packs.pop()!);
    return pack;
  }

  #release(pack: Pack): void {
    for (const kind of kinds) if (pack[kind]) this.#memory.free(pack[kind]);
  }
}
