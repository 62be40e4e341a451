import { type Rows, sliceRows } from 'pc-ae/rows';
import { type Claim, lossAt, nats } from './claim.ts';
import { loadSet } from './datasets.ts';
import { learn } from './learn.ts';

const [H, TRAIN, TEST, EPOCHS] = [32, 10_000, 2000, 10];

/** Mean losses of test rows, in nats: all under a model that was learned from noisy rows. */
interface Noise {
  /** Of the noisy rows at their own codes: what learning and encoding minimise. */
  readonly noisy: number;
  /** Of the clean rows behind them, at those codes. */
  readonly clean: number;
  /** Of the clean rows at codes of their own. */
  readonly cleanCodes: number;
}

/**
 * Sec. 5.2: with zero-mean noise nothing has to change, because B stays the same. Bits drawn from grey pixels
 * are such noisy rows; the pixels are the clean ones. For a code e, clean loss - noisy loss = (1/2) (x^ - x)
 * . W e, so that the mean of it is (1/2) <B^ - B, W>: the two losses agree exactly if B does.
 */
export const zeroMeanNoise: Claim<Noise> = {
  says: 'With zero-mean noise the algorithms are unchanged, because B does not change.',
  where: 'Sec. 5.2',
  async measure(folder, context) {
    const { engine } = context;
    const [noisy, clean] = [await loadSet(folder, 'mnist'), await loadSet(folder, 'mnist', { grey: true })];
    const part = (rows: Rows, count: number) => sliceRows(rows, 0, Math.min(rows.n, count));
    const epochs = Math.min(context.epochs ?? EPOCHS, EPOCHS);
    const model = await learn(part(noisy.train, TRAIN), { H, epochs, certify: false }, context);
    const [noisyTest, cleanTest] = [part(noisy.test, TEST), part(clean.test, TEST)];
    const codes = await model.transform(noisyTest, { engine });
    return {
      noisy: await lossAt(model, noisyTest, codes, context),
      clean: await lossAt(model, cleanTest, codes, context),
      cleanCodes: await lossAt(model, cleanTest, await model.transform(cleanTest, { engine }), context),
    };
  },
  found: ({ noisy, clean, cleanCodes }) =>
    'B would not change if the codes did not depend on the noise, but they are fitted to the noisy rows. Bits drawn from ' +
    `the grey pixels of MNIST are noisy rows with zero-mean noise; H = ${H}, \`fast\`, ${TRAIN.toLocaleString('en')} training ` +
    `rows, ${EPOCHS} epochs: the loss of the noisy rows is ${nats(noisy)}, of the clean rows at the same codes ` +
    `${nats(clean)}. The difference is (1/2) <B^ - B, W>, what the noise adds to B. Clean rows at codes of their own: ` +
    `${nats(cleanCodes)}.`,
};
