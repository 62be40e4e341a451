// Codes in other sets: without minus signs, as shares of a whole, in the ball; each proven optimal in its
// set.
import { writeFile } from 'node:fs/promises';
import { digits, fit } from 'pc-ae';
import { reconstructionFigure } from 'pc-ae/figures';

const { train, test } = digits({ train: 800, test: 100 });
// Grey pixels become bits by sampling, unless a picture says { binarize: 'threshold' } or 'none'.

const losses = {};
const decoded = [];
for (const encoding of ['box', 'nonnegative', 'simplex', 'ball']) {
  const model = await fit(train, { H: 8, epochs: 15, encoding });
  const { codes, gaps } = await model.encode(test);
  decoded.push({ label: encoding, values: await model.decode(codes) });
  const first = Array.from(codes.subarray(0, 8));
  losses[encoding] = await model.loss(test);
  console.log(
    `${encoding}: ${losses[encoding].toFixed(1)} nats per picture; a code: ${first.map((e) => e.toFixed(2)).join(' ')}`,
  );
  if (!(Math.max(...gaps) <= 0.01)) throw new Error('codes were not certified');
  const sum = first.reduce((a, b) => a + b, 0);
  if (encoding === 'simplex' && Math.abs(sum - 1) > 1e-5) throw new Error('shares should add up to 1');
  if (encoding === 'ball' && Math.hypot(...first) > 1 + 1e-5) throw new Error('a code left the ball');
}
if (!(losses.ball < 1.3 * losses.box)) throw new Error('a ball should cost little more than a box');

const originals = Array.from(test.images, (grey) => grey / 127.5 - 1);
const picture = reconstructionFigure({
  title: 'Eight numbers per picture, in four sets',
  rows: [{ label: 'originals', values: originals }, ...decoded],
  V: 784,
  image: { height: 28, width: 28 },
  show: 10,
});
if (process.argv[2]) await writeFile(process.argv[2], picture);
