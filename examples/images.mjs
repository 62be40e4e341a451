// Pictures: an IDX file of grey digits to codes, and back to pictures.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reconstructionFigure } from 'pc-ae/figures';
import { digits, fit, loadModel, openSource, saveModel } from 'pc-ae/node';
import { collect } from 'pc-ae/rows';

const { train, test } = digits({ train: 1500, test: 200 });
const folder = await mkdtemp(join(tmpdir(), 'pcae-'));
try {
  const at = (name) => join(folder, name);
  await writeFile(at('train.idx3-ubyte'), idxFile(train));
  await writeFile(at('test.idx3-ubyte'), idxFile(test));

  // Grey levels become bits by sampling, as in the paper, unless told otherwise; the source says what was
  // done.
  const source = await openSource(at('train.idx3-ubyte'));
  console.log(
    `${source.n} pictures of ${source.image.height} x ${source.image.width}, binarised by ${source.schema.binarize}`,
  );
  await saveModel(at('digits.safetensors'), await fit(source, { H: 16, epochs: 15 }));

  // A file remembers all that is needed later.
  const model = await loadModel(at('digits.safetensors'));
  const rows = await collect(await openSource(at('test.idx3-ubyte')));
  const { loss, hamming, gap } = await model.evaluate(rows);
  console.log(
    `new pictures: ${loss.toFixed(1)} nats each, ${hamming.toFixed(1)} of 784 bits wrong after rounding`,
  );
  console.log(`every code is proven to be within ${gap.max.toFixed(3)} nats of the best`);
  const decoded = await model.reconstruct(rows);
  show(test.images.subarray(0, 784), decoded.subarray(0, 784));
  const picture = reconstructionFigure({
    title: 'New digits, from codes of 16 numbers',
    rows: [
      { label: 'grey', values: Array.from(test.images, (grey) => grey / 127.5 - 1) },
      { label: 'decoded', values: decoded },
    ],
    V: 784,
    image: { height: 28, width: 28 },
    show: 11,
  });
  if (process.argv[2]) await writeFile(process.argv[2], picture);
  if (!(loss < 150)) throw new Error('16 numbers should describe a digit better than that');
  if (!(gap.max <= 0.01)) throw new Error('codes were not certified');
} finally {
  await rm(folder, { recursive: true });
}

/** Pictures as an IDX file: magic number, three sizes, then a byte a pixel. */
function idxFile({ n, height, width, images }) {
  const header = new DataView(new ArrayBuffer(16));
  [0x0803, n, height, width].forEach((value, k) => {
    header.setUint32(4 * k, value);
  });
  return Buffer.concat([new Uint8Array(header.buffer), images]);
}

/** A picture and its reconstruction side by side, every second line. */
function show(picture, reconstruction) {
  const shade = (share) => ' .:-=+*#%@'[Math.min(9, Math.floor(10 * share))];
  for (let y = 0; y < 28; y += 2) {
    let line = '';
    for (let x = 0; x < 28; x++) line += shade(picture[y * 28 + x] / 255);
    line += '  ';
    for (let x = 0; x < 28; x++) line += shade((1 + reconstruction[y * 28 + x]) / 2);
    console.log(line.trimEnd());
  }
}
