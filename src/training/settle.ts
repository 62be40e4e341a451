import type { Engine, Floats, Shape } from '../engine/engine.ts';
import type { Loss } from '../losses/loss.ts';
import { clearCodes, inverseHessian } from '../solvers/codes.ts';
import type { TrainingData } from './data.ts';

/** What learning leaves behind: all that a model remembers of the data. */
export interface Fitted {
  /** V x width. */
  readonly W: Float32Array;
  /** Correlations of bits with units, X E^T / n: V x width. With a bias unit, its column holds the bits' means. */
  readonly B: Float32Array;
  /** Mean over rows of Psi''(m_v) / 2: what preconditions the encoding of new rows. */
  readonly curvature: Float32Array;
  /** Codes were found, and are proven optimal, among those with |e_h| <= radius. */
  readonly radius: number;
  /** Mean training loss at the final codes; by Thm. 1 also the slack (1/2) sum_v gamma(w_v, b_v). */
  readonly loss: number;
  /** Mean Frank-Wolfe gap of those codes. */
  readonly gap: number;
  /** n x H, in the order of the rows; absent when codes are not kept. */
  readonly codes?: Float32Array;
}

/** Weights and codes as learning left them. */
export interface Learnt {
  readonly shape: Shape;
  readonly W: Floats;
  /** One code a row, or room for one block of codes where codes are not kept. */
  readonly E: Floats;
  readonly curvature: Float64Array;
}

export interface SettleOptions {
  readonly loss: Loss;
  readonly radius: number;
  readonly keepCodes: boolean;
}

/** Finds every training row's code under the final W, without ridge, and measures loss, gap and B from them. */
export async function settle(
  engine: Engine,
  data: TrainingData,
  learnt: Learnt,
  options: SettleOptions,
): Promise<Fitted> {
  const { shape, W, E } = learnt;
  const { radius, keepCodes } = options;
  const { V, H, bias } = shape;
  const width = bias ? H + 1 : H;
  const inverse = await preconditioner(engine, learnt, width);
  const B = new Float64Array(V * width);
  const totals = { loss: 0, gap: 0 };
  const codes = keepCodes ? new Float32Array(data.n * H) : undefined;
  const outputs = { losses: engine.floats(data.blockRows), gaps: engine.floats(data.blockRows) };
  const blockB = engine.floats(V * width);
  for await (const { block, offset } of data.blocks()) {
    if (!keepCodes) clearCodes(E, width, bias);
    const at = { block, shape, W, E, offset: keepCodes ? offset : 0, loss: options.loss };
    const steps = keepCodes ? WARM_STEPS : COLD_STEPS;
    await engine.solve('codes', at, { steps, tolerance: SETTLED, inverseHessian: inverse, ridge: 0, radius });
    await engine.measure(at, { ...outputs, radius });
    for (const loss of outputs.losses.read(0, block.n)) totals.loss += loss / data.n;
    for (const gap of outputs.gaps.read(0, block.n)) totals.gap += gap / data.n;
    const stored = E.read(at.offset * width, (at.offset + block.n) * width);
    const local = engine.floats(stored.length);
    local.write(stored);
    await engine.correlate(block, local, width, blockB);
    local.free();
    blockB.read().forEach((sum, i) => {
      B[i] += sum / data.n;
    });
    if (codes) gatherCodes(stored, offset, H, width, data.order, codes);
  }
  for (const floats of [inverse, blockB, outputs.losses, outputs.gaps]) floats.free();
  return {
    W: W.read(),
    B: Float32Array.from(B),
    curvature: Float32Array.from(learnt.curvature),
    radius,
    ...totals,
    codes,
  };
}

/** Steps on a code that is nearly there, and on one that starts from nothing. */
const WARM_STEPS = 20;
const COLD_STEPS = 40;
/** Nats that a further step on a training code is expected to gain at most. */
const SETTLED = 1e-3;

async function preconditioner(engine: Engine, learnt: Learnt, width: number): Promise<Floats> {
  const { V, H } = learnt.shape;
  const weights = engine.floats(V);
  weights.write(learnt.curvature);
  const gram = await engine.gram(learnt.W, V, width, weights);
  const out = engine.floats(H * H);
  out.write(inverseHessian(gram, width, H, 0));
  weights.free();
  return out;
}

/** Puts a block's codes where their rows stood before they were shuffled. */
function gatherCodes(
  stored: Float32Array,
  offset: number,
  H: number,
  width: number,
  order: Uint32Array | undefined,
  out: Float32Array,
): void {
  for (let i = 0; i * width < stored.length; i++) {
    const row = order ? order[offset + i] : offset + i;
    out.set(stored.subarray(i * width, i * width + H), row * H);
  }
}
