import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/engine/engine.ts';
import { certify } from '../../../src/engine/gpu/certify.ts';
import { GpuEngine } from '../../../src/engine/gpu/operations.ts';
import { Processor } from '../../../src/engine/gpu/polish.ts';
import type { Tools } from '../../../src/engine/gpu/tools.ts';
import { createEngine } from '../../../src/engine/node/index.ts';
import { crossEntropy } from '../../../src/math.ts';
import { rowBytes } from '../../../src/rows/rows.ts';
import { gaussians } from '../../../src/solvers/gaussians.ts';
import { centred, makeProblem, type Problem, place } from '../problems.ts';
import { missing, softwareTools } from './device.ts';

const title = missing
  ? `proofs of codes in float32 (skipped: ${missing})`
  : 'proofs of codes in float32, on SwiftShader';

const RADIUS = 1;
const TOLERANCE = 0.01;
const plain = makeProblem({
  ...{ V: 61, H: 14, n: 150, bias: true, kind: 'bits' },
  weighted: false,
  scale: 1,
  seed: 5,
});
/** Pairs of units that are nearly the same: scores are differences of numbers that are far larger. */
const alike = (times: number): Problem => ({
  ...plain,
  W: plain.W.map((w, i) => {
    const h = i % plain.width;
    if (h === plain.H) return w;
    return h < 7 ? times * w : times * plain.W[i - 7] + 3 * w;
  }),
});

/** Weights so sharp that codes describe their rows, by scores in the ten thousands. */
const sharp = (times: number): Problem => {
  const { V, n, width, E } = plain;
  const W = plain.W.map((w) => times * w);
  const bits = new Uint8Array(n * rowBytes(V));
  for (let i = 0; i < n; i++) {
    for (let v = 0; v < V; v++) {
      let score = 0;
      for (let h = 0; h < width; h++) score += W[v * width + h] * (h < plain.H ? 0.3 : 1) * E[i * width + h];
      if (score > 0) bits[i * rowBytes(V) + (v >> 3)] |= 1 << (v & 7);
    }
  }
  return { ...plain, W, rows: { kind: 'bits', n, V, bits } };
};

describe.skipIf(missing && !process.env.CI)(title, { timeout: 120_000 }, () => {
  let tools: Tools;
  let gpu: Engine;
  let cpu: Engine;
  beforeAll(async () => {
    tools = await softwareTools();
    cpu = await createEngine({ threads: 1 });
    gpu = new GpuEngine(tools, new Processor(async () => cpu));
  });
  afterAll(() => gpu?.close());

  /** The best codes in the box, and their losses. */
  async function solved(problem: Problem) {
    const { point, E } = place(cpu, centred(problem));
    const at = { ...point, loss: crossEntropy };
    const { losses } = await cpu.polish(at, { tolerance: 1e-9, steps: 100, radius: RADIUS });
    return { codes: await E.read(), losses };
  }

  /** True gaps of codes, and what the device proves of them. */
  async function proven(problem: Problem, codes: Float32Array, best: Float64Array) {
    const there = { ...problem, E: codes };
    const here = await cpu.slopes('codes', { ...place(cpu, there).point, loss: crossEntropy });
    const at = { ...place(gpu, there).point, loss: crossEntropy, range: { start: 0, end: problem.n } };
    const { gaps } = await certify(tools, at, { radius: RADIUS, tolerance: TOLERANCE });
    return { gaps, truth: here.losses.map((loss, i) => loss - best[i]) };
  }

  it.each([
    ['units that differ', plain],
    ['units of which two are alike', alike(100)],
    ['sharp weights', sharp(1e4)],
  ] as const)('never fall below the true gap, wherever codes are: %s', async (_name, problem) => {
    const { codes, losses } = await solved(problem);
    const { n, width, H } = problem;
    const noise = gaussians(n * width, 3);
    const where = gaussians(n * width, 4);
    for (const [far, onBounds] of [
      [0, 9],
      [1e-4, 9],
      [1e-2, 9],
      [1e-3, 1.5],
      [0.3, 0.5],
    ]) {
      const moved = codes.map((e, k) => {
        if (k % width === H) return e;
        const z = e + far * noise[k];
        return Math.abs(z) > RADIUS || Math.abs(where[k]) > onBounds ? Math.sign(z) * RADIUS : z;
      });
      const { gaps, truth } = await proven(problem, moved, losses);
      gaps.forEach((gap, i) => {
        expect(gap, `row ${i}, ${far} away`).toBeGreaterThanOrEqual(truth[i]);
      });
    }
  });

  // Of a loss of 39.5 nats, or of next to nothing: rounding is all that is left of a gap at the optimum.
  it.each([
    ['units of which two are alike', alike(170), 2e-4],
    ['sharp weights', sharp(1e5), 1e-8],
  ] as const)('are small where codes are at their optimum: %s', async (_name, problem, most) => {
    const { codes, losses } = await solved(problem);
    const { gaps } = await proven(problem, codes, losses);
    expect(mean(gaps)).toBeLessThan(most);
  });
});

function mean(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
