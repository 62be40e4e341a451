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

interface Pack extends Matrix {
  version: number;
  forward: number;
  back: number;
}

/** As many matrices as one operation uses, and as many again. */
const KEPT = 4;

/**
 * Matrices packed for the kernels: `forward` for A z, `back` for A^T r. The last few are kept until the numbers they
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

  async provide(
    matrix: Matrix,
    need: { readonly forward?: boolean; readonly back?: boolean },
  ): Promise<{ forward: number; back: number }> {
    const pack = this.#find(matrix);
    const { K, width } = matrix;
    const missing = { forward: 0, back: 0 };
    if (need.forward && !pack.forward) {
      pack.forward = this.#memory.allocate(this.#kernels.forwardBytes(K, width), 'packed factors');
      missing.forward = pack.forward;
    }
    if (need.back && !pack.back) {
      pack.back = this.#memory.allocate(this.#kernels.backBytes(K, width), 'packed factors');
      missing.back = pack.back;
    }
    if (missing.forward || missing.back) {
      const A = matrix.floats.at + 4 * matrix.first;
      const units = Math.ceil(K / constants.PACKED);
      await this.#pool.run({ kernel: constants.PACK, units, A, K, width, ...missing }, 2 * K * width);
    }
    return pack;
  }

  /** The pack of the matrix, most recent first; an old one makes room for a new one. */
  #find(matrix: Matrix): Pack {
    const { floats, first, K, width } = matrix;
    const index = this.#packs.findIndex(
      (pack) => pack.floats === floats && pack.first === first && pack.K === K && pack.width === width,
    );
    let [pack] = index < 0 ? [] : this.#packs.splice(index, 1);
    if (pack && pack.version !== floats.version) {
      this.#release(pack);
      pack = undefined as unknown as Pack;
    }
    pack ??= { ...matrix, version: floats.version, forward: 0, back: 0 };
    this.#packs.unshift(pack);
    while (this.#packs.length > KEPT) this.#release(this.#packs.pop()!);
    return pack;
  }

  #release(pack: Pack): void {
    if (pack.forward) this.#memory.free(pack.forward);
    if (pack.back) this.#memory.free(pack.back);
  }
}
