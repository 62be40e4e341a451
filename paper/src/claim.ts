import type { PCAE } from 'pc-ae';
import { widthOf } from 'pc-ae/engine';
import type { Rows } from 'pc-ae/rows';
import { mean, type RunContext } from './learn.ts';

/** A statement of the paper that can be measured. */
export interface Claim<Facts = unknown> {
  /** What the paper says, in our words. */
  readonly says: string;
  readonly where: string;
  measure(folder: string, context: RunContext): Promise<Facts>;
  /** What was measured, in a sentence or two. */
  found(facts: Facts): string;
}

/** The mean loss of rows at codes that are given, whether they are good ones or not. */
export async function lossAt(
  model: PCAE,
  rows: Rows,
  codes: Float32Array,
  { engine }: RunContext,
): Promise<number> {
  const { V, H, bias } = model;
  const width = widthOf({ H, bias });
  const [W, E, losses] = [engine.floats(V * width), engine.floats(rows.n * width), engine.floats(rows.n)];
  const block = engine.load(rows);
  // The bias unit's code is 1.
  const padded = new Float32Array(rows.n * width).fill(1);
  W.write(model.W);
  for (let i = 0; i < rows.n; i++) padded.set(codes.subarray(i * H, (i + 1) * H), i * width);
  E.write(padded);
  await engine.measure({ block, shape: { V, H, bias }, W, E, loss: model.reconstructionLoss }, { losses });
  const loss = mean(await losses.read());
  for (const used of [W, E, losses, block]) used.free();
  return loss;
}

export function nats(value: number): string {
  return value < 1000 ? value.toFixed(value < 1 ? 3 : 2) : Math.round(value).toLocaleString('en');
}
