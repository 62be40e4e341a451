// All figures of the GPU engine in one run of at most nine minutes:
//
//   npm run bench:gpu -- DIR [CASE ...] [--wide=TABLE.mtx] [--json=FILE] [--seconds=540]
//
// Cases: process, learning, encoding, visits, torch, passes, bits, rows, million, wide. The tables are in
// docs/gpu.md. A case that fails, or that no time is left for, says so, and the others go on; what was
// measured is printed at once and kept in FILE (default: out/gpu.json).
//
// Learning runs twice: the first time compiles the programs. `process` shows what that costs in processes of
// their own. `torch` needs Python and PyTorch with CUDA; `wide` a table from `node bench/wide-data.mjs 20000
// 50000 0.0016 TABLE.mtx`. SMALL=1 makes every case tiny: it only shows that the script works.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { crossEntropy, fit } from 'pc-ae';
import { createGpuEngine } from 'pc-ae/engine';
import { createEngine, openSource } from 'pc-ae/node';
import { collect, rowBytes, sliceRows } from 'pc-ae/rows';
import { dataFolder, loadData } from './data.mjs';
import { stopwatch, watched } from './gpu-watch.mjs';

const given = process.argv.slice(3);
const option = (name, otherwise) =>
  given.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) ?? otherwise;
const asked = given.filter((word) => !word.startsWith('--'));
const small = process.env.SMALL === '1';
const json = option('json', 'out/gpu.json');
const until = performance.now() + 1000 * Number(option('seconds', 540));

const data = await loadData(dataFolder(), 'mnist');
const train = small ? sliceRows(data.train, 0, 200) : data.train;
const test = small ? sliceRows(data.test, 0, 50) : data.test;
const plan = small ? { epochs: 6 } : {};
// Dawn ends the process once what `create` returned is garbage-collected.
const dawn = (await import('webgpu')).create([]);
/** What the processor is asked to do in float64. */
const finishing = { seconds: 0, rows: 0 };
let engine = await openEngine();

const results = [];
console.log(`${engine.name}; Node ${process.version}; MNIST, ${train.n} rows\n`);
console.log('| case | measured | asked |\n|---|---|---|');

const cases = {
  // A driver may have kept some programs when the second process asks for them.
  process: [
    () => newProcess('H = 32', 32),
    () => newProcess('H = 32, once more', 32),
    () => newProcess('H = 100', 100),
  ],
  learning: [() => learning(32, 'box', '4 s, loss 36.2'), () => learning(100, 'box', '8 s, loss 0.03')],
  encoding: [
    async () => encodes('H = 32', await learned(32, 'box'), '200,000'),
    async () => encodes('H = 100', await learned(100, 'box'), '60,000'),
    // Where codes are not kept there are no rounds, and such weights leave other codes to the processor.
    async () =>
      encodes('H = 32, weights without rounds', await learn({ H: 32, codes: 'recompute' }), '200,000'),
  ],
  visits: [() => visits(32), () => visits(100)],
  torch: [inTorch],
  passes: [() => fusedPass(32, 15), () => fusedPass(100, 22)],
  bits: [
    () => learning(32, 'bits', '10 s, test loss 91.6'),
    () => learning(100, 'bits', '20 s, test loss 43.2'),
  ],
  rows: [manyRows],
  million: [aMillion],
  wide: [wideTable],
};
const models = new Map();
let current = '';
for (const name of asked.length > 0 ? asked : Object.keys(cases)) {
  current = name;
  const unknown = async () => {
    throw new Error(`no such case; there are ${Object.keys(cases).join(', ')}`);
  };
  for (const work of Object.hasOwn(cases, name) ? cases[name] : [unknown]) {
    try {
      inTime();
      if (!engine.usable) engine = await openEngine();
      await work();
    } catch (error) {
      line(name, `failed: ${error.message ?? error}`, '', { failed: String(error.stack ?? error) });
    }
  }
}
await engine.close().catch(() => {});
console.log(`\nAll of it took ${seconds(performance.now())} s and is in ${json}.`);
// A device that has failed may keep the process alive.
process.exit(0);

async function openEngine() {
  const processor = async () => watched(await createEngine(), { polish: finishing });
  return createGpuEngine({ gpu: dawn, processor });
}

/** Prints a line of the table, and keeps it. */
function line(name, measured, asked, values = {}) {
  console.log(`| ${name} | ${measured} | ${asked} |`);
  results.push({ case: current, name, measured, asked, at: performance.now() / 1000, ...values });
  mkdirSync(dirname(json), { recursive: true });
  writeFileSync(json, JSON.stringify({ engine: engine.name, node: process.version, results }, null, 1));
}

/** Ends work when the time of the whole run is over. */
function inTime() {
  const left = until - performance.now();
  if (left < 1000) throw new Error('no time is left');
  return AbortSignal.timeout(Math.floor(left));
}

/** Learning in a process of its own, all programs compiled. */
async function newProcess(name, H) {
  const script = new URL('gpu-process.mjs', import.meta.url).pathname;
  const lines = await output(process.execPath, [script, dataFolder(), String(H)]);
  const found = JSON.parse(lines.at(-1));
  const { read, ready, learned, loss } = found;
  const parts = [learned - ready, read, ready - read].map((part) => part.toFixed(2));
  line(
    `a new process, ${name}`,
    `${parts[0]} s (before that ${parts[1]} s to read files, ${parts[2]} s to open the device); loss ${loss.toFixed(3)}`,
    '',
    found,
  );
}

async function learn(options, on = engine) {
  return fit(train, { engine: on, signal: inTime(), ...plan, ...options });
}

/** A model that `learning` has learned, or one that is learned now. */
async function learned(H, encoding) {
  const key = `${encoding} ${H}`;
  if (!models.has(key)) models.set(key, await learn({ H, encoding }));
  return models.get(key);
}

/** Learning with certified codes (bits: with their gaps) and proven weights. */
async function learning(H, encoding, asked) {
  const name = `${encoding === 'bits' ? 'true bits' : 'box'}, H = ${H}`;
  const times = [];
  const proofs = stopwatch();
  for (let round = 0; round < 2; round++) {
    proofs.seconds = 0;
    const on = watched(engine, { bounds: proofs, slopes: proofs });
    const { result, time } = await timed(() => learn({ H, encoding }, on));
    models.set(`${encoding} ${H}`, result);
    times.push(time);
    if (round === 0) line(`${name}, learning, first`, `${time.toFixed(2)} s`, '', { seconds: time });
  }
  const model = models.get(`${encoding} ${H}`);
  const { loss, weightGap, slackGap } = model.training;
  const tested = mean((await model.encode(test, { engine, signal: inTime() })).losses);
  line(
    `${name}, learning`,
    `${times[1].toFixed(2)} s (proofs of weights ${proofs.seconds.toFixed(2)} s); training loss ${loss.toFixed(4)}, ` +
      `test loss ${tested.toFixed(4)}; weightGap ${weightGap?.toFixed(5)}, slackGap ${slackGap?.toFixed(5)}`,
    asked,
    { seconds: times, proofs: proofs.seconds, loss, tested, weightGap, slackGap },
  );
  if (encoding === 'bits') await encodes(name, model);
}

/** Certified encoding, and what the processor finished of it. */
async function encodes(name, model, asked = '') {
  const tested = mean((await model.encode(test, { engine, signal: inTime() })).losses);
  const rates = [];
  let found;
  for (let round = 0; round < 3; round++) {
    Object.assign(finishing, { seconds: 0, rows: 0 });
    const { result, time } = await timed(() => model.encode(train, { engine, signal: inTime() }));
    found = { gap: mean(result.gaps), open: finishing.rows / train.n, processor: finishing.seconds };
    rates.push(train.n / time);
  }
  line(
    `encoding, ${name}`,
    `${Math.round(Math.max(...rates))} rows/s (${rates.map(Math.round).join(', ')}); test loss ${tested.toFixed(4)}, ` +
      `mean gap ${found.gap.toFixed(5)}; ${(100 * found.open).toFixed(2)}% to the processor, ${found.processor.toFixed(3)} s`,
    asked,
    { rates, tested, ...found },
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
  line(`fused pass, ${rows.n} rows, H = ${H}`, `${speed.toFixed(1)} TFLOP/s`, `${asked} TFLOP/s`, { speed });
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
  const [best] = times.toSorted((a, b) => a - b);
  line(`a visit, ${rows} rows, H = ${H}`, `${best.toFixed(3)} ms`, 'half of compiled PyTorch', { times });
  for (const used of [block, ...Object.values(at), losses, first, second, means]) used.free();
}

/** The same visits in PyTorch, eager and compiled, where it is installed. */
async function inTorch() {
  const check = 'import torch, numpy; assert torch.cuda.is_available()';
  await output('python3', ['-c', check]).catch(() => {
    throw new Error('PyTorch with CUDA was not found');
  });
  const folder = mkdtempSync(join(tmpdir(), 'pcae-bench-'));
  try {
    const rows = join(folder, 'rows.bin');
    writeFileSync(rows, train.bits);
    await output('python3', [new URL('gpu-torch.py', import.meta.url).pathname, rows], (text) => {
      const [, mode, H, ms] = text.match(/^torch (\w+) H=(\d+): ([\d.]+) ms/) ?? [];
      line(mode ? `PyTorch ${mode}, H = ${H}` : 'PyTorch', text, '', { ms: ms && Number(ms) });
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
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
  const options = { H: 32, epochs: 1, codes: 'recompute', certify: false, engine, signal: inTime() };
  await fit(source, { ...options, onProgress });
  const epoch = (finishing - learning) / 1000;
  const all = (performance.now() - from) / 1000;
  line(
    `${n} rows x ${train.V} bits, H = 32, one epoch`,
    `${epoch.toFixed(2)} s (all codes found anew and the end of the model: ${all.toFixed(2)} s)`,
    '8 s',
    { epoch, all },
  );
}

/** A million rows, whose codes are kept, refined by rounds and certified. */
async function aMillion() {
  const rows = repeated(small ? 1200 : 1e6);
  await phases(`${rows.n} rows x ${rows.V} bits, H = 32, with rounds`, rows, { H: 32, ...plan });
}

/** A table with many columns, most of them 0. */
async function wideTable() {
  const file = option('wide');
  if (!file) throw new Error('needs --wide=TABLE.mtx');
  const rows = await collect(await openSource(file));
  await phases(`${rows.n} rows x ${rows.V} columns, H = 16, certified`, rows, { H: 16 });
}

/** Learning, and the seconds at which its phases begin. */
async function phases(name, rows, options) {
  const from = performance.now();
  const began = {};
  const onProgress = ({ phase }) => {
    began[phase] ??= (performance.now() - from) / 1000;
  };
  const { result, time } = await timed(() => fit(rows, { ...options, engine, onProgress, signal: inTime() }));
  const { loss, meanGap, weightGap } = result.training;
  const parts = Object.entries(began).map(([phase, when]) => `${phase} ${when.toFixed(2)}`);
  line(
    name,
    `${time.toFixed(2)} s (${parts.join(', ')}); loss ${loss.toFixed(4)}, mean gap ${meanGap?.toFixed(5)}, weightGap ` +
      `${weightGap?.toFixed(5)}`,
    '',
    { seconds: time, began, loss, meanGap, weightGap },
  );
}

/** Runs a program until the time is over; gives its lines, and tells each as it comes. */
async function output(command, words, tell = () => {}) {
  const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'inherit'], signal: inTime() });
  const ended = new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) =>
      code === 0 ? resolve() : reject(new Error(`${command} ended with ${code ?? signal}`)),
    );
  });
  ended.catch(() => {});
  const lines = [];
  for await (const text of createInterface({ input: child.stdout })) {
    lines.push(text);
    tell(text);
  }
  await ended;
  return lines;
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

async function timed(work) {
  const from = performance.now();
  const result = await work();
  return { result, time: (performance.now() - from) / 1000 };
}

function seconds(ms) {
  return (ms / 1000).toFixed(1);
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
