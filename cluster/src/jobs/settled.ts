import { crossEntropy, type HistoryEntry, PCAE, type TrainingRecord } from 'pc-ae';
import { treeSum } from '../sum.ts';
import { arraysFromBytes, type Numbers } from '../work/weights-file.ts';
import type { TrainJob } from './job.ts';
import type { RoundState } from './standing.ts';
import { tasksOf } from './table.ts';

/** The model with its final scale, and what it remembers of all rows at their proven codes. */
export async function settled(
  job: TrainJob,
  { G, curvature, reach }: RoundState,
  encoding: 'box' | 'real',
  history: readonly HistoryEntry[],
): Promise<PCAE> {
  const { table, crew, deal, H, V, n, width, ridge, seed } = job;
  const { columns, groups, image, schema } = table.manifest;
  // New rows may need somewhat larger codes than those seen: the box has room for them, as that of `fit`.
  const scale = reach.map((most) => (encoding === 'box' ? ROOM * Math.max(most, 1e-6) : 1));
  const training: TrainingRecord = {
    ...{ algorithm: 'fast', n, loss: 0, seed, ridge, l1: 0, epochs: history.length, seconds: 0 },
    ...{ stopped: 'epochs', converged: false, history },
  };
  const parts = {
    ...{ V, H, encoding, bias: true, reconstructionLoss: crossEntropy, curvature },
    ...{ columns, groups, image, schema },
    W: G.map((w, k) => (k % width < H ? w * scale[k % width] : w)),
    B: new Float32Array(V * width),
    radius: encoding === 'box' ? 1 : ROOM * Math.max(1, ...reach),
  };
  const model = await crew.store.put(new PCAE({ ...parts, training }).save());
  const lengths = { B: V * width, moments: width * width, totals: 2 };
  const sums: Record<keyof typeof lengths, Numbers>[] = [];
  for (const { outputs } of await deal.askEach(
    tasksOf(table, 'settle', () => ({ inputs: { model }, options: {} })),
  )) {
    const bytes = await crew.store.get(outputs.sums, 'sums of a shard');
    sums.push(arraysFromBytes(bytes, lengths, 'sums of a shard'));
  }
  const mean = (name: 'B' | 'moments' | 'totals') =>
    treeSum(sums.map((part) => part[name])).map((sum) => sum / n);
  const [loss, meanGap] = mean('totals');
  return new PCAE({
    ...parts,
    ...{ B: Float32Array.from(mean('B')), moments: Float32Array.from(mean('moments')) },
    training: { ...training, loss, meanGap },
  });
}

/** How much further than the largest code the box reaches, as in `fit`. */
const ROOM = 4;
