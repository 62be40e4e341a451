// Other losses: ones that are costly to miss, and a loss of your own, from rows to certified codes.
import { writeFile } from 'node:fs/promises';
import { costWeighted, crossEntropy, customLoss, fit, hamming } from 'pc-ae';
import { reconstructionFigure } from 'pc-ae/figures';

const [n, V] = [300, 24];
// Three switches decide groups of eight bits; one bit in ten is noise.
const data = Uint8Array.from({ length: n * V }, (_, k) => {
  const [row, group] = [Math.floor(k / V), Math.floor((k % V) / 8)];
  const on = (row >> group) & 1;
  return (row * 31 + k * 17) % 10 === 0 ? 1 - on : on;
});

// Missing a one costs five times as much as inventing one: reconstructions lean towards 1.
const careful = costWeighted(crossEntropy, { falseOne: 1, falseZero: 5 });
// The exponential loss of boosting: harsher on confident mistakes. Everything else about it is derived.
const exponential = customLoss({
  name: 'exponential',
  plus: (y) => Math.sqrt((1 - y) / (1 + y)),
  minus: (y) => Math.sqrt((1 + y) / (1 - y)),
});

const ones = {};
const shown = [{ label: 'rows', values: Array.from(data, (bit) => 2 * bit - 1) }];
for (const loss of [crossEntropy, careful, hamming, exponential]) {
  const model = await fit({ data, n, V }, { H: 3, epochs: 30, loss });
  const { loss: mean, uncertified } = await model.evaluate({ data, n, V });
  const decoded = await model.reconstruct({ data, n, V });
  shown.push({ label: loss.name.replace(/\(.*/, ''), values: decoded });
  ones[loss.name] = decoded.filter((y) => y > 0).length / decoded.length;
  console.log(`${loss.name}: ${mean.toFixed(2)} per row, ${(100 * ones[loss.name]).toFixed(0)}% ones`);
  if (uncertified > 0) throw new Error('codes were not certified');
}
if (!(ones[careful.name] > ones[crossEntropy.name]))
  throw new Error('costly ones should be missed less often');

const picture = reconstructionFigure({ title: 'The same rows under four losses', rows: shown, V, show: 5 });
if (process.argv[2]) await writeFile(process.argv[2], picture);
