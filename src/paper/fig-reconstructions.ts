import { reconstructionFigure } from '../figures/reconstructions.ts';
import { loadSet, SETS, type SetName } from './datasets.ts';
import { type PaperFigure, plainValues, someRows } from './figure.ts';
import { learn, testLoss } from './learn.ts';
import { keptOneLayer } from './one-layer.ts';

const SIZES = [12, 32, 100];
const EXAMPLES = 10;

/** Random test pictures above what PC-AE and an autoencoder of the same size make of them (Figs. 1-3, 7-9). */
export const reconstructions = (name: SetName): PaperFigure => ({
  about: `originals and reconstructions by PC-AE and AE with H = ${SIZES.join(', ')}: ${SETS[name].title}`,
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
        label: `PC-AE, H = ${H}: ${loss.toFixed(1)}`,
        values: await model.reconstruct(shown, { engine }),
      });
      const { autoencoder, ...ae } = await keptOneLayer(data, H, 'logistic', context);
      const codes = await autoencoder.encode(shown, { engine });
      rows.push({
        label: `AE, H = ${H}: ${ae.loss.toFixed(1)}`,
        values: await autoencoder.decode(codes, { engine }),
      });
      losses[H] = { pcae: loss, ae: ae.loss, aeEpoch: ae.epoch };
    }
    const epochs = SIZES.map((H) => losses[H].aeEpoch).join(', ');
    const svg = reconstructionFigure({
      rows,
      V: data.test.V,
      image,
      range: [-1, 1],
      title: `${SETS[name].title}: test pictures and their reconstructions`,
      note: `Beside each method its mean test loss, nats per example. AE: logistic units, after ${epochs} epochs.`,
    });
    return { pictures: { [`reconstructions-${name}`]: svg }, facts: { losses, unit: 'nats per example' } };
  },
});
