// What docs/extensions.md says of noise and of missing values, measured on MNIST: node
// bench/noise-and-gaps.mjs DIR, after `npm run build:paper`. Models are learned from the first rows of the
// training set and measured on test rows; nothing is chosen here.
import { fit, fitDecoder, impute, PCAE } from 'pc-ae';
import { noiseInCorrelations } from 'pc-ae/math';
import { createEngine } from 'pc-ae/node';
import { corrupt, entry, sliceRows } from 'pc-ae/rows';
import { dataFolder, loadData } from './data.mjs';

const [RHO, H, EPOCHS] = [0.25, 32, 20];
const { train, test } = await loadData(dataFolder(), 'mnist');
const engine = await createEngine({ threads: 2 });
const held = sliceRows(test, 0, 2000);
const heldNoisy = corrupt(held, { kind: 'mask', rho: RHO, seed: 2 });

console.log(
  `masking noise, rho = ${RHO}, H = ${H}, ${EPOCHS} epochs; nats per image of ${held.n} test images`,
);
for (const n of [1000, 4000, 16_000]) {
  const clean = sliceRows(train, 0, n);
  const noisy = corrupt(clean, { kind: 'mask', rho: RHO, seed: 1 });
  const plain = await fit(noisy, { H, epochs: EPOCHS, engine });
  const codes = plain.trainingCodes;
  const decoder = await fitDecoder(codes, clean, { engine, ridge: 0.01 / n });
  const models = {
    uncorrected: plain,
    'noisy rows alone': new PCAE({ ...plain, restoring: { mask: RHO } }),
    'clean and noisy rows': new PCAE({ ...plain, restoring: { W: decoder.W, loss: decoder.loss } }),
  };
  for (const [name, model] of Object.entries(models)) {
    const fromNoisy = await model.evaluate(heldNoisy, { against: held, engine });
    const fromClean = await model.evaluate(held, { against: held, engine });
    console.log(
      `n = ${n}, ${name}: from noisy images ${fromNoisy.loss.toFixed(2)} (${fromNoisy.hamming.toFixed(1)} bits wrong), ` +
        `from clean ones ${fromClean.loss.toFixed(2)}`,
    );
  }
  const { codes: independent } = await plain.encode(clean, { engine });
  for (const [name, some] of [
    ['codes of the noisy images', codes],
    ['codes of the clean images', independent],
  ]) {
    const exact = noiseInCorrelations(noisy, some, { clean });
    const extrapolated = noiseInCorrelations(noisy, some, { mask: RHO });
    console.log(`n = ${n}, delta from noisy rows alone, ${name}: off by ${apart(exact, extrapolated)}`);
  }
}

console.log('\na fifth of the pixels hidden, from learning and from the test images');
const n = 16_000;
const hidden = corrupt(sliceRows(train, 0, n), { kind: 'hide', rho: 0.2, seed: 1 });
const heldHidden = corrupt(held, { kind: 'hide', rho: 0.2, seed: 2 });
for (const units of [16, 32]) {
  const model = await fit(hidden, { H: units, epochs: EPOCHS, engine });
  for (const [name, options] of [
    ['best codes', { shrink: 0 }],
    ['shrunken codes', {}],
  ]) {
    const { values } = await impute(model, heldHidden, { ...options, engine });
    report(`H = ${units}, ${name}`, (i, v) => values[i * held.V + v]);
  }
}
const rates = baseRates(hidden);
report('base rates', (_, v) => rates[v]);
await engine.close();

function apart(a, b) {
  const square = (x) => x.reduce((sum, value) => sum + value * value, 0);
  return `${((100 * Math.sqrt(square(a.map((x, k) => x - b[k])))) / Math.sqrt(square(a))).toFixed(1)}%`;
}

/** Nats and errors on the entries that were hidden. */
function report(name, mean) {
  let [loss, wrong, count] = [0, 0, 0];
  for (let i = 0; i < held.n; i++) {
    for (let v = 0; v < held.V; v++) {
      if (!Number.isNaN(entry(heldHidden, i, v))) continue;
      const agrees = entry(held, i, v) * mean(i, v);
      loss -= Math.log(Math.max(1e-6, (1 + agrees) / 2));
      if (agrees < 0) wrong++;
      count++;
    }
  }
  console.log(
    `${name}: ${(loss / count).toFixed(4)} nats per hidden pixel, ${((100 * wrong) / count).toFixed(2)}% wrong`,
  );
}

function baseRates(rows) {
  const [sums, counts] = [new Float64Array(rows.V), new Float64Array(rows.V)];
  for (let i = 0; i < rows.n; i++) {
    for (let v = 0; v < rows.V; v++) {
      const x = entry(rows, i, v);
      if (Number.isNaN(x)) continue;
      sums[v] += x;
      counts[v]++;
    }
  }
  return sums.map((sum, v) => sum / (counts[v] + 2));
}
