import { widthOf } from 'pc-ae/engine';
import type { Work } from './bench.ts';
import { arraysToBytes } from './weights-file.ts';

/** What a model keeps of a shard's rows: correlations and moments of its certified codes, loss and gap. */
export const settleWork: Work = async (task, bench) => {
  const model = await bench.model(task.inputs.model);
  const { V, H } = model;
  const width = widthOf(model);
  const { engine } = bench;
  const B = new Float64Array(V * width);
  const moments = new Float64Array(width * width);
  let [loss, gap] = [0, 0];
  for await (const { n, codes, losses, gaps, rows } of model.encodeSource(await bench.rows(task), {
    engine,
  })) {
    const stored = new Float32Array(n * width).fill(1);
    for (let i = 0; i < n; i++) stored.set(codes.subarray(i * H, (i + 1) * H), i * width);
    const [block, E, sums] = [engine.load(rows), engine.floats(n * width), engine.floats(V * width)];
    try {
      E.write(stored);
      (await engine.gram(E, n, width)).forEach((sum, k) => {
        moments[k] += sum;
      });
      await engine.correlate(block, E, width, sums);
      (await sums.read()).forEach((sum, k) => {
        B[k] += sum;
      });
    } finally {
      for (const one of [block, E, sums]) one.free();
    }
    for (let i = 0; i < n; i++) {
      loss += losses[i];
      gap += gaps[i];
    }
  }
  return { sums: arraysToBytes({ B, moments, totals: Float64Array.of(loss, gap) }) };
};
