import { type Engine, floatsOf, type Shape } from '../engine/engine.ts';
import type { Loss } from '../losses/loss.ts';
import { type Rows, sliceRows } from '../rows/rows.ts';
import type { Checkpoint } from './checkpoint/checkpoint.ts';
import { restored } from './checkpoint/restored.ts';
import { PAPER } from './defaults.ts';

export { PAPER } from './defaults.ts';

export interface PaperEncodeOptions {
  readonly H: number;
  readonly loss: Loss;
  /** 1 for codes in the box, Infinity for real ones. */
  readonly radius: number;
  /** Steps of Adagrad for each batch. Default 1,000. */
  readonly steps?: number;
  /**
   * The state at the end of learning with `algorithm: 'paper'`: the author's program goes on from the codes
   * and the accumulators of the last minibatch, and from batch to batch. Default: codes of each batch start
   * at 0, as for 'paper-text'.
   */
  readonly from?: Checkpoint;
}

/**
 * The encoding of new rows in the paper's experiments: batches of 250, 1,000 Adagrad steps each. Returns the
 * loss of each row. A last batch of fewer rows goes on from the first of the codes.
 */
export async function paperEncode(
  engine: Engine,
  weights: Float32Array,
  rows: Rows,
  options: PaperEncodeOptions,
): Promise<Float32Array> {
  const { H, loss, radius, from, steps = PAPER.testSteps } = options;
  const { rate, accumulator } = PAPER;
  const batch = (from?.arrays.E?.length ?? PAPER.batch * H) / H;
  const shape: Shape = { V: rows.V, H, bias: false };
  const W = floatsOf(engine, weights);
  const [E, accumulators, losses] = [batch * H, batch * H, batch].map((length) => engine.floats(length));
  if (from) {
    restored.floats(E, from, 'E');
    restored.floats(accumulators, from, 'codes');
  }
  const out = new Float32Array(rows.n);
  for (let start = 0; start < rows.n; start += batch) {
    const part = sliceRows(rows, start, Math.min(rows.n, start + batch));
    const block = engine.load(part);
    const at = { block, shape, W, E, loss };
    if (!from) {
      E.fill(0);
      accumulators.fill(accumulator);
    }
    await engine.adagrad('codes', at, { steps, rate, accumulators, radius });
    await engine.measure(at, { losses });
    out.set((await losses.read()).subarray(0, part.n), start);
    block.free();
  }
  for (const used of [W, E, accumulators, losses]) used.free();
  return out;
}
