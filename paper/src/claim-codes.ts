import { type Claim, nats } from './claim.ts';
import { loadSet } from './datasets.ts';
import { learn, learnBoth, testLoss } from './learn.ts';

const [SET, H] = ['caltech101', 32] as const;
/** An entry this close to -1 or 1 touches the box. */
const TOUCHES = 0.999;

interface BinaryReal {
  readonly fast: { readonly box: number; readonly real: number };
  /** Share of the entries of test codes that touch the box, and the largest of them all. */
  readonly touching: { readonly fast: number; readonly paper: number };
  readonly largest: number;
  readonly paper: { readonly box: number; readonly real: number };
}

/** Sec. 6: binary codes do marginally better than real ones. */
export const binaryReal: Claim<BinaryReal> = {
  says: 'Binary codes, that is codes in [-1, 1], do marginally better than real ones.',
  where: 'Sec. 6',
  async measure(folder, context) {
    const { engine } = context;
    const { train, test } = await loadSet(folder, SET);
    const { box, real } = await learnBoth(train, { H, certify: false }, context);
    const codes = await box.transform(test, { engine });
    const procedure = (encoding: 'box' | 'real') =>
      learn(train, { H, encoding, algorithm: 'paper', certify: false }, context, `paper, ${encoding} codes`);
    const [paperBox, paperReal] = [await procedure('box'), await procedure('real')];
    return {
      fast: {
        box: (await testLoss(box, test, context)).loss,
        real: (await testLoss(real, test, context)).loss,
      },
      touching: { fast: touching(codes), paper: touching(await paperBox.transform(test, { engine })) },
      largest: codes.reduce((most, e) => Math.max(most, Math.abs(e)), 0),
      paper: {
        box: (await testLoss(paperBox, test, context)).loss,
        real: (await testLoss(paperReal, test, context)).loss,
      },
    };
  },
  found: ({ fast, touching, largest, paper }) =>
    `Caltech-101, H = ${H}, optimal test codes: \`fast\` ${nats(fast.box)} in the box and ${nats(fast.real)} real; the ` +
    `paper's procedure ${nats(paper.box)} and ${nats(paper.real)}. With W free the box is a choice of scale, (E / s, s W) ` +
    `has the same loss: under \`fast\` ${percent(touching.fast)} of the entries of test codes touch it (the largest is ` +
    `${largest.toFixed(2)}), under the paper's procedure, which starts W at N(0, 1), ${percent(touching.paper)}.`,
};

function touching(codes: Float32Array): number {
  let count = 0;
  for (const e of codes) if (Math.abs(e) >= TOUCHES) count++;
  return count / codes.length;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(share < 0.1 ? 2 : 0)}%`;
}
