// What learning and encoding reach, and in what time: `npm run bench:learning -- DIR [case ...]`.
//
// Every figure is a held-out loss in nats per row at codes certified in float64. Times are of learning alone
// (data in memory) on all cores. Each case runs by itself; name some to run only those.
import { availableParallelism, cpus } from 'node:os';
import { digits, fit } from 'pc-ae';
import { fitPca, pcaLoss } from 'pc-ae/baselines';
import { createEngine, enableRelaxedSimd } from 'pc-ae/node';
import { dataFolder, loadData } from './data.mjs';

enableRelaxedSimd();
const folder = dataFolder();
const wanted = process.argv.slice(3);
const engine = await createEngine();

/** name, data set, options, largest test loss and most seconds asked for. */
const CASES = [
  ['mnist-32-epoch', 'mnist', { H: 32, epochs: 1, certify: false }, 47, 2],
  ['mnist-32', 'mnist', { H: 32 }, 39, 60],
  ['mnist-32-nobias', 'mnist', { H: 32, bias: false }, 39, 60],
  ['mnist-32-10min', 'mnist', { H: 32, timeBudget: 600 }, 38, 620],
  ['mnist-100-epoch', 'mnist', { H: 100, epochs: 1, certify: false }, 1.2, 8],
  ['mnist-100', 'mnist', { H: 100 }, 0.3, 180],
  ['omniglot-32', 'omniglot', { H: 32 }, 62, 60],
  ['omniglot-100', 'omniglot', { H: 100 }, 6.6, 180],
  ['caltech101-32', 'caltech101', { H: 32 }, 39, 30],
  ['caltech101-100', 'caltech101', { H: 100 }, 4.3, 60],
  ['notmnist-32', 'notmnist', { H: 32 }, 105, 60, 10],
  ['notmnist-100', 'notmnist', { H: 100 }, 34.5, 180, 10],
];

console.log(
  `${engine.name}, ${engine.threads} threads; ${cpus()[0].model}, ${availableParallelism()} cores, Node ${process.version}\n`,
);
console.log('| case | test loss | asked | seconds | asked | encode 10,000 rows, s | gap mean / max |');
console.log('|---|---|---|---|---|---|---|');
for (const [name, set, options, mostLoss, mostSeconds, foldCount = 1] of CASES) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const folds = [];
  const only = process.env.FOLDS ? Number(process.env.FOLDS) : foldCount;
  for (let fold = 0; fold < Math.min(only, foldCount); fold++) {
    const { train, test } = await loadData(folder, set, fold);
    const start = performance.now();
    const model = await fit(train, { ...options, engine });
    const seconds = (performance.now() - start) / 1000;
    const from = performance.now();
    const { losses, gaps } = await model.encode(test, { engine });
    const encode = ((performance.now() - from) / 1000) * (10_000 / test.n);
    folds.push({
      loss: mean(losses),
      seconds,
      encode,
      gap: mean(gaps),
      most: gaps.reduce((a, b) => Math.max(a, b)),
    });
  }
  const average = (key) => mean(folds.map((fold) => fold[key]));
  const most = Math.max(...folds.map((fold) => fold.most));
  const cells = [
    name + (folds.length > 1 ? ` (${folds.length} folds)` : ''),
    average('loss').toFixed(3),
    `<= ${mostLoss}`,
    average('seconds').toFixed(1),
    `<= ${mostSeconds}`,
    average('encode').toFixed(2),
    `${average('gap').toFixed(4)} / ${most.toFixed(4)}`,
  ];
  console.log(`| ${cells.join(' | ')} |`);
}

if (wanted.length === 0 || wanted.includes('tables')) await tables();
if (wanted.length === 0 || wanted.includes('encoding')) await encoding();
if (wanted.length === 0 || wanted.includes('paper')) await paper();
if (wanted.length === 0 || wanted.includes('scale')) await scale();
await engine.close();

/** Tables that are no pictures, no setting changed, against PCA with a fitted link. */
async function tables() {
  console.log('\n| table | H | PC-AE | PCA, logistic link per bit | PCA, clipped |\n|---|---|---|---|---|');
  for (const [name, H] of [
    ['plants', 8],
    ['plants', 16],
    ['bbc', 8],
    ['bbc', 16],
    ['nltcs', 2],
    ['nltcs', 4],
  ]) {
    const { train, test } = await loadData(folder, name);
    const model = await fit(train, { H, engine });
    const ours = await model.loss(test, { engine });
    const pca = await pcaLoss(test, await fitPca(train, { H, engine }), { engine });
    console.log(
      `| ${name} | ${H} | ${ours.toFixed(3)} | ${pca.linked.toFixed(3)} | ${pca.clipped.toFixed(3)} |`,
    );
  }
}

/** The certified encoder against 1,000 Adagrad steps on the same engine and weights. */
async function encoding() {
  console.log(
    '\n| encoding 10,000 MNIST rows | seconds | loss | gap mean / max | Adagrad, s | its loss | ratio |\n|---|---|---|---|---|---|---|',
  );
  const { train, test } = await loadData(folder, 'mnist');
  const { paperEncode } = await import('pc-ae/baselines');
  for (const H of [32, 100]) {
    // The yardstick knows no bias unit, so the model has none either.
    const model = await fit(train, { H, bias: false, epochs: 3, certify: false, engine });
    const start = performance.now();
    const { losses, gaps } = await model.encode(test, { engine });
    const seconds = (performance.now() - start) / 1000;
    const from = performance.now();
    const adagrad = await paperEncode(engine, model.W, test, {
      H,
      loss: model.reconstructionLoss,
      radius: 1,
    });
    const slow = (performance.now() - from) / 1000;
    const gap = `${mean(gaps).toFixed(4)} / ${gaps.reduce((a, b) => Math.max(a, b)).toFixed(4)}`;
    console.log(
      `| H=${H} | ${seconds.toFixed(2)} | ${mean(losses).toFixed(3)} | ${gap} | ${slow.toFixed(1)} | ${mean(adagrad).toFixed(3)} | ${(slow / seconds).toFixed(1)} |`,
    );
  }
}

/** The paper's own procedure, its loss under its own encoder, and how much sooner `fast` gets there. */
async function paper() {
  const { train, test } = await loadData(folder, 'mnist');
  const { paperEncode } = await import('pc-ae/baselines');
  console.log(
    "\n| the paper's procedure, MNIST | its encoder | certified codes | seconds | `fast` at its loss, s | ratio |\n|---|---|---|---|---|---|",
  );
  for (const H of [32, 100]) {
    const start = performance.now();
    let learnt = 0;
    const model = await fit(train, {
      H,
      algorithm: 'paper-text',
      certify: false,
      engine,
      onProgress: () => {
        learnt = (performance.now() - start) / 1000;
      },
    });
    const own = mean(
      await paperEncode(engine, model.W, test, { H, loss: model.reconstructionLoss, radius: 1 }),
    );
    const certified = await model.loss(test, { engine });
    const soon = await secondsToReach(train, test, H, own);
    console.log(
      `| H=${H} | ${own.toFixed(2)} | ${certified.toFixed(2)} | ${learnt.toFixed(1)} | ${soon.toFixed(2)} | ${(learnt / soon).toFixed(0)} |`,
    );
  }
}

/** Seconds of learning on ever larger parts of an epoch until the held-out loss is as low as asked. */
async function secondsToReach(train, test, H, loss) {
  for (const share of [0.05, 0.1, 0.2, 0.4, 0.7, 1]) {
    const rows = { ...train, n: Math.floor(train.n * share), bits: train.bits };
    const part = { ...rows, bits: train.bits.subarray(0, rows.n * Math.ceil(train.V / 8)) };
    const start = performance.now();
    const model = await fit(part, { H, epochs: 1, batch: 1000, bias: false, certify: false, engine });
    const seconds = (performance.now() - start) / 1000;
    if ((await model.loss(test, { engine })) <= loss) return seconds;
  }
  return Number.NaN;
}

/**
 * One epoch on 100,000 and on 1,000,000 generated rows: time must grow with the rows, memory stay in bounds.
 */
async function scale() {
  console.log(
    '\n| generated rows, H=32, one epoch | seconds of learning | in all | peak resident memory, MiB |\n|---|---|---|---|',
  );
  const times = [];
  for (const n of [100_000, 1_000_000]) {
    const rows = generatedRows(n);
    const start = performance.now();
    const model = await fit(rows, { H: 32, epochs: 1, batch: 1000, certify: false, engine });
    const all = (performance.now() - start) / 1000;
    times.push(model.training.history[0].seconds);
    const peak = process.resourceUsage().maxRSS / 1024;
    console.log(
      `| ${n.toLocaleString('en')} | ${times.at(-1).toFixed(2)} | ${all.toFixed(2)} | ${peak.toFixed(0)} |`,
    );
  }
  console.log(`\nTen times the rows take ${(times[1] / times[0]).toFixed(1)} times as long.`);
}

/** Generated digits over and over, one bit in a hundred turned, so that no two rows are the same. */
function generatedRows(n) {
  const { images } = digits({ train: 10_000, test: 1 }).train;
  const stride = 98;
  const bits = new Uint8Array(n * stride);
  for (let k = 0; k < 10_000 * 784; k++) {
    if (images[k] > 127) bits[Math.floor(k / 784) * stride + ((k % 784) >> 3)] |= 1 << (k & 7);
  }
  for (let i = 10_000; i < n; i++)
    bits.copyWithin(i * stride, (i % 10_000) * stride, (i % 10_000) * stride + stride);
  let state = 1;
  for (let k = 0; k < n * 8; k++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const row = Math.floor(k / 8);
    bits[row * stride + ((state >>> 8) % stride)] ^= 1 << (state >>> 29);
  }
  return { kind: 'bits', n, V: 784, bits };
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
