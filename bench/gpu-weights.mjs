// Newton's rounds and proofs of weights on the GPU, on MNIST: `node bench/gpu-weights.mjs DIR`. docs/gpu.md
// has the table.
//
// Each case learns twice, and the first time compiles the programs. Gaps are then proven again by the device
// and, in float64, by the processor's engine, both for the same weights and codes. SMALL=1 makes every case
// tiny: it only shows that the script works.
import { crossEntropy, fit } from 'pc-ae';
import { createEngine, createGpuEngine } from 'pc-ae/node';
import { sliceRows } from 'pc-ae/rows';
import { ridgedGap, slackGapOf } from '../dist/training/refine/proof.js';
import { dataFolder, loadData } from './data.mjs';

const small = process.env.SMALL === '1';
const data = await loadData(dataFolder(), 'mnist');
const train = small ? sliceRows(data.train, 0, 300) : data.train;
const test = small ? sliceRows(data.test, 0, 50) : data.test;
const [gpu, cpu] = [await createGpuEngine(), await createEngine()];
const began = performance.now();
const cases = process.env.CASES?.split(',') ?? ['box 32', 'box 100', 'bits 32'];

console.log(`${gpu.name}; Node ${process.version}; ${cpu.threads} threads; MNIST, ${train.n} rows`);
for (const name of cases) {
  const [encoding, H] = [name.split(' ')[0], Number(name.split(' ')[1])];
  const model = await learning(encoding, H);
  if (encoding === 'box') await operations(model, H);
}
await gpu.close();
await cpu.close();

async function learning(encoding, H) {
  let model;
  for (const round of ['new process', 'again']) {
    const phases = {};
    const onProgress = ({ phase }) => {
      phases[phase] ??= performance.now();
    };
    const { result, time } = await timed(() =>
      fit(train, { H, encoding, engine: gpu, onProgress, ...(small && { epochs: 3 }) }),
    );
    model = result;
    const at = Object.entries(phases).map(([phase, when]) => `${phase} ${seconds(when - phases.start)}`);
    tell(`${encoding} ${H}, learning, ${round}`, `${time.toFixed(2)} s (${at.join(', ')})`);
  }
  const { loss, weightGap, slackGap, history } = model.training;
  const tested = await model.encode(test, { engine: gpu });
  tell(
    `${encoding} ${H}, found`,
    `${history.length} epochs, training loss ${loss.toFixed(4)}, test loss ${mean(tested.losses).toFixed(4)}, weightGap ` +
      `${weightGap?.toFixed(5)}, slackGap ${slackGap?.toFixed(5)}`,
  );
  const { time } = await timed(() => model.encode(train, { engine: gpu }));
  tell(`${encoding} ${H}, encoding`, `${Math.round(train.n / time)} rows/s`);
  return model;
}

/** What each operation takes, and the same gaps by both engines. */
async function operations(model, H) {
  const { n, V } = train;
  const ridge = 0.6 / n;
  const width = H + 1;
  const { codes } = await model.encode(train, { engine: gpu });
  const E = new Float32Array(n * width);
  for (let i = 0; i < n; i++) {
    E.set(codes.subarray(i * H, (i + 1) * H), i * width);
    E[i * width + H] = 1;
  }
  const placed = (engine) => {
    const [weights, all] = [engine.floats(V * width), engine.floats(n * width)];
    weights.write(model.W);
    all.write(E);
    const shape = { V, H, bias: true };
    return { block: engine.load(train), shape, W: weights, E: all, loss: crossEntropy };
  };
  const at = placed(gpu);
  const decrements = gpu.floats(Math.max(n, V));
  const step = async (side) => {
    const { time } = await timed(async () => {
      await gpu.newton(side, at, { ridge, decrements, move: side === 'weights' });
      await decrements.read(0, 1);
    });
    return time;
  };
  const times = (of) => of.map((time) => (1000 * time).toFixed(1)).join(' ');
  tell(`newton('codes'), H = ${H}, ms`, times([await step('codes'), await step('codes')]));
  const took = [];
  for (let i = 0; i < 10; i++) took.push(await step('weights'));
  tell(`newton('weights'), H = ${H}, ms`, times(took));
  const promised = (await decrements.read(0, V)).reduce((sum, each) => sum + each, 0);
  const there = placed(cpu);
  there.W.write(await at.W.read());
  for (const [what, prove] of [
    ['weightGap', (engine, point) => ridgedGap(engine, point, ridge)],
    ['objectives', async (engine, point) => objectives(engine, point, ridge)],
    ['slackGap', async (engine, point) => slackGapOf(engine, point, await objectives(engine, point, 0))],
  ]) {
    await prove(gpu, at);
    const [here, exact] = [await timed(() => prove(gpu, at)), await timed(() => prove(cpu, there))];
    tell(
      `${what}, H = ${H}: GPU, processor`,
      `${here.result.toFixed(6)} (${here.time.toFixed(3)} s), ${exact.result.toFixed(6)} (${exact.time.toFixed(3)} s)`,
    );
  }
  tell(`what the last step promised, H = ${H}`, promised.toExponential(2));
}

/** The sum over bits of loss and penalty. */
async function objectives(engine, at, ridge) {
  if (engine.bounds) return sum((await engine.bounds(at, ridge, false)).objectives);
  const W = await at.W.read();
  const square = W.reduce((total, w, i) => total + (i % (at.shape.H + 1) < at.shape.H ? w * w : 0), 0);
  return sum((await engine.slopes('weights', at)).losses) + 0.5 * ridge * square;
}

function tell(name, value) {
  console.log(`| ${name} | ${value} | at ${seconds(performance.now() - began)} |`);
}

function seconds(ms) {
  return (ms / 1000).toFixed(2);
}

async function timed(work) {
  const from = performance.now();
  const result = await work();
  return { result, time: (performance.now() - from) / 1000 };
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values) {
  return sum(values) / values.length;
}
