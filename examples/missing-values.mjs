// A fifth of the pixels unknown, in learning and afterwards: filled in, and compared with each pixel's base
// rate.
import { writeFile } from 'node:fs/promises';
import { reconstructionFigure } from 'pc-ae/figures';
import { digits, fit, impute } from 'pc-ae/node';
import { asRows, corrupt, entry, sliceRows } from 'pc-ae/rows';

const V = 784;
const all = asRows({ ...digits({ train: 1000, test: 1 }).train, binarize: 'threshold' });
const hidden = corrupt(all, { kind: 'hide', rho: 0.2 });
const [train, test] = [sliceRows(hidden, 0, 800), sliceRows(hidden, 800, 1000)];

const model = await fit(train, { H: 12, epochs: 20 });
const filled = await impute(model, test);
const rates = Float64Array.from({ length: V }, (_, v) => {
  const known = Array.from({ length: train.n }, (_, i) => entry(train, i, v)).filter((x) => !Number.isNaN(x));
  return known.reduce((sum, x) => sum + x, 0) / known.length;
});

let [count, wrong, wrongByRate] = [0, 0, 0];
for (let i = 0; i < test.n; i++) {
  for (let v = 0; v < V; v++) {
    if (!Number.isNaN(entry(test, i, v))) continue;
    const truth = entry(all, 800 + i, v);
    count++;
    if (entry(filled, i, v) * truth < 0) wrong++;
    if (rates[v] * truth < 0) wrongByRate++;
  }
}
const percent = (x) => `${((100 * x) / count).toFixed(1)}%`;
console.log(`${count} unknown pixels: ${percent(wrong)} wrong, ${percent(wrongByRate)} by base rates`);
if (wrong > 0.7 * wrongByRate) throw new Error('hardly better than base rates');

const values = (part, from) =>
  Array.from({ length: 10 * V }, (_, k) => entry(part, from + Math.floor(k / V), k % V));
const picture = reconstructionFigure({
  title: 'A fifth of the pixels unknown, and filled in',
  rows: [
    { label: 'known', values: values(test, 0) },
    { label: 'filled in', values: values(filled, 0) },
    { label: 'truth', values: values(all, 800) },
  ],
  V,
  image: { height: 28, width: 28 },
});
if (process.argv[2]) await writeFile(process.argv[2], picture);
