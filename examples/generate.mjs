// New digits, by the walk of a denoising autoencoder: corrupt, encode, decode, draw, and again.
import { writeFile } from 'node:fs/promises';
import { hiddenUnitFigure } from 'pc-ae/figures';
import { digits, fit, sample } from 'pc-ae/node';
import { asRows, corrupt } from 'pc-ae/rows';

const rows = asRows({ ...digits({ train: 1500, test: 1 }).train, binarize: 'threshold' });

// The model has to remove the noise that it is walked with.
const corruption = { kind: 'salt', rho: 0.5 };
const model = await fit(corrupt(rows, corruption), { H: 24, epochs: 15, noise: { clean: rows } });
const { rows: drawn, means } = await sample(model, { count: 40, steps: 12, corruption });

const { V, image } = model;
const labels = new Array(40).fill('');
const picture = hiddenUnitFigure({ units: means, V, image, labels, title: 'Generated digits' });
if (process.argv[2]) await writeFile(process.argv[2], picture);
const ink = (bits) => bits.reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0);
console.log(
  `${drawn.n} digits with ${(ink(drawn.bits) / drawn.n).toFixed(0)} pixels of ink; those learned from have ` +
    `${(ink(rows.bits) / rows.n).toFixed(0)}`,
);
if (!(ink(drawn.bits) / drawn.n > 20)) throw new Error('nothing was drawn');
