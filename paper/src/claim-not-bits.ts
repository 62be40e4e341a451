import { drawCodes } from 'pc-ae/bits';
import { sliceRows } from 'pc-ae/rows';
import { type Claim, lossAt, nats } from './claim.ts';
import { loadSet } from './datasets.ts';
import { learn, testLoss } from './learn.ts';

const [SET, H, TEST, DRAWS] = ['mnist', 32, 1000, 10_000] as const;

interface NotBits {
  /** The paper's procedure, its codes as numbers. */
  readonly numbers: number;
  /** Each entry replaced by one bit drawn with its mean, and by the mean of many. */
  readonly drawnOnce: number;
  readonly meanOfDraws: number;
  /** A decoder that is learned for true bits. */
  readonly bits: number;
}

/** Secs. 1 and 2: codes in [-1, 1] stand for random bits. */
export const notBits: Claim<NotBits> = {
  says: 'A code in [-1, 1] stands for a random bit, so data are compressed into H bits.',
  where: 'Secs. 1, 6',
  async measure(folder, context) {
    const { engine, seed } = context;
    const { train, test } = await loadSet(folder, SET);
    const rows = sliceRows(test, 0, Math.min(TEST, test.n));
    const model = await learn(train, { H, algorithm: 'paper', certify: false }, context);
    const codes = await model.transform(rows, { engine });
    const sums = new Float64Array(codes.length);
    let drawnOnce = Number.NaN;
    for (let draw = 0; draw < DRAWS; draw++) {
      const bits = drawCodes({ E: codes, H }, { seed, draw });
      if (draw === 0) drawnOnce = await lossAt(model, rows, bits, context);
      for (let k = 0; k < bits.length; k++) sums[k] += bits[k];
      if (draw % 100 === 0) context.onProgress?.('drawing bits', draw / DRAWS);
      context.signal?.throwIfAborted();
    }
    const bits = await learn(train, { H, encoding: 'bits' }, context, 'learning true bits');
    return {
      numbers: await lossAt(model, rows, codes, context),
      drawnOnce,
      meanOfDraws: await lossAt(
        model,
        rows,
        Float32Array.from(sums, (sum) => sum / DRAWS),
        context,
      ),
      bits: (await testLoss(bits, rows, context)).loss,
    };
  },
  found: ({ numbers, drawnOnce, meanOfDraws, bits }) =>
    `The mean of such a bit is what the decoder needs, not the bit. MNIST, H = ${H}, the paper's procedure, ` +
    `${TEST.toLocaleString('en')} test rows at optimal codes: ${nats(numbers)} nats with the numbers, ${nats(drawnOnce)} when ` +
    `each is replaced by one bit drawn with that mean, ${nats(meanOfDraws)} when by the mean of ` +
    `${DRAWS.toLocaleString('en')} such bits. A decoder that is learned for true bits reaches ${nats(bits)}. “Binary” in the ` +
    `paper's table means numbers.`,
};
