import { type Claim, nats } from './claim.ts';
import { loadSet } from './datasets.ts';
import { learn, testLoss } from './learn.ts';
import { IN_TEXT } from './published.ts';

const EPOCHS = 10;

interface FewUnits {
  readonly box12: number;
  readonly real2: number;
  /** Without a bias unit, which the paper's decoder has not. */
  readonly real2NoBias: number;
}

/** Figs. 3 and 6: MNIST with twelve units and with two. */
export const fewUnits: Claim<FewUnits> = {
  says:
    `MNIST with H = 12: PC-AE ${IN_TEXT.mnist12.pcae}, AE ${IN_TEXT.mnist12.ae}; with H = 2 real units: PC-AE ` +
    `~${IN_TEXT.mnist2.pcae}, AE ~${IN_TEXT.mnist2.ae}.`,
  where: 'Figs. 3, 6',
  async measure(folder, context) {
    const { train, test } = await loadSet(folder, 'mnist');
    const epochs = Math.min(context.epochs ?? EPOCHS, EPOCHS);
    const options = { epochs, certify: false };
    const box = await learn(train, { H: 12, ...options }, context, 'H = 12');
    const real = await learn(train, { H: 2, encoding: 'real', ...options }, context, 'H = 2');
    const noBias = { H: 2, encoding: 'real', bias: false, ...options } as const;
    const plain = await learn(train, noBias, context, 'H = 2, no bias unit');
    return {
      box12: (await testLoss(box, test, context)).loss,
      real2: (await testLoss(real, test, context)).loss,
      real2NoBias: (await testLoss(plain, test, context)).loss,
    };
  },
  found: ({ box12, real2, real2NoBias }) =>
    `\`fast\`, ${EPOCHS} epochs: ${nats(box12)} with H = 12 and a bias unit. With two real units ${nats(real2NoBias)} without ` +
    `a bias unit, the paper's own decoder, which is ${beside(real2NoBias)} the ${IN_TEXT.mnist2.ae} that the paper reports for ` +
    `the autoencoder; ${nats(real2)} with one, which is ${beside(real2)} it. (An autoencoder has biases.)`,
};

function beside(loss: number): string {
  return loss < IN_TEXT.mnist2.ae ? 'below' : 'as in the paper above';
}
