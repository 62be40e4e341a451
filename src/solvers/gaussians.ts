import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** Standard normal numbers from a seed (Box and Muller). */
export function gaussians(count: number, seed: number): Float64Array {
  const stream = xoroshiro128plus(seed);
  const out = new Float64Array(count);
  for (let i = 0; i < count; i += 2) {
    const length = Math.sqrt(-2 * Math.log(1 - uniformFloat64(stream)));
    const angle = 2 * Math.PI * uniformFloat64(stream);
    out[i] = length * Math.cos(angle);
    if (i + 1 < count) out[i + 1] = length * Math.sin(angle);
  }
  return out;
}
