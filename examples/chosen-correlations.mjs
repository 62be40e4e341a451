// Only some correlations: units that each see one patch of the picture, and the strongest few of a dense
// model.
import { writeFile } from 'node:fs/promises';
import { hiddenUnitFigure } from 'pc-ae/figures';
import { digits, fit, localMask, strongestMask } from 'pc-ae/node';

const { n, images } = digits({ train: 600, test: 1 }).train;
// Every second pixel of every second line, as bits.
const data = Uint8Array.from({ length: n * 196 }, (_, k) => {
  const [i, v] = [Math.floor(k / 196), k % 196];
  return Number(images[i * 784 + Math.floor(v / 14) * 56 + (v % 14) * 2] > 127);
});
const rows = { data, n, V: 196 };
const H = 16;

const dense = await fit(rows, { H, epochs: 20 });
const local = await fit(rows, {
  H,
  epochs: 20,
  chosen: localMask({ image: { height: 14, width: 14 }, H, patch: 7 }),
});
// Learning goes on from the dense model, with four units for each pixel.
const strongest = await fit(rows, { H, chosen: strongestMask(dense, 4), start: dense.W, epochs: 20 });

const share = ({ W }) => W.filter((w) => w !== 0).length / W.length;
for (const [name, model] of Object.entries({ dense, local, strongest })) {
  const weights = `${(100 * share(model)).toFixed(0)}% of the weights`;
  const { bound } = model.guarantee(0.01);
  console.log(
    `${name}: ${weights}, ${model.training.loss.toFixed(1)} nats, ${bound.toFixed(1)} under a drift of 0.01`,
  );
}
const unit = (h) => Float32Array.from({ length: 196 }, (_, v) => Math.tanh(local.W[v * (H + 1) + h] / 8));
const picture = hiddenUnitFigure({
  title: 'Sixteen units that each see one patch of the picture',
  units: Array.from({ length: H }, (_, h) => Array.from(unit(h))).flat(),
  V: 196,
  image: { height: 14, width: 14 },
});
if (process.argv[2]) await writeFile(process.argv[2], picture);
if (!(share(local) < 0.4 && share(strongest) < 0.4)) throw new Error('weights outside the mask exist');
if (!(local.training.loss > dense.training.loss)) throw new Error('fewer correlations cannot know more');
