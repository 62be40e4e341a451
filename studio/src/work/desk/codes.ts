import type { Encoded, Engine, PCAE } from 'pc-ae';
import type { Context } from '../protocol.ts';
import type { DataSet } from './sets.ts';

/** The codes of all rows under a model: found once, then kept for as long as both are. */
export class Codes {
  readonly #kept = new WeakMap<PCAE, WeakMap<DataSet['rows'], Promise<Encoded>>>();

  of(model: PCAE, { rows }: DataSet, engine: Engine, { signal, tell }: Context<number>): Promise<Encoded> {
    const kept = this.#kept.get(model) ?? new WeakMap();
    this.#kept.set(model, kept);
    const before = kept.get(rows);
    if (before) return before;
    const found = model.encode(rows, { engine, signal, onProgress: tell });
    kept.set(rows, found);
    found.catch(() => kept.delete(rows));
    return found;
  }
}

/**
 * Codes in which distances mean something (n x H): a box, and other sets with a size, give each unit a scale
 * of its own, which is taken out. Bits, and real numbers, have one scale already.
 */
export function comparable({ encoding, moments, H }: PCAE, codes: Float32Array): Float32Array {
  if (encoding === 'bits' || encoding === 'real' || !moments) return codes;
  const width = Math.sqrt(moments.length);
  const scales = Float32Array.from({ length: H }, (_, h) => 1 / (Math.sqrt(moments[h * width + h]) || 1));
  return codes.map((x, k) => x * scales[k % H]);
}
