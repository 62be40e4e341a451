// What the GPU engine reaches on MNIST: `npm run bench:gpu -- DIR`. Every case runs twice: the first time compiles its programs.
import { crossEntropy, fit } from 'pc-ae';

import { createGpuEngine } from 'pc-ae/node';
import { dataFolder, loadData } from './data.mjs';

const { train, test } = await loadData(dataFolder(), 'mnist');
const engine = await createGpuEngine();
console.log(engine.name);

const seconds = async (work) => {
  const from = performance.now();
  const result = await work();
  return { result, time: (performance.now() - from) / 1000 };
};
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

for (const H of [32, 100]) {
  for (const round of ['first', 'again']) {
    const { result: model, time } = await seconds(() => fit(train, { H, engine }));
    const encoded = await seconds(() => model.encode(train, { engine }));
    const { losses } = await model.encode(test, { engine });
    const rate = Math.round(train.n / encoded.time);
    console.log(
      `H=${H}, ${round}: learned in ${time.toFixed(2)} s, training loss ${model.training.loss.toFixed(4)}, test loss ` +
        `${mean(losses).toFixed(4)}; ${rate} rows/s encoded, mean gap ${mean(encoded.result.gaps).toFixed(5)}`,
    );
  }
  await fusedPass(H);
}
await engine.close();

/** Scores, residuals and gradients of many rows. */
async function fusedPass(H) {
  const [V, width] = [train.V, H + 1];
  const block = engine.load(train);
  const [W, E, gaps] = [V * width, train.n * width, train.n].map((length) => engine.floats(length));
  W.write(Float32Array.from({ length: V * width }, (_, i) => Math.sin(i * i)));
  E.write(Float32Array.from({ length: train.n * width }, (_, i) => (i % width === H ? 1 : Math.sin(i))));
  const at = { block, shape: { V, H, bias: true }, W, E, loss: crossEntropy };
  const passes = async (count) => {
    for (let i = 0; i < count; i++) await engine.measure(at, { gaps, radius: 1 });
    await gaps.read(0, 1);
  };
  await passes(2);
  const { time } = await seconds(() => passes(20));
  console.log(`H=${H}: fused pass at ${((20 * 4 * V * width * train.n) / time / 1e12).toFixed(1)} TFLOP/s`);
  for (const used of [block, W, E, gaps]) used.free();
}
