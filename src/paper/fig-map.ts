import { map2dFigure } from '../figures/map-2d.ts';
import { loadSet, readLabels } from './datasets.ts';
import { learnAutoencoder, type PaperFigure } from './figure.ts';
import { learn, testLoss } from './learn.ts';

/** MNIST test pictures laid out by two real hidden units, coloured by class (Fig. 6). */
export const map: PaperFigure = {
  about: 'MNIST by two hidden units, coloured by class: PC-AE and AE',
  async draw(folder, context) {
    const { engine } = context;
    const data = await loadSet(folder, 'mnist');
    const classes = await readLabels(folder, 'mnist');
    const model = await learn(data.train, { H: 2, encoding: 'real' }, context, 'learning PC-AE');
    const { loss } = await testLoss(model, data.test, context);
    const draw = (name: string, points: Float32Array, nats: number, more: string) =>
      map2dFigure({
        points,
        classes,
        show: 2000,
        title: `${name}: MNIST by two real hidden units`,
        note: `Colour and shape are the digit. Test loss ${nats.toFixed(1)} nats per example. ${more}`,
      });
    const ae = await learnAutoencoder(data, 2, 'relu', context);
    const pictures = {
      'map-pcae': draw('PC-AE', await model.transform(data.test, { engine }), loss, ''),
      'map-ae': draw('AE', await ae.autoencoder.encode(data.test, { engine }), ae.loss, 'ReLU units.'),
    };
    const facts = { losses: { pcae: loss, ae: ae.loss, aeEpoch: ae.epoch }, unit: 'nats per example' };
    return { pictures, facts };
  },
};
