// The defaults of learning beside their neighbours, on validation rows: `node bench/choices.mjs DIR [set
// ...]`, after `npm run build:paper`. Validation rows are held out of the training rows, or a set's own; test
// rows play no part.
import { fit } from 'pc-ae';
import { createEngine, enableRelaxedSimd } from 'pc-ae/node';
import { sliceRows } from 'pc-ae/rows';
import { defaultRate } from '../dist/training/settings.js';
import { dataFolder, loadData } from './data.mjs';

enableRelaxedSimd();
const folder = dataFolder();
const wanted = process.argv.slice(3);
const engine = await createEngine();

/** Data sets, the rows of them that are learned from, and the numbers of units to try. */
const SETS = [
  ['bbc', Number.POSITIVE_INFINITY, [16]],
  ['plants', Number.POSITIVE_INFINITY, [16]],
  ['caltech101', Number.POSITIVE_INFINITY, [32, 100]],
  ['mnist', 10_000, [32]],
];

/** Options beside the defaults, from those that a run with the defaults used. */
const VARIANTS = {
  default: () => ({}),
  'ridge / 10': ({ ridge }) => ({ ridge: ridge / 10 }),
  'ridge / 3': ({ ridge }) => ({ ridge: ridge / 3 }),
  'ridge x 3': ({ ridge }) => ({ ridge: ridge * 3 }),
  'ridge x 10': ({ ridge }) => ({ ridge: ridge * 10 }),
  'rate / 2': ({ rate }) => ({ rate: rate / 2 }),
  'rate x 2': ({ rate }) => ({ rate: rate * 2 }),
  'epochs / 2': ({ epochs }) => ({ epochs: Math.round(epochs / 2) }),
  'epochs x 2': ({ epochs }) => ({ epochs: epochs * 2 }),
  'no bias unit': () => ({ bias: false }),
};

console.log('| set | H | variant | validation | training | CPU, s |\n|---|---|---|---|---|---|');
for (const [name, most, Hs] of SETS) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const { held } = await loadData(folder, name);
  const train = sliceRows(held.train, 0, Math.min(most, held.train.n));
  for (const H of Hs) {
    let used;
    for (const [variant, change] of Object.entries(VARIANTS)) {
      const before = process.cpuUsage();
      const model = await fit(train, { H, certify: false, engine, ...change(used) });
      const { user, system } = process.cpuUsage(before);
      const { ridge, epochs, loss } = model.training;
      used ??= { ridge, epochs, rate: defaultRate(H) };
      const validation = await model.loss(held.validation, { engine });
      const seconds = ((user + system) / 1e6).toFixed(0);
      console.log(
        `| ${name} | ${H} | ${variant} | ${validation.toFixed(3)} | ${loss.toFixed(3)} | ${seconds} |`,
      );
    }
  }
}
await engine.close();
