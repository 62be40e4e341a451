// Promises about new rows: learn from some rows, calibrate with others, and see a third set keep the
// promises.
import { writeFile } from 'node:fs/promises';
import { calibrate, digits, fit } from 'pc-ae';
import { reconstructionFigure } from 'pc-ae/figures';
import { asRows, entry, sliceRows } from 'pc-ae/rows';

const { images } = digits({ train: 2400, test: 1, seed: 3 }).train;
const bits = Uint8Array.from(images, (grey) => (grey > 127 ? 1 : 0));
const rows = asRows({ data: bits, n: 2400, V: 784 });

const model = await fit(sliceRows(rows, 0, 800), { H: 8, epochs: 8 });
const calibrated = await calibrate(model, sliceRows(rows, 800, 1600));
for (const of of ['mean', 'quantile', 'next row', 'tail', 'contaminated', 'ceiling', 'changed bits'])
  console.log(calibrated.promise({ of, confidence: 0.99 }).statement);

const { lossWithEscape, sameSource } = await calibrated.evaluate(sliceRows(rows, 1600, 2400));
console.log(`other rows cost ${lossWithEscape.toFixed(1)} nats on average`);
if (lossWithEscape > calibrated.promise({ of: 'mean' }).bound) throw new Error('a promise was broken');
if (sameSource.pValue < 0.001) throw new Error('rows of the same source were taken for others');

// The pictures that cost most, beside what was promised of all but a twentieth.
const others = sliceRows(rows, 1600, 2400);
const { losses, codes } = await calibrated.encode(others);
const worst = Array.from(losses.keys())
  .sort((a, b) => losses[b] - losses[a])
  .slice(0, 10);
const decoded = await calibrated.decode(codes);
const { bound } = calibrated.promise({ of: 'quantile', confidence: 0.99 });
const picture = reconstructionFigure({
  title: 'The ten most expensive of 800 new pictures',
  note: `Promised: 95% of new pictures cost at most ${bound.toFixed(1)} nats. The loss stands below each.`,
  rows: [
    {
      label: 'pictures',
      values: worst.flatMap((i) => Array.from({ length: 784 }, (_, v) => entry(others, i, v))),
    },
    { label: 'decoded', values: worst.flatMap((i) => Array.from(decoded.subarray(784 * i, 784 * (i + 1)))) },
  ],
  captions: worst.map((i) => losses[i].toFixed(0)),
  V: 784,
  image: { height: 28, width: 28 },
});
if (process.argv[2]) await writeFile(process.argv[2], picture);
