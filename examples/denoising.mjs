// Digits with a quarter of their ink gone: a model that knows about the noise restores more of the ink, with
// or without the clean pictures.
import { writeFile } from 'node:fs/promises';
import { reconstructionFigure } from 'pc-ae/figures';
import { digits, fit } from 'pc-ae/node';
import { asRows, corrupt, entry, sliceRows } from 'pc-ae/rows';

const all = asRows({ ...digits({ train: 1500, test: 1 }).train, binarize: 'threshold' });
const [rows, test] = [sliceRows(all, 0, 1200), sliceRows(all, 1200, 1500)];
const noise = { kind: 'mask', rho: 0.25 };
const noisy = corrupt(rows, { ...noise, seed: 1 });
const noisyTest = corrupt(test, { ...noise, seed: 2 });

const options = { H: 16, epochs: 20 };
const losses = {};
const restored = [];
for (const [name, known] of Object.entries({
  'nothing known': undefined,
  'share known': { mask: noise.rho },
  'clean known': { clean: rows },
})) {
  const model = await fit(noisy, { ...options, noise: known });
  const { loss, hamming } = await model.evaluate(noisyTest, { against: test });
  losses[name] = loss;
  restored.push({ label: name, values: (await model.reconstruct(noisyTest)).subarray(0, 10 * 784) });
  console.log(`${name}: ${loss.toFixed(1)} nats, ${hamming.toFixed(1)} wrong pixels per picture`);
}
const [nothing, ...corrected] = Object.values(losses);
if (corrected.some((loss) => loss >= nothing)) throw new Error('correcting for the noise did not help');

const values = (part) => Array.from({ length: 7840 }, (_, k) => entry(part, Math.floor(k / 784), k % 784));
const picture = reconstructionFigure({
  title: 'A quarter of the ink gone, and restored',
  rows: [
    { label: 'clean', values: values(test) },
    { label: 'noisy', values: values(noisyTest) },
    ...restored,
  ],
  V: 784,
  show: 9,
  image: { height: 28, width: 28 },
});
if (process.argv[2]) await writeFile(process.argv[2], picture);
