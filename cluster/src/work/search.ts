import { widthOf } from 'pc-ae/engine';
import { ExactSum, gridOf } from '../exact-sum.ts';
import { taskId } from '../task.ts';
import type { Work } from './bench.ts';
import { forEachShard, pathOf } from './round.ts';
import { arraysFromBytes, arraysToBytes } from './weights-file.ts';

/**
 * A worker's part in finding out how far W goes along its step d, for the codes as a round has left them: the
 * slope of each bit's loss at W + a d, for each of `LENGTHS`. Bits do not know of each other once codes are
 * fixed, so that one pass answers for all of them.
 */
export const searchWork: Work = async (task, bench) => {
  const { n, V } = await bench.manifest(task.manifest);
  const width = widthOf({ H: Number(task.options.H), bias: true });
  const size = V * width;
  const weights = await bench.store.get(pathOf(task).at(-1)!, 'the weights');
  const W = arraysFromBytes(weights, { W: size }, 'the weights').W as Float32Array;
  const aim = await bench.store.get(task.inputs.aim, 'the step of W');
  const d = arraysFromBytes(aim, { d: size }, 'the step of W').d as Float32Array;
  const sums = new ExactSum(LENGTHS.length * V, slopeGrid(n));
  await forEachShard(task, bench, async (engine, at, floats) => {
    const gradient = floats(size);
    const slopes = new Float64Array(LENGTHS.length * V);
    for (const [k, length] of LENGTHS.entries()) {
      at.W.write(W.map((w, i) => w + length * d[i]));
      await engine.gradients(at, { weights: gradient });
      (await gradient.read()).forEach((g, i) => {
        slopes[k * V + Math.floor(i / width)] += g * d[i];
      });
    }
    sums.add(slopes);
  });
  return { slopes: arraysToBytes({ slopes: sums.parts() }, taskId(task)) };
};

/**
 * Shares of Newton's step that are tried: it is too long if the curvature grows on the way, else too short.
 */
export const LENGTHS = [0.5, 1, 2] as const;

/**
 * Slopes at twice a step may be much larger than gradients, and tell little more than where their sign
 * changes.
 */
export function slopeGrid(n: number): number {
  return 64 * gridOf(n);
}
