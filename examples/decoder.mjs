// Codes from elsewhere, here the leading principal components of some rows: the best decoder for them, with a proof, and
// what PC-AE's own codes would reach.
import { fitPca } from 'pc-ae/baselines';
import { digits, fit, fitDecoder } from 'pc-ae/node';
import { asRows } from 'pc-ae/rows';

const [n, V, H] = [800, 784, 12];
const { images } = digits({ train: n, test: 1, seed: 1 }).train;
const bits = Uint8Array.from(images, (grey) => (grey > 127 ? 1 : 0));
const rows = asRows({ data: bits, n, V });

const { mean, directions } = await fitPca(rows, { H });
const codes = new Float32Array(n * H);
for (let i = 0; i < n; i++) {
  for (let v = 0; v < V; v++) {
    const x = 2 * bits[i * V + v] - 1 - mean[v];
    for (let h = 0; h < H; h++) codes[i * H + h] += x * directions[v * H + h];
  }
}

const decoder = await fitDecoder(codes, rows);
console.log(
  `principal components: ${decoder.loss.toFixed(1)} nats a picture, proven within ${decoder.gap.toFixed(4)}`,
);

// The correlations are all that the decoder depends on.
const again = await fitDecoder({ codes, B: decoder.B, V });
console.log(`from the correlations alone: ${again.loss.toFixed(1)}`);
if (Math.abs(again.loss - decoder.loss) > 0.05) throw new Error('the decoder depends on more than B');

const own = await fit(rows, { H, epochs: 20 });
console.log(`codes of its own: ${own.training.loss.toFixed(1)}`);
if (decoder.gap > 0.01 || own.training.loss > decoder.loss) throw new Error('unexpected losses');
