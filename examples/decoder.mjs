// Codes from elsewhere, here the leading principal components of some rows: the best decoder for them, with a
// proof, and what PC-AE's own codes would reach.
import { writeFile } from 'node:fs/promises';
import { fitPca } from 'pc-ae/baselines';
import { reconstructionFigure } from 'pc-ae/figures';
import { digits, fit, fitDecoder } from 'pc-ae/node';
import { asRows, entry } from 'pc-ae/rows';

const rows = asRows({ ...digits({ train: 800, test: 1 }).train, binarize: 'threshold' });
const { n, V } = rows;
const H = 12;

const { mean, directions } = await fitPca(rows, { H });
const codes = new Float32Array(n * H);
for (let i = 0; i < n; i++) {
  for (let v = 0; v < V; v++) {
    const x = entry(rows, i, v) - mean[v];
    for (let h = 0; h < H; h++) codes[i * H + h] += x * directions[v * H + h];
  }
}

const decoder = await fitDecoder(codes, rows);
console.log(
  `principal components: ${decoder.loss.toFixed(1)} nats per picture, proven to within ${decoder.weightGap.toFixed(4)} of the best`,
);

// The correlations are all that the decoder depends on.
const again = await fitDecoder({ codes, B: decoder.B, V });
console.log(`the same decoder from the correlations alone: ${again.loss.toFixed(1)} nats`);
if (Math.abs(again.loss - decoder.loss) > 0.05) throw new Error('the decoder depends on more than B');

const own = await fit(rows, { H, epochs: 20 });
console.log(`PC-AE's own codes: ${own.training.loss.toFixed(1)} nats`);
if (decoder.weightGap > 0.01 || own.training.loss > decoder.loss) throw new Error('unexpected losses');

const picture = reconstructionFigure({
  title: 'Twelve numbers per picture: principal components, and our own codes',
  rows: [
    {
      label: 'originals',
      values: Array.from({ length: 10 * V }, (_, k) => entry(rows, Math.floor(k / V), k % V)),
    },
    { label: 'components', values: await decoder.decode(codes.subarray(0, 10 * H)) },
    { label: 'own codes', values: (await own.reconstruct(rows)).subarray(0, 10 * V) },
  ],
  V,
  image: { height: 28, width: 28 },
});
if (process.argv[2]) await writeFile(process.argv[2], picture);
