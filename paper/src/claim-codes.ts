import { type Claim, lossAt, nats } from './claim.ts';
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

interface NotBits {
  readonly box: number;
  /** Each entry replaced by its sign, and by its sign times the mean size of its unit's entries. */
  readonly rounded: number;
  readonly roundedToScale: number;
  readonly bits: number;
}

/** Secs. 1 and 2: codes in [-1, 1] stand for random bits. */
export const notBits: Claim<NotBits> = {
  says: 'A code in [-1, 1] stands for a random bit, so data are compressed into H bits.',
  where: 'Secs. 1, 6',
  async measure(folder, context) {
    const { engine } = context;
    const { train, test } = await loadSet(folder, SET);
    const model = await learn(train, { H, certify: false }, context);
    const codes = await model.transform(test, { engine });
    const bits = await learn(train, { H, encoding: 'bits' }, context, 'learning true bits');
    const sizes = meanSizes(codes);
    const signs = codes.map((e) => (e < 0 ? -1 : 1));
    return {
      box: await lossAt(model, test, codes, context),
      rounded: await lossAt(model, test, signs, context),
      roundedToScale: await lossAt(
        model,
        test,
        signs.map((sign, k) => sign * sizes[k % H]),
        context,
      ),
      bits: (await testLoss(bits, test, context)).loss,
    };
  },
  found: ({ box, rounded, roundedToScale, bits }) =>
    `Not as bits. Caltech-101, H = ${H}: ${nats(box)} nats with the numbers, ${nats(rounded)} when they are rounded to -1 ` +
    `and 1, ${nats(roundedToScale)} when to minus and plus the mean size of their unit's codes. A decoder that is learned ` +
    `for true bits reaches ${nats(bits)}. “Binary” in the paper's table means numbers.`,
};

/** Mean |e_h| of each unit. */
function meanSizes(codes: Float32Array): Float64Array {
  const sizes = new Float64Array(H);
  for (let k = 0; k < codes.length; k++) sizes[k % H] += (Math.abs(codes[k]) * H) / codes.length;
  return sizes;
}

function touching(codes: Float32Array): number {
  let count = 0;
  for (const e of codes) if (Math.abs(e) >= TOUCHES) count++;
  return count / codes.length;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(share < 0.1 ? 2 : 0)}%`;
}
