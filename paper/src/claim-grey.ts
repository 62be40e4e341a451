import { entry, type Rows, sliceRows } from 'pc-ae/rows';
import { type Claim, nats } from './claim.ts';
import { loadSet } from './datasets.ts';
import { learn, testLoss } from './learn.ts';

const SIZES = [32, 100] as const;
const [TRAIN, TEST, EPOCHS] = [10_000, 2000, 10];

interface Grey {
  /** Nats that no reconstruction can save: the entropy of the pixels, given their intensities. */
  readonly floor: number;
  readonly at: Readonly<
    Record<string, { readonly bits: number; readonly grey: number; readonly greyOnBits: number }>
  >;
}

/** App. A: pixels as they are, instead of bits drawn from them, give nearly the same performance. */
export const grey: Claim<Grey> = {
  says: 'Data that are not binarised give nearly identical performance.',
  where: 'App. A',
  async measure(folder, context) {
    const [bits, greys] = [await loadSet(folder, 'mnist'), await loadSet(folder, 'mnist', { grey: true })];
    const part = (rows: Rows, count: number) => sliceRows(rows, 0, Math.min(rows.n, count));
    const tests = { bits: part(bits.test, TEST), grey: part(greys.test, TEST) };
    const at: Record<string, { bits: number; grey: number; greyOnBits: number }> = {};
    for (const H of SIZES) {
      const options = { H, epochs: Math.min(context.epochs ?? EPOCHS, EPOCHS), certify: false };
      const ofBits = await learn(part(bits.train, TRAIN), options, context, `bits, H = ${H}`);
      const ofGreys = await learn(part(greys.train, TRAIN), options, context, `grey pixels, H = ${H}`);
      at[H] = {
        bits: (await testLoss(ofBits, tests.bits, context)).loss,
        grey: (await testLoss(ofGreys, tests.grey, context)).loss,
        greyOnBits: (await testLoss(ofGreys, tests.bits, context)).loss,
      };
    }
    return { floor: entropy(tests.grey), at };
  },
  found: ({ floor, at }) => {
    const lines = Object.entries(at).map(
      ([H, { bits, grey, greyOnBits }]) =>
        `H = ${H}: ${nats(bits)} learned from bits and tested on bits, ${nats(grey)} from and on grey pixels, ` +
        `${nats(greyOnBits)} from grey pixels and on bits.`,
    );
    return (
      `MNIST, ${TRAIN.toLocaleString('en')} training rows, ${EPOCHS} epochs, \`fast\`. ${lines.join(' ')} What is learned is ` +
      'much the same, as the first and the last of these say. The loss of grey data is another quantity: each pixel costs ' +
      `at least its entropy, ${nats(floor)} nats per picture, so that losses such as the paper has at H = 100 can only be ` +
      'had on bits.'
    );
  },
};

/** Mean over rows of the summed entropies of their randomised bits, in nats. */
function entropy(rows: Rows): number {
  let sum = 0;
  for (let i = 0; i < rows.n; i++) {
    for (let v = 0; v < rows.V; v++) {
      const p = (1 + entry(rows, i, v)) / 2;
      if (p > 0 && p < 1) sum -= p * Math.log(p) + (1 - p) * Math.log1p(-p);
    }
  }
  return sum / rows.n;
}
