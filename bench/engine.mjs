/**
 * How fast is one gradient step? Our engine against plain JavaScript, onnxruntime-web, NumPy and PyTorch, in
 * one interleaved run: every contestant gets a short turn in every round, and its best turn counts.
 *
 *   npm run build && node bench/engine.mjs [--rounds 5] [--turn 0.25] [--only H,n] [--clock wall]
 *
 * `--clock cpu` counts seconds of CPU time and leaves out contestants of two threads: for a machine that is
 * busy. An encode step is E <- clip(E - rate W^T (tanh(W E / 2) - X)), a decode step the same for W. Ours are
 * Adagrad steps, which do a square root and a division more, ten to a call; rows are packed bits except where
 * said.
 */
import { parseArgs } from 'node:util';
import { crossEntropy } from 'pc-ae';
import { createEngine, enableRelaxedSimd } from 'pc-ae/node';
import { stepsPerSecond } from './engine-clock.mjs';
import { onnxContestants } from './engine-onnx.mjs';
import { plainContestant } from './engine-plain.mjs';
import { pythonContestants } from './engine-python.mjs';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    turn: { type: 'string', default: '0.25' },
    only: { type: 'string' },
    clock: { type: 'string', default: 'wall' },
  },
});
const V = 784;
const shapes = [
  [32, 250],
  [32, 1000],
  [100, 250],
  [100, 1000],
].filter((shape) => !options.only || shape.join() === options.only);
const sides = ['encode', 'decode'];
const STEPS = 10;
const threadCounts = options.clock === 'cpu' ? [1] : [1, 2];

enableRelaxedSimd();
const contestants = [];
for (const threads of threadCounts) {
  contestants.push(await ours('wasm SIMD', { relaxed: false, threads }));
  contestants.push(await ours('wasm relaxed', { relaxed: true, threads }));
}
contestants.push(await ours('wasm relaxed, float32 rows', { relaxed: true, threads: 1, real: true }));
contestants.push(plainContestant());
contestants.push(...(await onnxContestants(STEPS, threadCounts)));
contestants.push(...pythonContestants(threadCounts));

const best = new Map();
for (let round = 0; round < Number(options.rounds); round++) {
  for (const [H, n] of shapes) {
    for (const side of sides) {
      for (const contestant of contestants) {
        const key = `${contestant.name}|${H}|${n}|${side}`;
        const { clock, turn } = options;
        const rate = await contestant.measure({ V, H, n, side, clock, seconds: Number(turn) });
        best.set(key, Math.max(best.get(key) ?? 0, rate));
      }
    }
  }
}
print();
for (const contestant of contestants) await contestant.close?.();

/** Steps per second of our engine. Problems are kept, so that turns measure steps and nothing else. */
async function ours(label, { relaxed, threads, real = false }) {
  const engine = await createEngine({ relaxed, threads });
  const problems = new Map();
  const problemOf = ({ H, n }) => {
    const key = `${H},${n}`;
    if (!problems.has(key)) problems.set(key, makeProblem(engine, H, n, real));
    return problems.get(key);
  };
  return {
    name: `${label}, ${threads} thread${threads > 1 ? 's' : ''}`,
    async measure(task) {
      const { point, accumulators } = problemOf(task);
      const side = task.side === 'encode' ? 'codes' : 'weights';
      const step = { steps: STEPS, rate: 0.01, accumulators: accumulators[side], radius: 1 };
      return stepsPerSecond(task, STEPS, () => engine.adagrad(side, point, step));
    },
    close: () => engine.close(),
  };
}

function makeProblem(engine, H, n, real) {
  const random = (length) => Float32Array.from({ length }, () => Math.random() - 0.5);
  const bits = Uint8Array.from({ length: n * (V / 8) }, () => Math.random() * 256);
  const values = Float32Array.from({ length: n * V }, (_, i) => ((bits[i >> 3] >> (i & 7)) & 1 ? 1 : -1));
  const block = engine.load(real ? { kind: 'real', n, V, values } : { kind: 'bits', n, V, bits });
  const [W, E] = [engine.floats(V * H), engine.floats(n * H)];
  W.write(random(V * H));
  E.write(random(n * H));
  const accumulators = { codes: engine.floats(n * H), weights: engine.floats(V * H) };
  accumulators.codes.fill(0.1);
  accumulators.weights.fill(0.1);
  return { point: { block, shape: { V, H, bias: false }, W, E, loss: crossEntropy }, accumulators };
}

function print() {
  for (const side of sides) {
    console.log(`\n| ${side} steps/s (GFLOP/s) | ${shapes.map(([H, n]) => `H=${H} n=${n}`).join(' | ')} |`);
    console.log(`|---${'|---'.repeat(shapes.length)}|`);
    for (const { name } of contestants) {
      const cells = shapes.map(([H, n]) => {
        const rate = best.get(`${name}|${H}|${n}|${side}`);
        return `${rate.toFixed(rate < 100 ? 1 : 0)} (${((rate * 4 * V * H * n) / 1e9).toFixed(1)})`;
      });
      console.log(`| ${name} | ${cells.join(' | ')} |`);
    }
  }
  const ratios = [
    ...threadCounts.flatMap((count) => {
      const threads = count > 1 ? `${count} threads` : '1 thread';
      return ['NumPy', 'PyTorch', 'onnxruntime-web', 'onnxruntime-node'].map((peer) => [
        `wasm relaxed, ${threads}`,
        `${peer}, ${threads}`,
      ]);
    }),
    ['wasm relaxed, 2 threads', 'wasm relaxed, 1 thread'],
    ['wasm relaxed, 1 thread', 'wasm SIMD, 1 thread'],
    ['wasm SIMD, 1 thread', 'plain JavaScript'],
    ['wasm relaxed, 1 thread', 'wasm relaxed, float32 rows, 1 thread'],
  ].filter((pair) => pair.every((name) => contestants.some((contestant) => contestant.name === name)));
  console.log(`\n| ratio (encode / decode) | ${shapes.map(([H, n]) => `H=${H} n=${n}`).join(' | ')} |`);
  console.log(`|---${'|---'.repeat(shapes.length)}|`);
  for (const [a, b] of ratios) {
    const cells = shapes.map(([H, n]) =>
      sides
        .map((side) => (best.get(`${a}|${H}|${n}|${side}`) / best.get(`${b}|${H}|${n}|${side}`)).toFixed(2))
        .join(' / '),
    );
    console.log(`| ${a} : ${b} | ${cells.join(' | ')} |`);
  }
}
