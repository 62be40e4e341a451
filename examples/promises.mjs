// What new rows cost, promised: learn from some rows, calibrate with others, and see the promises kept by a third part.
import { calibrate, digits, fit } from 'pc-ae';
import { asRows, sliceRows } from 'pc-ae/rows';

const { images } = digits({ train: 2400, test: 1, seed: 3 }).train;
const bits = Uint8Array.from(images, (grey) => (grey > 127 ? 1 : 0));
const rows = asRows({ data: bits, n: 2400, V: 784 });

const model = await fit(sliceRows(rows, 0, 800), { H: 8, epochs: 8 });
const calibrated = await calibrate(model, sliceRows(rows, 800, 1600));
for (const of of ['mean', 'quantile', 'next row', 'tail', 'contaminated', 'ceiling', 'changed bits'])
  console.log(calibrated.promise({ of, confidence: 0.99 }).statement);

const { lossWithEscape, sameSource } = await calibrated.evaluate(sliceRows(rows, 1600, 2400));
console.log(`other rows cost ${lossWithEscape.toFixed(1)} nats in the mean`);
if (lossWithEscape > calibrated.promise({ of: 'mean' }).bound) throw new Error('a promise was broken');
if (sameSource.pValue < 0.001) throw new Error('rows of the same source were taken for others');
