// All figures of the GPU engine in one run: `npm run bench:gpu -- DIR [learning|passes|visits|rows|torch
// ...]`. The tables are in docs/gpu.md.
//
// Learning runs twice: the first time compiles the programs. With Python and torch on the machine, the same
// visits in PyTorch run on the same card at the end. SMALL=1 makes every case tiny: it only shows that the
// script works.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crossEntropy, fit } from 'pc-ae';
import { createGpuEngine } from 'pc-ae/node';
import { rowBytes, sliceRows } from 'pc-ae/rows';
import { dataFolder, loadData } from './data.mjs';

const small = process.env.SMALL === '1';
const data = await loadData(dataFolder(), 'mnist');
const train = small ? sliceRows(data.train, 0, 200) : data.train;
const test = small ? sliceRows(data.test, 0, 50) : data.test;
const engine = await createGpuEngine();
const plan = small ? { epochs: 6 } : {};

console.log(`${engine.name}; Node ${process.version}; MNIST, ${train.n} rows\n`);
console.log('| case | measured | asked |\n|---|---|---|');
const line = (name, measured, asked) => console.log(`| ${name} | ${measured} | ${asked} |`);

const cases = {
  async learning() {
    for (const [H, most, loss] of [
      [32, 4, 36.2],
      [100, 8, 0.03],
    ])
      await learning(H, 'box', `${most} s, loss ${loss}`);
    for (const [H, most, loss] of [
      [32, 10, 91.6],
      [100, 20, 43.2],
    ])
      await learning(H, 'bits', `${most} s, test loss ${loss}`);
  },
  async passes() {
    for (const [H, speed] of [
      [32, 15],
      [100, 22],
    ])
      await fusedPass(H, speed);
  },
  async visits() {
    for (const H of [32, 100]) await visits(H);
  },
  rows: manyRows,
  torch: inTorch,
};
const asked = process.argv.slice(3);
for (const [name, measure] of Object.entries(cases))
  if (asked.length === 0 || asked.includes(name)) await measure();
await engine.close();

/** Learning with certified codes (bits: with their gaps), then encoding. */
async function learning(H, encoding, asked) {
  let model;
  const times = [];
  for (let round = 0; round < 2; round++) {
    const { result, time } = await timed(() => fit(train, { H, encoding, engine, ...plan }));
    model = result;
    times.push(time.toFixed(2));
  }
  const name = `${encoding === 'bits' ? 'true bits' : 'box'}, H = ${H}`;
  const tested = await model.encode(test, { engine });
  line(
    `${name}, learning`,
    `${times[1]} s (${times[0]} s with compiling); training loss ${model.training.loss.toFixed(4)}, test loss ` +
      `${mean(tested.losses).toFixed(4)}${gapsOf(model.training)}`,
    asked,
  );
  await model.encode(train, { engine });
  const { result, time } = await timed(() => model.encode(train, { engine }));
  const rates = encoding === 'box' ? { 32: '200,000', 100: '60,000' }[H] : '';
  line(
    `${name}, encoding`,
    `${Math.round(train.n / time)} rows/s, mean gap ${mean(result.gaps).toFixed(5)}`,
    rates,
  );
}

/** Scores, residuals and gradients of many rows. */
async function fusedPass(H, asked) {
  const rows = repeated(small ? 1000 : 131_072);
  const [V, width] = [rows.V, H + 1];
  const block = engine.load(rows);
  const [W, E, gaps] = [V * width, rows.n * width, rows.n].map((length) => engine.floats(length));
  W.write(Float32Array.from({ length: V * width }, (_, i) => Math.sin(i * i)));
  E.write(Float32Array.from({ length: rows.n * width }, (_, i) => (i % width === H ? 1 : Math.sin(i))));
  const at = { block, shape: { V, H, bias: true }, W, E, loss: crossEntropy };
  const passes = async (count) => {
    for (let i = 0; i < count; i++) await engine.measure(at, { gaps, radius: 1 });
    await gaps.read(0, 1);
  };
  // After other work a card needs up to a third of a second until it is as fast as it gets.
  const count = small ? 2 : 20;
  const times = [];
  for (let round = 0; round < (small ? 1 : 8); round++) times.push((await timed(() => passes(count))).time);
  const speed = (count * 4 * V * width * rows.n) / Math.min(...times) / 1e12;
  line(`fused pass, ${rows.n} rows, H = ${H}`, `${speed.toFixed(1)} TFLOP/s`, `${asked} TFLOP/s`);
  for (const used of [block, W, E, gaps]) used.free();
}

/**
 * Visits of learning, one after the other: the first four epochs, after two seconds that raise the card's
 * clock.
 */
async function visits(H) {
  const { n, V } = train;
  const [width, rows] = [H + 1, Math.min(1000, n)];
  const [count, warm] = small ? [4, 0] : [240, 6000];
  const block = engine.load(train);
  const sizes = { W: V * width, E: n * width, gradient: V * width, curvature: V, inverse: H * H };
  const floats = (size) => engine.floats(size);
  const at = Object.fromEntries(Object.entries(sizes).map(([name, size]) => [name, floats(size)]));
  const [losses, first, second, means] = [floats(n), floats(V * width), floats(V * width), engine.running(V)];
  const ridge = 0.6 / n;
  const point = { block, shape: { V, H, bias: true }, W: at.W, E: at.E, loss: crossEntropy };
  const begin = Float32Array.from({ length: V * width }, (_, i) => 0.3 * Math.sin(i * i));
  const codes = Float32Array.from({ length: n * width }, (_, i) => (i % width === H ? 1 : 0));
  const run = async (visits) => {
    at.W.write(begin);
    at.E.write(codes);
    for (const moments of [first, second]) moments.fill(0);
    means.write(new Float64Array(V).fill(0.1));
    await losses.read(0, 1);
    const from = performance.now();
    for (let step = 0; step < visits; step++) {
      const start = (step * rows) % (n - rows + 1);
      if (step % 4 === 0) await engine.precondition(at.W, point.shape, means, ridge, at.inverse);
      await engine.solve(
        'codes',
        { ...point, range: { start, end: start + rows } },
        {
          ...{ steps: step < n / rows ? 5 : 8, tolerance: 0.05, inverseHessian: at.inverse, ridge, losses },
          sums: { gradient: at.gradient, curvature: at.curvature, running: { means, share: 0.1 } },
        },
      );
      const adam = { rate: 0.02, beta1: 0.9, beta2: 0.99, epsilon: 1e-8, step: step + 1 };
      engine.adam(at.W, at.gradient, { first, second }, { ...adam, scale: 1 / rows, width, free: H, ridge });
      if (step % 600 === 599) await losses.read(0, 1);
    }
    await losses.read(0, 1);
    return (performance.now() - from) / visits;
  };
  const times = [];
  for (let round = 0; round < 3; round++) {
    if (warm > 0) await run(warm);
    times.push(await run(count));
  }
  line(`a visit, ${rows} rows, H = ${H}`, `${Math.min(...times).toFixed(3)} ms`, 'half of compiled PyTorch');
  for (const used of [block, ...Object.values(at), losses, first, second, means]) used.free();
}

/** One epoch over more rows than a card keeps: MNIST's, again and again. */
async function manyRows() {
  const n = small ? 2000 : 1e7;
  const source = {
    ...{ n, V: train.V },
    async *chunks(size) {
      for (let done = 0; done < n; done += size) yield repeated(Math.min(size, n - done));
    },
  };
  const from = performance.now();
  let [learning, finishing] = [from, from];
  const onProgress = ({ phase }) => {
    if (phase === 'learn') finishing = performance.now();
    else if (finishing === from) learning = performance.now();
  };
  await fit(source, { H: 32, epochs: 1, codes: 'recompute', certify: false, engine, onProgress });
  const seconds = (at) => ((at - from) / 1000).toFixed(2);
  line(
    `${n} rows x ${train.V} bits, H = 32, one epoch`,
    `${((finishing - learning) / 1000).toFixed(2)} s (all codes found anew and the end of the model: ${seconds(performance.now())} s)`,
    '8 s',
  );
}

/** The same visits in PyTorch, eager and compiled, where it is installed. */
function inTorch() {
  const found = spawnSync('python3', ['-c', 'import torch, numpy; assert torch.cuda.is_available()']);
  if (found.status !== 0) {
    console.log('\nPyTorch with CUDA was not found: no comparison with it.');
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'pcae-bench-'));
  try {
    const rows = join(folder, 'rows.bin');
    writeFileSync(rows, train.bits);
    console.log('\nThe same visits in PyTorch:');
    spawnSync('python3', [new URL('gpu-torch.py', import.meta.url).pathname, rows], { stdio: 'inherit' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** So many rows, those of the training set over and over. */
function repeated(n) {
  const bytes = rowBytes(train.V);
  const bits = new Uint8Array(n * bytes);
  const own = train.bits.subarray(0, train.n * bytes);
  for (let at = 0; at < bits.length; at += own.length) {
    bits.set(own.subarray(0, Math.min(own.length, bits.length - at)), at);
  }
  return { kind: 'bits', n, V: train.V, bits };
}

/** How far weights are from the best for their codes, where that was proven. */
function gapsOf({ weightGap, slackGap }) {
  return weightGap === undefined
    ? ''
    : `; weightGap ${weightGap.toFixed(5)}, slackGap ${slackGap.toFixed(5)}`;
}

async function timed(work) {
  const from = performance.now();
  const result = await work();
  return { result, time: (performance.now() - from) / 1000 };
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
