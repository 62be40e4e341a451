import { formatLoss, formatNumber, reconstructionFigure } from 'pc-ae/figures';
import { foldCount, loadSet, SETS, type SetName } from './datasets.ts';
import { type PaperFigure, plainValues, someRows } from './figure.ts';
import { learn, testLoss } from './learn.ts';
import { keptOneLayer } from './one-layer.ts';

const SIZES = [12, 32, 100];
const EXAMPLES = 10;

/**
 * Random test pictures above what PC-AE and an autoencoder of the same size make of them (Figs. 1-3, 7-9).
 * The autoencoder is the one that validation rows stop; a set without a split of its own shows its first
 * fold.
 */
export const reconstructions = (name: SetName): PaperFigure => ({
  about:
    'originals and reconstructions by PC-AE and AE (stopped by validation, as in Table 1), ' +
    `H = ${SIZES.join(', ')}: ${titleOf(name)}`,
  async draw(folder, context) {
    const { engine } = context;
    const data = await loadSet(folder, name);
    const { image } = data;
    const shown = someRows(data.test, EXAMPLES);
    const rows = [{ label: 'original', values: plainValues(shown) }];
    const losses: Record<string, { pcae: number; ae: number; aeEpoch: number }> = {};
    for (const H of SIZES) {
      const model = await learn(data.train, { H }, context, `learning PC-AE, H = ${H}`);
      const { loss } = await testLoss(model, data.test, context);
      rows.push({
        label: `PC-AE, H = ${H}: ${formatLoss(loss)}`,
        values: await model.reconstruct(shown, { engine }),
      });
      const { autoencoder, ...ae } = await keptOneLayer(data, H, 'logistic', context);
      const codes = await autoencoder.encode(shown, { engine });
      rows.push({
        label: `AE, H = ${H}: ${formatLoss(ae.loss)}`,
        values: await autoencoder.decode(codes, { engine }),
      });
      losses[H] = { pcae: loss, ae: ae.loss, aeEpoch: ae.epoch };
    }
    const { train, held } = data;
    const [all, kept, others] = [train, held.train, held.validation].map(({ n }) => formatNumber(n));
    const svg = reconstructionFigure({
      rows,
      V: data.test.V,
      image,
      range: [-1, 1],
      title: `${titleOf(name)}: test pictures and their reconstructions`,
      note: `Mean test loss in nats. PC-AE: from ${all} rows. AE, logistic: from ${kept}, its epoch chosen by ${others} others.`,
    });
    return { pictures: { [`reconstructions-${name}`]: svg }, facts: { losses, unit: 'nats per row' } };
  },
});

function titleOf(name: SetName): string {
  const count = foldCount(name);
  return count > 1 ? `${SETS[name].title}, fold 1 of ${count}` : SETS[name].title;
}
