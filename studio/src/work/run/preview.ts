import { type Checkpoint, type Engine, type Loss, PCAE } from 'pc-ae';
import type { Rows } from 'pc-ae/rows';
import type { LearnSettings, Preview } from './calls.ts';

/** Numbers that a preview may hold: more would be more to send than to see. */
const MOST = 2 ** 19;

/** What the weights of a checkpoint make of the examples, by codes that are close rather than proven. */
export async function previewOf(
  { arrays }: Checkpoint,
  examples: Rows,
  { H, encoding }: LearnSettings,
  reconstructionLoss: Loss,
  engine: Engine,
): Promise<Preview | undefined> {
  const { W, curvature } = arrays;
  const { V } = examples;
  if (!(W instanceof Float32Array) || V * examples.n > MOST) return undefined;
  const width = W.length / V;
  const bits = encoding === 'bits';
  const model = new PCAE({
    ...{ V, H, bias: width > H, reconstructionLoss, W, B: new Float32Array(W.length) },
    encoding: bits ? 'box' : 'real',
    radius: bits ? 1 : 16,
    curvature: curvature ? Float32Array.from(curvature) : new Float32Array(V).fill(0.25),
    training: {
      ...{ algorithm: 'fast', n: 0, loss: 0, seed: 0, ridge: 0, l1: 0, epochs: 0, seconds: 0 },
      ...{ stopped: 'aborted', converged: false, history: [] },
    },
  });
  const decoded = await model.reconstruct(examples, { tolerance: 0.5, engine });
  const shown = Math.min(H, Math.floor(MOST / V));
  const units = Float32Array.from({ length: shown * V }, (_, k) => W[(k % V) * width + Math.floor(k / V)]);
  return { decoded, units };
}
