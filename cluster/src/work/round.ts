import { crossEntropy } from 'pc-ae';
import { widthOf } from 'pc-ae/engine';
import { taskId } from '../task.ts';
import { type Bench, type Work, withFloats } from './bench.ts';
import { hessians } from './hessians.ts';
import { arraysFromBytes, arraysToBytes } from './weights-file.ts';

/**
 * A shard's part in a round of learning. Its codes are brought on by Newton's steps under the weights of the round, from
 * where the round before left them. Sums over its rows then say which way W should go (the gradient of the loss in W), how the
 * loss bends there (a Hessian per bit, of some of the rows) and how far codes reach. Codes are those that a
 * `search` along the step of W then reads.
 */
export const roundWork: Work = async (task, bench) => {
  const [rows, id] = [await bench.rows(task), taskId(task)];
  const { V, n } = rows;
  const { H, ridge, codeSteps } = task.options as Record<string, number>;
  const shape = { V, H, bias: true };
  const width = widthOf(shape);
  const { W } = arraysFromBytes(
    await bench.store.get(task.inputs.weights, 'the weights'),
    { W: V * width },
    'weights',
  );
  const before = await codesBefore(task.inputs.codes, bench, n, width);
  return withFloats(bench.engine, async (engine, floats, load) => {
    const at = { block: load(rows), shape, W: floats(V * width), E: floats(n * width), loss: crossEntropy };
    at.W.write(W);
    at.E.write(before);
    for (let step = 0; step < codeSteps; step++) await engine.newton('codes', at, { ridge, move: true });
    const [losses, curvature, gradient, none] = [n, V, V * width, H * H].map(floats);
    // No steps: the sums at the codes as they are.
    await engine.solve('codes', at, {
      ...{ steps: 0, tolerance: 0, ridge: 0, inverseHessian: none, losses },
      sums: { gradient, curvature },
    });
    const E = await at.E.read();
    return {
      codes: arraysToBytes({ E }, id),
      sums: arraysToBytes(
        {
          gradient: await gradient.read(),
          curvature: await curvature.read(),
          hessians: await hessians(engine, floats, at, rows),
          reach: reachOf(E, H, width),
          loss: Float64Array.of((await losses.read()).reduce((sum, loss) => sum + loss, 0)),
        },
        id,
      ),
    };
  });
};

/** The codes that the round before left; at first all are 0, and the bias unit's constant 1. */
async function codesBefore(
  hash: string | undefined,
  bench: Bench,
  n: number,
  width: number,
): Promise<Float32Array> {
  if (hash !== undefined) {
    const bytes = await bench.store.get(hash, 'codes of the round before');
    return arraysFromBytes(bytes, { E: n * width }, 'codes').E as Float32Array;
  }
  const codes = new Float32Array(n * width);
  for (let i = width - 1; i < codes.length; i += width) codes[i] = 1;
  return codes;
}

/** The largest |e_h| of each unit. */
function reachOf(codes: Float32Array, H: number, width: number): Float64Array {
  const reach = new Float64Array(H);
  for (let k = 0; k < codes.length; k++) {
    const h = k % width;
    if (h < H) reach[h] = Math.max(reach[h], Math.abs(codes[k]));
  }
  return reach;
}
