import { gaussians } from 'pc-ae/math';
import { permutation, sliceRows, takeRows } from 'pc-ae/rows';
import { type Claim, nats } from './claim.ts';
import { loadSet, type PaperData } from './datasets.ts';
import { learn, type RunContext, testLoss } from './learn.ts';
import { objectiveOf } from './objective.ts';
import { OPTIMISERS } from './optimisers.ts';

const [SET, H, TEST, BATCH, EPOCHS, STEPS] = ['caltech101', 32, 40, 60, 5, 35] as const;
/** Of the procedure that gives the weights which rows are encoded with: a quarter of the paper's. */
const PAPER_EPOCHS = 15;

interface Optimiser {
  /** Mean losses of the same test rows under the same weights, with codes after 100 and 1,000 steps. */
  readonly encoding: Readonly<Record<string, readonly [number, number]>>;
  readonly optimal: number;
  /** Losses of those rows, at optimal codes, under weights that Algorithm 1 learned with each method. */
  readonly learning: Readonly<Record<string, number>>;
}

/** Sec. 6: performance is not very sensitive to the optimisation method, because everything is convex. */
export const optimiser: Claim<Optimiser> = {
  says: 'Performance is not very sensitive to the optimisation method, explained by convexity.',
  where: 'Sec. 6',
  async measure(folder, context) {
    const data = await loadSet(folder, SET);
    const rows = sliceRows(data.test, 0, Math.min(TEST, data.test.n));
    const model = await learn(
      data.train,
      {
        ...{ H, encoding: 'real', algorithm: 'paper-text', certify: false },
        epochs: Math.min(context.epochs ?? PAPER_EPOCHS, PAPER_EPOCHS),
      },
      context,
    );
    const test = objectiveOf(rows, H);
    const encoding: Record<string, [number, number]> = {};
    const learning: Record<string, number> = {};
    for (const [k, [name, minimise]] of Object.entries(OPTIMISERS).entries()) {
      context.signal?.throwIfAborted();
      context.onProgress?.(`encoding and learning by ${name}`, k / Object.keys(OPTIMISERS).length);
      const f = test.ofCodes(Float64Array.from(model.W));
      const after = (steps: number) => {
        const E = new Float64Array(rows.n * H);
        minimise(f, E, steps);
        return f(E, new Float64Array(E.length));
      };
      encoding[name] = [after(100), after(1000)];
      const W = algorithm1(data, name, context);
      const E = new Float64Array(rows.n * H);
      const optimum = test.ofCodes(W);
      OPTIMISERS['L-BFGS'](optimum, E, 300);
      learning[name] = optimum(E, new Float64Array(E.length));
    }
    return { encoding, optimal: (await testLoss(model, rows, context)).loss, learning };
  },
  found: ({ encoding, optimal, learning }) => {
    const losses = Object.values(learning);
    return (
      `The optimum does not depend on the method, what is left after some steps does. Caltech-101, H = ${H}, real codes of ` +
      `${TEST} test rows under the same weights (${PAPER_EPOCHS} epochs of the paper's procedure), after 100 / 1,000 steps: ` +
      `${Object.entries(encoding)
        .map(([name, [few, many]]) => `${name} ${nats(few)} / ${nats(many)}`)
        .join('; ')}; at the optimum ${nats(optimal)}. Learning, which is not convex, ends between ` +
      `${nats(Math.min(...losses))} and ${nats(Math.max(...losses))} (Algorithm 1 with each method in both halves, ${EPOCHS} ` +
      `minibatches of ${BATCH}, then the best codes that L-BFGS finds): ${Object.entries(learning)
        .map(([name, loss]) => `${name} ${nats(loss)}`)
        .join('; ')}.`
    );
  },
};

/** W after some epochs of Algorithm 1 with the paper's settings and another method instead of Adagrad. */
function algorithm1({ train }: PaperData, name: string, { seed, epochs = EPOCHS }: RunContext): Float64Array {
  const minimise = OPTIMISERS[name];
  const n = Math.min(BATCH, train.n);
  const W = gaussians(train.V * H, seed);
  for (let t = 1; t <= Math.min(epochs, EPOCHS); t++) {
    const batch = objectiveOf(takeRows(train, permutation(train.n, seed + t).subarray(0, n)), H);
    const E = new Float64Array(n * H);
    minimise(batch.ofCodes(W), E, STEPS * t);
    minimise(batch.ofWeights(E), W, STEPS * t);
  }
  return W;
}
