import type { FlipOptions } from '../true-bits.ts';
import { type Item, lossAt, scores } from './item.ts';

/** Flips single bits (then pairs, where asked for) of one code as long as the loss falls. */
export function flipItem(item: Item, options: FlipOptions): Float64Array {
  const z = item.z.slice();
  let f = lossAt(item, scores(item, z));
  const tryFlip = (bits: readonly number[]): boolean => {
    for (const h of bits) z[h] = -z[h];
    const flipped = lossAt(item, scores(item, z));
    // A gain too small to trust would let rounding send the search in circles.
    if (flipped < f - 1e-9 * (1 + Math.abs(f))) {
      f = flipped;
      return true;
    }
    for (const h of bits) z[h] = -z[h];
    return false;
  };
  for (let sweep = 0; sweep < options.sweeps; sweep++) {
    let improved = false;
    for (let h = 0; h < item.free; h++) if (tryFlip([h])) improved = true;
    if (!improved && options.pairs) {
      for (let h = 0; h < item.free; h++) {
        for (let k = 0; k < h; k++) if (tryFlip([h, k])) improved = true;
      }
    }
    if (!improved) break;
  }
  return z;
}
