import { crossEntropy, type PCAE } from 'pc-ae';
import { PAPER } from 'pc-ae/baselines';
import { type Rows, sliceRows } from 'pc-ae/rows';
import { type Claim, nats } from './claim.ts';
import { loadSet } from './datasets.ts';
import { learn, mean, type RunContext, testLoss } from './learn.ts';

const [SET, H, TEST] = ['caltech101', 32, 1000] as const;

interface Optimiser {
  /** Mean losses of the same test rows under the same weights, by how their codes were found. */
  readonly paper: Encoders;
  readonly fast: Encoders;
}

interface Encoders {
  readonly optimal: number;
  /** Adagrad, by its step length: after 100 steps and after 1,000. */
  readonly adagrad: Readonly<Record<string, readonly [number, number]>>;
}

/** Sec. 6: performance is not very sensitive to the optimisation method, because everything is convex. */
export const optimiser: Claim<Optimiser> = {
  says: 'Performance is not very sensitive to the optimisation method, explained by convexity.',
  where: 'Sec. 6',
  async measure(folder, context) {
    const { train, test } = await loadSet(folder, SET);
    const rows = sliceRows(test, 0, Math.min(TEST, test.n));
    const options = { H, bias: false, certify: false };
    const paper = await learn(train, { ...options, algorithm: 'paper' }, context, 'learning by paper');
    const fast = await learn(train, options, context, 'learning by fast');
    return { paper: await encoders(paper, rows, context), fast: await encoders(fast, rows, context) };
  },
  found: ({ paper, fast }) => {
    const line = ({ optimal, adagrad }: Encoders) =>
      `${nats(optimal)} at the optimum; Adagrad after 100 / 1,000 steps ${Object.entries(adagrad)
        .sort(([a], [b]) => Number(a) - Number(b))
        .map(([rate, [few, many]]) => `${nats(few)} / ${nats(many)} (step ${rate})`)
        .join(', ')}`;
    return (
      `The optimum does not depend on the method, what is left after some steps does. Caltech-101, H = ${H}, the same ` +
      `${TEST.toLocaleString('en')} test rows. Weights of the paper's procedure: ${line(paper)}. Weights of \`fast\`: ` +
      `${line(fast)}. Learning itself is not convex: the two procedures end ${nats(paper.optimal - fast.optimal)} nats apart.`
    );
  },
};

async function encoders(model: PCAE, rows: Rows, context: RunContext): Promise<Encoders> {
  const adagrad: Record<string, [number, number]> = {};
  for (const rate of [0.1, 0.3, 1]) adagrad[rate] = await byAdagrad(model, rows, rate, context);
  return { optimal: (await testLoss(model, rows, context)).loss, adagrad };
}

/** Mean losses after 100 and after 1,000 steps from zero, all rows as one batch. */
async function byAdagrad(
  model: PCAE,
  rows: Rows,
  rate: number,
  { engine }: RunContext,
): Promise<[number, number]> {
  const { V } = rows;
  const W = engine.floats(model.W.length);
  W.write(model.W);
  const [E, accumulators, losses] = [rows.n * H, rows.n * H, rows.n].map((length) => engine.floats(length));
  accumulators.fill(PAPER.accumulator);
  const block = engine.load(rows);
  const at = { block, shape: { V, H, bias: false }, W, E, loss: crossEntropy };
  const after = async (steps: number) => {
    await engine.adagrad('codes', at, { steps, rate, accumulators, radius: 1 });
    await engine.measure(at, { losses });
    return mean(await losses.read());
  };
  const found: [number, number] = [await after(100), await after(900)];
  for (const used of [W, E, accumulators, losses, block]) used.free();
  return found;
}
