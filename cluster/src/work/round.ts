import { setImmediate as breath } from 'node:timers/promises';
import { crossEntropy } from 'pc-ae';
import { type Engine, type Floats, type Point, widthOf } from 'pc-ae/engine';
import { ExactSum, gridOf } from '../exact-sum.ts';
import { numbersIn } from '../spans.ts';
import { type Task, taskId } from '../task.ts';
import { workOut } from './advance.ts';
import { type Bench, type Work, withFloats } from './bench.ts';
import { bringOn } from './codes.ts';
import { arraysToBytes } from './weights-file.ts';

/**
 * A worker's part in a round of learning. The codes of its shards are brought on under the weights of the
 * round, and stay here. Sums over all their rows go out: the gradient of the loss in W, which says which way
 * W should go, the loss, and how far codes reach.
 */
export const roundWork: Work = async (task, bench) => {
  const { n, V } = await bench.manifest(task.manifest);
  const H = Number(task.options.H);
  const width = widthOf({ H, bias: true });
  const grid = gridOf(n);
  const [gradients, losses] = [new ExactSum(V * width, grid), new ExactSum(1, grid)];
  const reach = new Float64Array(H);
  await forEachShard(task, bench, async (engine, at, floats) => {
    const [each, gradient] = [at.block.n, V * width].map(floats);
    await engine.gradients(at, { weights: gradient, losses: each });
    gradients.add(await gradient.read());
    losses.add([(await each.read()).reduce((sum, loss) => sum + loss, 0)]);
    (await at.E.read()).forEach((e, k) => {
      const h = k % width;
      if (h < H) reach[h] = Math.max(reach[h], Math.abs(e));
    });
  });
  const sums = { gradient: gradients.parts(), loss: losses.parts(), reach };
  return { sums: arraysToBytes(sums, taskId(task)) };
};

/** Does something for each shard of a task, at its codes of the round. */
export async function forEachShard(
  task: Task,
  bench: Bench,
  action: (engine: Engine, at: AtCodes, floats: (length: number) => Floats) => Promise<void>,
): Promise<void> {
  const { H, ridge } = task.options as Record<string, number>;
  const { V } = await bench.manifest(task.manifest);
  const shape = { V, H, bias: true };
  const width = widthOf(shape);
  const path = pathOf(task);
  await workOut(path[path.length - 1], task.inputs, bench, { V, width });
  for (const shard of numbersIn(task.shards)) {
    const rows = await bench.rows(task, shard);
    await withFloats(bench.engine, async (engine, floats, load) => {
      const at = {
        block: load(rows),
        shape,
        W: floats(V * width),
        E: floats(rows.n * width),
        loss: crossEntropy,
      };
      await bringOn(engine, at, { manifest: task.manifest, shard, path, ridge }, bench);
      await action(engine, at, floats);
    });
    // Signs of life are given, and signals heard, between shards.
    await breath();
  }
}

type AtCodes = Point & { readonly W: Floats; readonly E: Floats };

/** The weights of the rounds that codes went through, the last one those of this round: inputs w1, w2, ... */
export function pathOf({ inputs }: Pick<Task, 'inputs'>): string[] {
  const path: string[] = [];
  for (let k = 1; inputs[`w${k}`] !== undefined; k++) path.push(inputs[`w${k}`]);
  return path;
}

export function pathInputs(path: readonly string[]): Record<string, string> {
  return Object.fromEntries(path.map((hash, k) => [`w${k + 1}`, hash]));
}
