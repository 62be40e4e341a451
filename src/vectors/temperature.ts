import { HALF } from '../search/tables.ts';
import { leastTen } from '../search/temperature.ts';
import { packHalves, VectorCodes, type VectorCodesParts } from './codes.ts';
import { prepared, type Vectors } from './vectors.ts';

/**
 * The temperature by which codes find most of the ten nearest neighbours of vectors that were held out, among those
 * that were learned from (20,000 at most). Inner products have none.
 */
export function chooseTemperature(
  parts: Omit<VectorCodesParts, 'temperature' | 'training'>,
  { asked, learned, chosen }: { asked: Vectors; learned: Vectors; chosen: Uint8Array },
): { temperature: number; recall: number } {
  const n = Math.min(learned.n, MOST);
  const { V, H, metric } = parts;
  const halves = H / 4;
  const base: Vectors = { n, V, values: learned.values.subarray(0, n * V) };
  const truth = nearestTen(asked, base, metric);
  const training = { n: 0, error: 0, squares: 0, rounds: 0, seed: 0, seconds: 0, recall: 0 };
  const codes = new VectorCodes({ ...parts, temperature: 1, training });
  const lengths = codes.constants(packHalves(chosen.subarray(0, n * halves), H));
  const { values } = codes.tables(asked);
  const found = TEMPERATURES.map(() => 0);
  const costs = new Float64Array(n);
  const linear = new Float64Array(n);
  for (let q = 0; q < asked.n; q++) {
    for (let i = 0; i < n; i++) {
      let sum = 0;
      for (let m = 0; m < halves; m++) sum += values[(q * halves + m) * HALF + chosen[i * halves + m]];
      linear[i] = sum;
    }
    TEMPERATURES.forEach((t, which) => {
      for (let i = 0; i < n; i++) costs[i] = linear[i] + t * lengths[i];
      for (const i of leastTen(costs)) if (truth[q].has(i)) found[which]++;
    });
  }
  const most = Math.max(...found);
  const temperature = metric === 'inner' ? 0 : TEMPERATURES[found.indexOf(most)];
  return { temperature, recall: most / (asked.n * Math.min(10, n)) };
}

const TEMPERATURES = [0.25, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
const MOST = 20_000;

function nearestTen(asked: Vectors, base: Vectors, metric: VectorCodesParts['metric']): Set<number>[] {
  const { V } = base;
  const [q, x] = [asked, base].map((vectors) => prepared(vectors, metric));
  const costs = new Float64Array(base.n);
  return Array.from({ length: asked.n }, (_, i) => {
    for (let j = 0; j < base.n; j++) {
      let cost = 0;
      for (let v = 0; v < V; v++) {
        const [a, b] = [q[i * V + v], x[j * V + v]];
        cost += metric === 'euclidean' ? (a - b) ** 2 : -a * b;
      }
      costs[j] = cost;
    }
    return new Set(leastTen(costs));
  });
}
