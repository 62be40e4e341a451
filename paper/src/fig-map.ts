import { map2dFigure } from 'pc-ae/figures';
import { loadSet, readLabels } from './datasets.ts';
import type { PaperFigure } from './figure.ts';
import { learn, testLoss } from './learn.ts';
import { keptOneLayer } from './one-layer.ts';

/** MNIST test pictures laid out by two real hidden units, coloured by class (Fig. 6). */
export const map: PaperFigure = {
  about: 'MNIST by two hidden units, coloured by class: PC-AE and AE, by codes and by ranks of codes',
  async draw(folder, context) {
    const { engine } = context;
    const data = await loadSet(folder, 'mnist');
    const classes = await readLabels(folder, 'mnist');
    const model = await learn(data.train, { H: 2, encoding: 'real' }, context, 'learning PC-AE');
    const { loss } = await testLoss(model, data.test, context);
    const draw = (name: string, points: Float32Array, nats: number, ranks: boolean) =>
      map2dFigure({
        ...{ points, classes, ranks, show: 1000 },
        title: `${name}: MNIST by two real hidden units`,
        note: `Colour and shape are the digit. Test loss ${nats.toFixed(1)} nats per row.`,
      });
    const ae = await keptOneLayer(data, 2, 'relu', context);
    const codes = {
      pcae: await model.transform(data.test, { engine }),
      ae: await ae.autoencoder.encode(data.test, { engine }),
    };
    // Raw codes as in the paper; the real codes of PC-AE have long tails, so ranks show more.
    const pictures = {
      'map-pcae': draw('PC-AE', codes.pcae, loss, false),
      'map-pcae-ranks': draw('PC-AE', codes.pcae, loss, true),
      'map-ae': draw('AE, ReLU units', codes.ae, ae.loss, false),
      'map-ae-ranks': draw('AE, ReLU units', codes.ae, ae.loss, true),
    };
    const facts = { losses: { pcae: loss, ae: ae.loss, aeEpoch: ae.epoch }, unit: 'nats per row' };
    return { pictures, facts };
  },
};
