import type { Dispatching, Kernel, Slab } from './dispatcher.ts';
import { EACH, gridFor } from './grid.ts';
import type { GpuFloats } from './storage.ts';

/** A factor held fixed: `K` rows of `width` numbers, from row `first` of some floats on. */
export interface Matrix {
  readonly floats: GpuFloats;
  readonly first: number;
  readonly K: number;
  readonly width: number;
}

/**
 * Factors as kernels like them, in groups of four: by columns for A z (width x K, K padded to four), then by
 * rows for A^T r (K x width, padded both ways). They are kept until the numbers they were made from change.
 */
export class Packs {
  readonly #dispatcher: Dispatching;
  readonly #kept = new Map<string, { readonly slab: Slab; version: number }>();

  constructor(dispatcher: Dispatching) {
    this.#dispatcher = dispatcher;
  }

  provide({ floats, first, K, width }: Matrix): Slab {
    const key = keyOf({ floats, first, K, width });
    let pack = this.#kept.get(key);
    const { K4, W4 } = groupsOf(K, width);
    if (!pack) {
      const bytes = 16 * (width * K4 + 4 * K4 * W4);
      pack = {
        slab: this.#dispatcher.slab(bytes, `a factor of ${K} x ${width} in groups of four`),
        version: -1,
      };
      this.#kept.set(key, pack);
      if (this.#kept.size > KEPT) this.#forgetOldest();
    }
    if (pack.version !== floats.version) {
      const tasks = width * K4 + 4 * K4 * W4;
      const values = { tasks, K, K4, width, W4, first: first * width };
      this.#dispatcher.run(packing, gridFor(tasks), { plain: floats.slab, packed: pack.slab }, values);
      pack.version = floats.version;
    }
    return pack.slab;
  }

  /** The pack of all rows of some floats, if there is an up-to-date one, for a kernel that changes both. */
  of(floats: GpuFloats, width: number): (Grouped & { readonly slab: Slab; renewed(): void }) | undefined {
    const K = floats.length / width;
    const pack = this.#kept.get(keyOf({ floats, first: 0, K, width }));
    if (pack?.version !== floats.version) return undefined;
    return {
      ...groupsOf(K, width),
      slab: pack.slab,
      renewed() {
        pack.version = floats.version;
      },
    };
  }

  #forgetOldest(): void {
    const [[key, { slab }]] = this.#kept;
    this.#kept.delete(key);
    this.#dispatcher.free(slab);
  }
}

const KEPT = 6;

/** Groups of four among a factor's rows, and among the numbers of a row. */
interface Grouped {
  readonly K4: number;
  readonly W4: number;
}

function groupsOf(K: number, width: number): Grouped {
  return { K4: Math.ceil(K / 4), W4: Math.ceil(width / 4) };
}

function keyOf({ floats, first, K, width }: Matrix): string {
  return `${floats.slab.id}:${first}:${K}:${width}`;
}

const packing = {
  key: 'pack',
  fields: { tasks: 'u32', K: 'u32', K4: 'u32', width: 'u32', W4: 'u32', first: 'u32' },
  buffers: { plain: 'read f32', packed: 'write vec4f' },
  code: () => /* wgsl */ `
fn at(k: u32, h: u32) -> f32 {
  if (k >= params.K || h >= params.width) { return 0.0; }
  return plain[params.first + k * params.width + h];
}
${EACH(`
  let forward = params.width * params.K4;
  if (i < forward) {
    let h = i / params.K4;
    let k = 4u * (i % params.K4);
    packed[i] = vec4f(at(k, h), at(k + 1u, h), at(k + 2u, h), at(k + 3u, h));
  } else {
    let k = (i - forward) / params.W4;
    let h = 4u * ((i - forward) % params.W4);
    packed[i] = vec4f(at(k, h), at(k, h + 1u), at(k, h + 2u), at(k, h + 3u));
  }`)}`,
} as const satisfies Kernel<Record<string, 'u32'>, Record<string, 'read f32' | 'write vec4f'>>;
