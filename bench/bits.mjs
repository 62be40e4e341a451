// What codes of true bits reach: `node bench/bits.mjs DIR [case ...]`, after `npm run build:paper`.
//
// A case learns with all defaults and encodes the test rows at each effort. Losses are means over test rows
// in nats. Times are CPU seconds of all threads divided by two, what two cores of their own would take, so
// that they can be measured on a machine that others use too.
// SEED, THREADS, EFFORTS (a list) and FOLDS change the run.
import { cpus } from 'node:os';
import { fit } from 'pc-ae';
import { createEngine, enableRelaxedSimd } from 'pc-ae/node';
import { dataFolder, loadData } from './data.mjs';

enableRelaxedSimd();
const folder = dataFolder();
const wanted = process.argv.slice(3);
const { SEED = '1', THREADS = '2', EFFORTS = 'fast,default,thorough', FOLDS } = process.env;
const engine = await createEngine({ threads: Number(THREADS) });
const efforts = EFFORTS.split(',');

/** name, data set, H, largest test loss asked for, most seconds asked for, folds. */
const CASES = [
  ['mnist-32', 'mnist', 32, 91, 120],
  ['mnist-100', 'mnist', 100, 45, 400],
  ['omniglot-32', 'omniglot', 32, 108],
  ['omniglot-100', 'omniglot', 100, 58],
  ['caltech101-32', 'caltech101', 32, 115],
  ['caltech101-100', 'caltech101', 100, 63],
  ['notmnist-32', 'notmnist', 32, 190, undefined, 10],
  ['notmnist-100', 'notmnist', 100, 118, undefined, 10],
];

console.log(
  `${engine.name}, ${engine.threads} threads; ${cpus()[0].model}, Node ${process.version}, seed ${SEED}\n`,
);
console.log(
  `| case | asked | ${efforts.join(' | ')} | learning, s | asked | rows/s ${efforts.join(' / ')} |`,
);
console.log(`|---|---|${efforts.map(() => '---|').join('')}---|---|---|`);
for (const [name, set, H, mostLoss, mostSeconds, folds = 1] of CASES) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const count = Math.min(folds, Number(FOLDS ?? folds));
  const found = { learning: 0, losses: efforts.map(() => 0), speeds: efforts.map(() => 0) };
  for (let fold = 0; fold < count; fold++) {
    const { train, test } = await loadData(folder, set, fold);
    const began = cpuSeconds();
    const model = await fit(train, {
      ...{ H, encoding: 'bits', seed: Number(SEED), engine },
    });
    found.learning += (cpuSeconds() - began) / 2 / count;
    for (const [k, effort] of efforts.entries()) {
      const from = cpuSeconds();
      const { losses } = await model.encode(test, { engine, effort });
      found.speeds[k] += test.n / ((cpuSeconds() - from) / 2) / count;
      found.losses[k] += losses.reduce((sum, loss) => sum + loss, 0) / test.n / count;
    }
  }
  const cells = [
    name + (folds > 1 ? ` (${count} folds)` : ''),
    `<= ${mostLoss}`,
    ...found.losses.map((loss) => loss.toFixed(2)),
    found.learning.toFixed(0),
    mostSeconds ? `<= ${mostSeconds}` : '',
    found.speeds.map((speed) => Math.round(speed)).join(' / '),
  ];
  console.log(`| ${cells.join(' | ')} |`);
}
await engine.close();

function cpuSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
