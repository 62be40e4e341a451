import { type Claim, nats } from './claim.ts';
import { loadSet } from './datasets.ts';
import { measureSlack, slackFacts } from './fig-slack.ts';
import { learn } from './learn.ts';

const [SET, H] = ['caltech101', 32] as const;

interface Bound {
  readonly ownRows: { readonly loss: number; readonly slack: number; readonly farthestApart: number };
  readonly otherRows: { readonly loss: number; readonly slack: number };
  /**
   * Of a learned model: training loss; loss and bound of test rows, and how far their correlations drifted.
   */
  readonly model: {
    readonly train: number;
    readonly test: number;
    readonly bound: number;
    readonly drift: number;
  };
}

/** App. A.1: the bound on worst-case loss is invariably tight. */
export const bound: Claim<Bound> = {
  says: 'The slack bounds the loss from above and tracks it nearly perfectly.',
  where: 'App. A.1, Fig. 4',
  async measure(folder, context) {
    const { ownRows, otherRows } = slackFacts((await measureSlack(folder, context)).curves);
    const { train, test } = await loadSet(folder, SET);
    const model = await learn(train, { H }, context, 'learning by fast');
    const { engine, signal } = context;
    const { loss, bound, drift } = await model.evaluate(test, { engine, signal });
    return { ownRows, otherRows, model: { train: model.training.loss, test: loss, bound, drift } };
  },
  found: ({ ownRows, otherRows, model }) =>
    `On the rows that B was measured on the two are the same number for any W, by algebra (apart by at most ` +
    `${ownRows.farthestApart.toExponential(0)} here, which is rounding): the figure could not look different. On ` +
    `other rows the slack at the remembered B is not a bound: MNIST, H = 32, slack ${nats(otherRows.slack)}, loss ` +
    `${nats(otherRows.loss)}. What does bound it adds the drift of the correlations (App. C.1): Caltech-101, H = ${H}, ` +
    `\`fast\`: test loss ${nats(model.test)}, bound ${nats(model.bound)} at a drift of ${model.drift.toFixed(4)}.`,
};
