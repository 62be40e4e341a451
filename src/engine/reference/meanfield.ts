import { coolingOf } from '../options.ts';
import type { AnnealOptions } from '../true-bits.ts';
import { flipItem } from './flip.ts';
import { back, halfResiduals, type Item, lossAt, scores } from './item.ts';
import { probeItem } from './probe.ts';

/** The best code that any start leads to, by annealed mean field and flips, of one row. */
export function annealItem(
  item: Item,
  starts: ArrayLike<number>,
  curvatures: ArrayLike<number>,
  options: AnnealOptions,
): Float64Array {
  const H = item.free;
  const { probing } = options;
  const cooling = coolingOf(options);
  let best = item.z;
  let least = options.keep ? lossAt(item, scores(item, best)) : Number.POSITIVE_INFINITY;
  for (let start = 0; start + H <= starts.length; start += H) {
    let a: Float64Array = Float64Array.from({ length: H }, (_, h) => starts[start + h]);
    let temperature = options.hot;
    for (let i = 0; i < options.iterations; i++, temperature *= cooling) {
      a = meanFieldStep(item, a, meansOf(item, a), curvatures, temperature, options.damping);
    }
    const z = item.z.slice();
    for (let h = 0; h < H; h++) z[h] = a[h] < 0 || Object.is(a[h], -0) ? -1 : 1;
    const found = probing
      ? probeItem(item, meansOf(item, a), z, probing, options.sweeps)
      : flipItem({ ...item, z }, { sweeps: options.sweeps, pairs: false });
    const f = lossAt(item, scores(item, found));
    if (f < least) [best, least] = [found, f];
  }
  return best;
}

/** The code of means tanh(a), the bias unit's 1 after it where there is one. */
export function meansOf(item: Item, a: Float64Array): Float64Array {
  return item.z.map((z, h) => (h < item.free ? Math.tanh(a[h]) : z));
}

/** a + damping (-(g - c e) / T - a), with g the gradient of the loss at the means e. */
export function meanFieldStep(
  item: Item,
  a: Float64Array,
  means: Float64Array,
  curvatures: ArrayLike<number>,
  temperature: number,
  damping: number,
): Float64Array {
  const g = back(item, halfResiduals(item, scores(item, means)));
  return g.map((gh, h) => a[h] + damping * (-(gh - curvatures[h] * means[h]) / temperature - a[h]));
}

/** The best of all codes in {-1, 1}^H of one row. */
export function enumerateItem(item: Item): Float64Array {
  let best = item.z;
  let least = Number.POSITIVE_INFINITY;
  for (let code = 0; code < 2 ** item.free; code++) {
    const z = item.z.map((bias, h) => (h < item.free ? ((code >> h) & 1 ? 1 : -1) : bias));
    const f = lossAt(item, scores(item, z));
    if (f < least) [best, least] = [z, f];
  }
  return best;
}
