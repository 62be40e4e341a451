// Many pictures, few of them labelled. All pictures have codes; the correlations of labels with codes are
// known only from the labelled pictures, to within an ellipsoid. The decoder with the smallest worst case is
// proven to be the best one. Does it also guess labels better than a fit to the labelled pictures alone? This
// program measures it: it does not.
import { writeFile } from 'node:fs/promises';
import { digits, fit, fitDecoder } from 'pc-ae';
import { map2dFigure } from 'pc-ae/figures';
import { correlations, driftEllipsoid, matrix } from 'pc-ae/math';
import { asRows, sliceRows } from 'pc-ae/rows';

const [n, labelled, H, V] = [1200, 300, 12, 10];
const pictures = digits({ train: n, test: 1, seed: 5 }).train;
const model = await fit({ ...pictures, binarize: 'threshold' }, { H, epochs: 15 });
const codes = await model.transform({ ...pictures, binarize: 'threshold' });

// One bit for each digit, of each picture, and the codes with a unit that is always 1.
const label = (i, v) => (pictures.labels[i] === v ? 1 : -1);
const known = asRows({
  data: Int8Array.from({ length: labelled * V }, (_, k) => label(Math.floor(k / V), k % V)),
  n: labelled,
  V,
});
const E = matrix(labelled, H + 1, new Float64Array(labelled * (H + 1)).fill(1));
for (let i = 0; i < labelled; i++) E.data.set(codes.subarray(i * H, (i + 1) * H), i * (H + 1));
const column = (v) => Float64Array.from({ length: labelled }, (_, i) => label(i, v));
const X = matrix(
  labelled,
  V,
  Float64Array.from({ length: labelled * V }, (_, k) => label(Math.floor(k / V), k % V)),
);

// The game over all pictures: each digit's correlations are in its ellipsoid, all ten at once with 90%
// confidence.
const sets = Array.from({ length: V }, (_, v) => driftEllipsoid(column(v), E, 1 - 0.1 / V));
const all = await fitDecoder({ codes, B: correlations(X, E).data, V }, { sets });
console.log(
  `decoder from all pictures: proven to be within ${all.weightGap.toExponential(0)} nats of the best`,
);

// The supervised fit: labelled pictures alone, with the ridge that does best on a third of them, held out.
const part = (from, to) => [codes.subarray(from * H, to * H), sliceRows(known, from, to)];
const trials = [];
for (const ridge of [0.1, 0.03, 0.01, 0.003]) {
  const trial = await fitDecoder(...part(0, 200), { ridge });
  trials.push({ ridge, loss: (await judge(trial, 200, labelled)).loss });
}
const { ridge } = trials.reduce((a, b) => (b.loss < a.loss ? b : a));
const alone = await fitDecoder(...part(0, labelled), { ridge });

for (const [name, decoder] of Object.entries({ 'all pictures': all, 'labelled pictures alone': alone })) {
  const { loss, wrong } = await judge(decoder, labelled, n);
  console.log(`${name}: ${loss.toFixed(2)} nats per unlabelled picture, ${(100 * wrong).toFixed(0)}% wrong`);
}

/** Mean loss of the labels of some pictures, and the share whose most likely label is wrong. */
async function judge(decoder, from, to) {
  const decoded = await decoder.decode(codes.subarray(from * H, to * H));
  let [loss, wrong] = [0, 0];
  for (let i = from; i < to; i++) {
    const guess = decoded.subarray((i - from) * V, (i - from + 1) * V);
    for (let v = 0; v < V; v++) loss -= Math.log(Math.max(1e-6, (1 + label(i, v) * guess[v]) / 2));
    if (guess.indexOf(Math.max(...guess)) !== pictures.labels[i]) wrong++;
  }
  return { loss: loss / (to - from), wrong: wrong / (to - from) };
}
if (!(all.weightGap < 1e-3)) throw new Error('the decoder is not proven');

const picture = map2dFigure({
  title: 'Pictures by two of their twelve numbers',
  points: codes.filter((_, k) => k % H < 2),
  classes: pictures.labels,
  ranks: true,
});
if (process.argv[2]) await writeFile(process.argv[2], picture);
