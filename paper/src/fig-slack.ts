import { crossEntropy, type Engine } from 'pc-ae';
import { PAPER } from 'pc-ae/baselines';
import type { Floats } from 'pc-ae/engine';
import { lossCurveFigure } from 'pc-ae/figures';
import { gaussians } from 'pc-ae/math';
import { permutation, type Rows, takeRows } from 'pc-ae/rows';
import { loadSet } from './datasets.ts';
import type { PaperFigure } from './figure.ts';
import { learn, mean, type RunContext } from './learn.ts';

const [H, ROWS, STEPS, EVERY] = [32, 1000, 600, 12];
/** Drawn from this step on: what comes before is so high that the rest would be a flat line. */
const FIRST = 36;
/** Epochs of the procedure that the codes come from. */
const EPOCHS = 20;

/**
 * Loss and slack while W is fitted anew, by Adagrad, to codes that are optimal for a learned decoder (Fig.
 * 4). On the rows that B was measured on the two are one and the same; on other rows with their own codes
 * they part.
 */
export const slack: PaperFigure = {
  about: 'loss and slack while W is fitted to optimal codes, on the rows of B and on others: MNIST, H = 32',
  async draw(folder, context) {
    const { steps, curves } = await measureSlack(folder, context);
    const skipped = steps.findIndex((step) => step >= FIRST);
    const x = steps.slice(skipped);
    const named = ({ loss, slack }: SlackCurve, rows: string) => [
      { label: `loss, ${rows}`, x, y: loss.slice(skipped) },
      { label: `slack, ${rows}`, x, y: slack.slice(skipped) },
    ];
    const svg = lossCurveFigure({
      series: [...named(curves.own, 'rows of B'), ...named(curves.others, 'other rows, same B')],
      over: 'steps',
      title: 'Loss and slack while W is fitted by Adagrad',
      note: `MNIST, H = ${H}, ${ROWS} rows each, from step ${FIRST} on. The slack knows B and the codes, not the rows.`,
    });
    return { pictures: { slack: svg }, facts: slackFacts(curves) };
  },
};

/** One entry a measurement, in nats per row. */
interface SlackCurve {
  readonly loss: number[];
  readonly slack: number[];
}

interface SlackCurves {
  readonly own: SlackCurve;
  readonly others: SlackCurve;
}

/** Where the curves end, and how far apart loss and slack ever are. */
export function slackFacts({ own, others }: SlackCurves) {
  const facts = ({ loss, slack }: SlackCurve) => ({
    loss: loss[loss.length - 1],
    slack: slack[slack.length - 1],
    farthestApart: Math.max(...loss.map((value, i) => Math.abs(slack[i] - value))),
  });
  return { unit: 'nats per row', ownRows: facts(own), otherRows: facts(others) };
}

export async function measureSlack(
  folder: string,
  context: RunContext,
): Promise<{ steps: number[]; curves: SlackCurves }> {
  const { engine, seed } = context;
  const { train, test } = await loadSet(folder, 'mnist');
  const epochs = Math.min(context.epochs ?? EPOCHS, EPOCHS);
  const options = { H, algorithm: 'paper-text', epochs, certify: false } as const;
  const model = await learn(train, options, context, "learning by the paper's procedure");
  const shape = { V: train.V, H, bias: false };
  const W = engine.floats(train.V * H);
  W.write(gaussians(train.V * H, seed + 1));
  const accumulators = engine.floats(train.V * H);
  accumulators.fill(PAPER.accumulator);
  const sets = await Promise.all(
    [train, test].map(async (rows) => {
      const some = takeRows(rows, permutation(rows.n, seed).subarray(0, ROWS));
      return prepare(engine, some, await model.transform(some, { engine }));
    }),
  );
  const [own] = sets;
  const steps: number[] = [];
  const curves = sets.map(() => ({ loss: [] as number[], slack: [] as number[] }));
  for (let step = 0; step <= STEPS; step += EVERY) {
    steps.push(step);
    for (const [k, { block, E, losses, n }] of sets.entries()) {
      const at = { block, shape, W, E, loss: crossEntropy };
      await engine.measure(at, { losses });
      curves[k].loss.push(mean(await losses.read()));
      const scores = await engine.decode(
        { W, E, shape, range: { start: 0, end: n }, loss: crossEntropy },
        'scores',
      );
      curves[k].slack.push(totalSlack(own.B, await W.read(), scores, n));
    }
    const at = { block: own.block, shape, W, E: own.E, loss: crossEntropy };
    await engine.adagrad('weights', at, { steps: EVERY, rate: PAPER.rate, accumulators });
  }
  for (const { block, E, losses } of sets) for (const used of [block, E, losses]) used.free();
  for (const used of [W, accumulators]) used.free();
  return { steps, curves: { own: curves[0], others: curves[1] } };
}

interface Prepared {
  readonly n: number;
  readonly block: ReturnType<Engine['load']>;
  readonly E: Floats;
  readonly losses: Floats;
  /** X E^T / n. */
  readonly B: Float64Array;
}

async function prepare(engine: Engine, rows: Rows, codes: Float32Array): Promise<Prepared> {
  const { n, V } = rows;
  const block = engine.load(rows);
  const E = engine.floats(n * H);
  E.write(codes);
  const sums = engine.floats(V * H);
  await engine.correlate(block, E, H, sums);
  const B = Float64Array.from(await sums.read(), (sum) => sum / n);
  sums.free();
  return { n, block, E, losses: engine.floats(n), B };
}

/** (1/2) sum_v gamma(w_v, b_v): what Thm. 1 bounds the loss by, from correlations and scores alone. */
function totalSlack(B: Float64Array, W: Float32Array, scores: Float32Array, n: number): number {
  let linear = 0;
  for (let k = 0; k < W.length; k++) linear += B[k] * W[k];
  let wells = 0;
  for (let k = 0; k < scores.length; k++) wells += crossEntropy.psi(scores[k]);
  return 0.5 * (wells / n - linear);
}
