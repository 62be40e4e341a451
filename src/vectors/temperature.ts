import type { Engine } from '../engine/engine.ts';
import { keepHighest } from '../rows/highest.ts';
import { HALF } from '../search/tables.ts';
import { leastTen } from '../search/temperature.ts';
import { packHalves, VectorCodes, type VectorCodesParts } from './codes.ts';
import { prepared, type Vectors } from './vectors.ts';

/**
 * The temperature by which codes find most of the ten nearest neighbours of vectors that were held out, among
 * those that were learned from and have codes (`chosen`; the first of them). Inner products have none.
 */
export async function chooseTemperature(
  engine: Engine,
  parts: Omit<VectorCodesParts, 'temperature' | 'training'>,
  { asked, learned, chosen }: { asked: Vectors; learned: Vectors; chosen: Uint8Array },
): Promise<{ temperature: number; recall: number }> {
  const { V, H, metric } = parts;
  const halves = H / 4;
  const n = chosen.length / halves;
  const base: Vectors = { n, V, values: learned.values.subarray(0, n * V) };
  const truth = await nearestTen(engine, asked, base, parts);
  const training = { n: 0, error: 0, squares: 0, rounds: 0, seed: 0, seconds: 0, recall: 0 };
  const codes = new VectorCodes({ ...parts, temperature: 1, training });
  const packed = packHalves(chosen, H);
  // Constants are linear in the temperature: those at 0 and at 1 give all.
  const cold = new VectorCodes({ ...parts, temperature: 0, training }).constants(packed, base);
  const lengths = codes.constants(packed, base);
  const { values } = codes.tables(asked);
  const width = halves / 2;
  const ofBytes = new Float64Array(256 * width);
  const found = TEMPERATURES.map(() => 0);
  for (let q = 0; q < asked.n; q++) {
    for (let k = 0; k < ofBytes.length; k++) {
      const at = (q * halves + 2 * (k >> 8)) * HALF;
      ofBytes[k] = values[at + (k & 15)] + values[at + HALF + ((k >> 4) & 15)];
    }
    const best = TEMPERATURES.map(() => ({
      scores: new Float64Array(10).fill(Number.NEGATIVE_INFINITY),
      places: new Int32Array(10),
    }));
    const tenth = new Float64Array(TEMPERATURES.length).fill(Number.POSITIVE_INFINITY);
    let bound = Number.POSITIVE_INFINITY;
    for (let i = 0; i < n; i++) {
      let linear = 0;
      for (let b = 0; b < width; b++) linear += ofBytes[(b << 8) + packed.bytes[i * width + b]];
      // Most codes are beyond the tenth best at every temperature, and need not be looked at for each.
      if (linear + Math.min(cold[i], lengths[i]) > bound) continue;
      const start = linear + cold[i];
      const rise = lengths[i] - cold[i];
      for (let which = 0; which < TEMPERATURES.length; which++) {
        const cost = start + TEMPERATURES[which] * rise;
        if (!(cost < tenth[which])) continue;
        const { scores, places } = best[which];
        keepHighest(scores, places, -cost, i);
        tenth[which] = -scores[9];
        bound = tenth.reduce((most, of) => Math.max(most, of));
      }
    }
    best.forEach(({ places }, which) => {
      for (const i of places.subarray(0, n)) if (truth[q].has(i)) found[which]++;
    });
  }
  const most = Math.max(...found);
  const temperature = metric === 'inner' ? 0 : TEMPERATURES[found.indexOf(most)];
  return { temperature, recall: most / (asked.n * Math.min(10, n)) };
}

/** Of equally good ones the first is taken; the last two are for vectors of very different lengths. */
const TEMPERATURES = [0.25, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 0.1, 0];

/** The ten nearest vectors of each query. The centre is subtracted, which does not change distances. */
async function nearestTen(
  engine: Engine,
  asked: Vectors,
  base: Vectors,
  { metric, centre }: Pick<VectorCodesParts, 'metric' | 'centre'>,
): Promise<Set<number>[]> {
  const { n, V } = base;
  const [q, x] = [asked, base].map((vectors) =>
    prepared(vectors, metric, metric === 'euclidean' ? centre : undefined),
  );
  const halves = new Float64Array(n);
  if (metric === 'euclidean') for (let k = 0; k < x.length; k++) halves[Math.floor(k / V)] += x[k] ** 2 / 2;
  const block = engine.load({ kind: 'real', n, V, values: x });
  const [turned, products] = [engine.floats(V * TOGETHER), engine.floats(n * TOGETHER)];
  const truth: Set<number>[] = [];
  const costs = new Float64Array(n);
  for (let first = 0; first < asked.n; first += TOGETHER) {
    const count = Math.min(TOGETHER, asked.n - first);
    const columns = Float32Array.from(
      { length: V * count },
      (_, k) => q[(first + (k % count)) * V + Math.floor(k / count)],
    );
    turned.write(columns);
    await engine.project(block, turned, count, products);
    const found = await products.read(0, n * count);
    for (let c = 0; c < count; c++) {
      for (let i = 0; i < n; i++) costs[i] = halves[i] - found[i * count + c];
      truth.push(new Set(leastTen(costs)));
    }
  }
  for (const held of [block, turned, products]) held.free();
  return truth;
}

/** Vectors whose neighbours are sought in one product. */
const TOGETHER = 64;
