import { crossEntropy } from 'pc-ae';
import { widthOf } from 'pc-ae/engine';
import { taskId } from '../task.ts';
import { type Work, withFloats } from './bench.ts';
import { arraysFromBytes, arraysToBytes } from './weights-file.ts';

/**
 * A shard's part in finding out how far W goes along its step d, for the codes as a round has left them: the slope of each
 * bit's loss at W + a d, for each of `LENGTHS`. Bits do not know of each other once codes are fixed, so that one pass
 * answers for all of them.
 */
export const searchWork: Work = async (task, bench) => {
  const rows = await bench.rows(task);
  const { V, n } = rows;
  const H = Number(task.options.H);
  const shape = { V, H, bias: true };
  const width = widthOf(shape);
  const size = V * width;
  const read = async (name: string, what: string, lengths: Record<string, number>) =>
    arraysFromBytes(await bench.store.get(task.inputs[name], what), lengths, what);
  const { W } = await read('weights', 'the weights', { W: size });
  const { d } = await read('aim', 'the step of W', { d: size });
  const { E } = await read('codes', 'the codes of the round', { E: n * width });
  return withFloats(bench.engine, async (engine, floats, load) => {
    const at = { block: load(rows), shape, W: floats(size), E: floats(n * width), loss: crossEntropy };
    at.E.write(E);
    const gradient = floats(size);
    const slopes = new Float64Array(LENGTHS.length * V);
    for (const [k, length] of LENGTHS.entries()) {
      at.W.write(Float32Array.from(W, (w, i) => w + length * d[i]));
      await engine.gradients(at, { weights: gradient });
      (await gradient.read()).forEach((g, i) => {
        slopes[k * V + Math.floor(i / width)] += g * d[i];
      });
    }
    return { slopes: arraysToBytes({ slopes }, taskId(task)) };
  });
};

/** Shares of Newton's step that are tried: it is too long where the loss bends more on the way, and too short elsewhere. */
export const LENGTHS = [0.5, 1, 2] as const;
