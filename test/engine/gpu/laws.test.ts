import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/engine/engine.ts';
import { GpuEngine } from '../../../src/engine/gpu/operations.ts';
import { Processor } from '../../../src/engine/gpu/polish.ts';
import type { Device } from '../../../src/engine/gpu/webgpu.ts';
import { createEngine } from '../../../src/engine/node/index.ts';
import { referenceEngine } from '../../../src/engine/reference/engine.ts';
import { crossEntropy, hamming, squared } from '../../../src/math.ts';
import { fit } from '../../../src/model/fit.ts';
import { Encoder } from '../../../src/solvers/encode.ts';
import type { Checkpoint } from '../../../src/training/checkpoint/checkpoint.ts';
import type { Progress } from '../../../src/training/loop/progress.ts';
import { difference, largest, makeProblem, type Problem, place, preconditioner } from '../problems.ts';
import { missing, softwareDevice, softwareGpu, softwareTools } from './device.ts';

/**
 * Programs take seconds to compile on a processor: problems share a few shapes, so that they share programs.
 * Sizes are odd, so that everything has an edge to fall over.
 */
const plain = makeProblem({
  ...{ V: 61, H: 14, n: 43, bias: true, kind: 'bits' },
  weighted: false,
  scale: 0.3,
  seed: 5,
});
const masked = makeProblem({
  ...{ V: 37, H: 5, n: 70, bias: true, kind: 'known' },
  weighted: true,
  scale: 1,
  seed: 7,
});
const real = makeProblem({
  ...{ V: 30, H: 9, n: 33, bias: false, kind: 'missing' },
  weighted: true,
  scale: 1,
  seed: 9,
});
/** Enough rows for tiles, the last of them not full. */
const many = makeProblem({
  ...{ V: 2201, H: 14, n: 2059, bias: true, kind: 'known' },
  weighted: true,
  scale: 0.3,
  seed: 11,
});
/**
 * Of an item's sums, relative to their size: some hundred roundings of 2^-24, few of them in the same
 * direction.
 */
const ROUNDING = 1e-5;

const title = missing
  ? `the GPU engine on SwiftShader (skipped: ${missing})`
  : 'the GPU engine on SwiftShader';

describe.skipIf(missing && !process.env.CI)(title, { timeout: 120_000 }, () => {
  let gpu: Engine;
  let device: Device;
  let programs: readonly string[];
  let limits: Awaited<ReturnType<typeof softwareDevice>>['limits'];
  const reference = referenceEngine();
  beforeAll(async () => {
    expect(missing, 'CI needs SwiftShader and a Vulkan loader').toBeUndefined();
    ({ engine: gpu, device, programs, limits } = await softwareDevice());
  });
  afterAll(() => gpu?.close());

  /** What an operation gives on the reference and on the device. */
  async function both<T>(work: (engine: Engine) => Promise<T>): Promise<[T, T]> {
    return [await work(reference), await work(gpu)];
  }

  function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>, what: string): void {
    expect(difference(actual, expected, 10 * largest(expected)), what).toBeLessThan(ROUNDING);
  }

  it.each([
    ['bits', plain, crossEntropy],
    ['real entries, weighted, some missing, another loss', real, hamming],
    ['many rows, weighted, some entries missing', many, crossEntropy],
  ] as const)('measures and differentiates %s', async (_name, problem: Problem, loss) => {
    const [expected, actual] = await both(async (engine) => {
      const { point } = place(engine, problem);
      const { n, V, width } = problem;
      const [losses, gaps, codes, weights] = [n, n, n * width, V * width].map((size) => engine.floats(size));
      await engine.measure({ ...point, loss }, { losses, gaps, radius: 0.5 });
      const found = { losses: await losses.read(), gaps: await gaps.read() };
      await engine.gradients({ ...point, loss }, { codes, weights, losses });
      return { ...found, codes: await codes.read(), weights: await weights.read() };
    });
    for (const key of ['losses', 'gaps', 'codes', 'weights'] as const)
      expectClose(actual[key], expected[key], key);
  });

  it.each([
    ['codes of bits', 'codes', plain, undefined],
    ['weights, some entries missing', 'weights', masked, undefined],
    ['codes in a box, entries weighted', 'codes', masked, 0.5],
  ] as const)('solves %s: the reference has nothing to add', async (_name, side, problem, radius) => {
    const { n, V, H, width } = problem;
    const free = side === 'codes' ? H : width;
    const solved = async (engine: Engine, from: Problem, steps: number) => {
      const { point, floats, E, W } = place(engine, from);
      const losses = engine.floats(side === 'codes' ? n : V);
      await engine.solve(
        side,
        { ...point, loss: crossEntropy },
        {
          ...{ steps, tolerance: 1e-7, ridge: 0.02, radius, losses },
          inverseHessian: floats(preconditioner(from, side)),
        },
      );
      return { after: { ...from, E: await E.read(), W: await W.read() }, losses: await losses.read() };
    };
    const objective = (losses: Float32Array, { E, W }: Problem) =>
      losses.map((loss, i) => {
        const z = side === 'codes' ? E : W;
        let square = 0;
        for (let h = 0; h < H; h++) square += z[i * width + h] ** 2;
        return loss + 0.01 * square;
      });
    const reached = await solved(gpu, problem, 200);
    const exact = await solved(reference, reached.after, 0);
    expectClose(reached.losses, exact.losses, 'losses reported');
    const more = await solved(reference, reached.after, 30);
    const [now, best] = [objective(exact.losses, reached.after), objective(more.losses, more.after)];
    const left = now.map((value, i) => (value - best[i]) / (1 + value));
    expect(Math.max(...left)).toBeLessThan(1e-3);
    const moving = [...reached.after.E].filter((_, at) => at % width < free);
    if (radius) expect(largest(moving)).toBeLessThanOrEqual(radius);
    if (side === 'codes')
      for (let i = H; i < n * width; i += width) expect(reached.after.E[i]).toBe(problem.E[i]);
  });

  it('begins at codes that are linear in rows', async () => {
    const { n, V } = real;
    const [expected, actual] = await both(async (engine) => {
      const { point, floats, E } = place(engine, real);
      const inverseHessian = floats(preconditioner(real, 'codes'));
      const linear = floats(Float32Array.from({ length: V }, (_, v) => 0.1 * (1 + Math.cos(v))));
      const at = { ...point, loss: crossEntropy, range: { start: 3, end: n } };
      const options = { steps: 0, tolerance: 0, ridge: 0, radius: 0.5, inverseHessian, linear };
      await engine.solve('codes', at, options);
      return E.read();
    });
    // Some numbers are on the bounds of the box, others within.
    expect(expected.some((e) => Math.abs(e) === 0.5)).toBe(true);
    expect(expected.some((e) => Math.abs(e) < 0.5)).toBe(true);
    expectClose(actual, expected, 'codes');
  });

  it.each([1, 2, 15, 17, 32, 45])('inverts the mean Hessian of %i units', async (H) => {
    const V = 2 * H + 3;
    const [expected, actual] = await both(async (engine) => {
      const [W, inverse, bends] = [engine.floats(V * H), engine.floats(H * H), engine.running(V)];
      W.write(Float32Array.from({ length: V * H }, (_, i) => Math.sin(i * i + i)));
      bends.write(Float64Array.from({ length: V }, (_, v) => 0.1 + 0.1 * Math.cos(v)));
      await engine.precondition(W, { V, H, bias: false }, bends, 0.01, inverse);
      return inverse.read();
    });
    expectClose(actual, expected, 'the inverse');
  });

  it('sums residuals, multiplies, steps and inverts', async () => {
    const [expected, actual] = await both(async (engine) => {
      const { point, floats, E, W } = place(engine, masked);
      const { V, H, n, width } = masked;
      const bends = engine.running(V);
      bends.write(new Float64Array(V).fill(0.1));
      const sums = {
        ...{ gradient: engine.floats(V * width), curvature: engine.floats(V) },
        running: { means: bends, share: 0.1 },
      };
      const at = { ...point, loss: crossEntropy, range: { start: 3, end: n - 5 } };
      const inverseHessian = engine.floats(H * H);
      const none = { steps: 0, tolerance: 0, ridge: 0, inverseHessian };
      await engine.solve('codes', { ...at, range: undefined }, { ...none, sums });
      const Q = floats(Float32Array.from({ length: V * 3 }, (_, i) => Math.sin(i)));
      const [Y, A] = [engine.floats(n * 3), engine.floats(V * 3)];
      await engine.project(point.block, Q, 3, Y);
      await engine.correlate(point.block, Y, 3, A);
      await engine.precondition(W, point.shape, bends, 0.01, inverseHessian);
      const scores = await engine.decode(
        { ...point, loss: crossEntropy, range: { start: 3, end: 20 } },
        'scores',
      );
      const moments = { first: engine.floats(V * width), second: engine.floats(V * width) };
      const out = {
        ...{ gradient: await sums.gradient.read(), curvature: await sums.curvature.read(), scores },
        ...{ gram: await engine.gram(E, n, width, point.rowWeights), Y: await Y.read(), A: await A.read() },
        ...{ bends: await bends.read(), inverse: await inverseHessian.read() },
      };
      engine.adam(W, sums.gradient, moments, {
        ...{
          rate: 0.1,
          beta1: 0.9,
          beta2: 0.99,
          epsilon: 1e-8,
          step: 1,
          scale: 0.01,
          width,
          free: H,
          ridge: 0.1,
        },
      });
      // What was packed for W before its step must not be used after it.
      const later = await engine.decode(
        { ...point, loss: crossEntropy, range: { start: 3, end: 20 } },
        'scores',
      );
      return { ...out, W: await W.read(), later };
    });
    for (const [key, values] of Object.entries(expected)) expectClose(actual[key as 'W'], values, key);
  });

  it('adds up pieces of a range that are cut into different slices', async () => {
    const problem = makeProblem({
      ...{ V: 5, H: 2, n: 4104, bias: true, kind: 'bits', weighted: false, scale: 1, seed: 3 },
    });
    const room = limits.maxStorageBufferBindingSize;
    // Scores of a panel take 512 bytes: there is a piece of 257 panels, and one of 256.
    limits.maxStorageBufferBindingSize = 300 * 512;
    try {
      const [expected, actual] = await both(async (engine) => {
        const { point } = place(engine, problem);
        const sums = { gradient: engine.floats(5 * 3), curvature: engine.floats(5) };
        const none = { steps: 0, tolerance: 0, ridge: 0, inverseHessian: engine.floats(4) };
        await engine.solve('codes', { ...point, loss: crossEntropy }, { ...none, sums });
        return { gradient: await sums.gradient.read(), curvature: await sums.curvature.read() };
      });
      expectClose(actual.gradient, expected.gradient, 'gradient');
      expectClose(actual.curvature, expected.curvature, 'curvature');
    } finally {
      limits.maxStorageBufferBindingSize = room;
    }
  });

  const decided: Problem = {
    ...plain,
    E: plain.E.map((e, i) => (i % plain.width === plain.H || e >= 0 ? 1 : -1)),
  };

  /** Losses of codes, in float64. */
  async function lossesAt(E: Float32Array): Promise<Float32Array> {
    const { point } = place(reference, { ...plain, E });
    const losses = reference.floats(plain.n);
    await reference.measure({ ...point, loss: crossEntropy }, { losses });
    return losses.read();
  }

  it('moves parameters of bits, and sums up what is expected of them', async () => {
    const [expected, actual] = await both(async (engine) => {
      const { point, E } = place(engine, plain);
      const [gradient, losses] = [engine.floats(plain.W.length), engine.floats(plain.n)];
      const bends = engine.running(plain.V);
      bends.write(new Float64Array(plain.V).fill(0.1));
      const at = { ...point, loss: crossEntropy, range: { start: 5, end: 40 } };
      const how = { steps: 3, temperature: 2, damping: 0.2, follow: 0.5 };
      await engine.relax(at, { ...how, bends, gradient, losses });
      return [await E.read(), await gradient.read(), await bends.read(), await losses.read()];
    });
    actual.forEach((values, k) => {
      expectClose(values, expected[k], ['a', 'gradient', 'bends', 'losses'][k]);
    });
  });

  it('flips bits until neither one nor two of them help', async () => {
    const { V, H, n, width } = plain;
    const run = async (engine: Engine, from: Problem, sweeps: number) => {
      const { point, E } = place(engine, from);
      const sums = { gradient: engine.floats(V * width), curvature: engine.floats(V) };
      const losses = engine.floats(n);
      await engine.flip({ ...point, loss: crossEntropy }, { sweeps, pairs: true, losses, sums });
      const out = { losses: await losses.read(), gradient: await sums.gradient.read() };
      return { E: await E.read(), told: { ...out, curvature: await sums.curvature.read() } };
    };
    const found = await run(gpu, decided, 100);
    const exact = await run(reference, { ...decided, E: found.E }, 0);
    for (const [key, values] of Object.entries(exact.told))
      expectClose(found.told[key as 'losses'], values, key);
    for (const e of found.E) expect(Math.abs(e)).toBe(1);
    for (let h = 0; h < H; h++) {
      for (let k = 0; k <= h; k++) {
        const other = found.E.slice();
        for (let i = 0; i < n; i++) for (const j of new Set([h, k])) other[i * width + j] *= -1;
        (await lossesAt(other)).forEach((value, i) => {
          // Gains of less than 2e-6 of the loss are left alone, since float32 cannot tell them from none.
          expect(value).toBeGreaterThan(exact.told.losses[i] * (1 - ROUNDING));
        });
      }
    }
  });

  it('anneals to codes as good as those of the reference, each row by itself', async () => {
    const { H, n, W, V, width } = plain;
    const curvatures = new Float32Array(H);
    for (let v = 0; v < V; v++) for (let h = 0; h < H; h++) curvatures[h] += 0.1 * W[v * width + h] ** 2;
    const anneal = async (engine: Engine, keep: boolean, ...ranges: { start: number; end: number }[]) => {
      const { point, E, floats } = place(engine, decided);
      const losses = engine.floats(n);
      const starts = floats(Float32Array.from({ length: 2 * H }, (_, i) => Math.sin(i * i)));
      const probing = { expansions: 2, stretches: 3, steps: 12 };
      for (const range of ranges)
        await engine.anneal(
          { ...point, loss: crossEntropy, range },
          {
            ...{ iterations: 12, hot: 4, cold: 0.5, damping: 0.3, sweeps: 2, probing, keep, losses, starts },
            curvatures: floats(curvatures),
          },
        );
      return { E: await E.read(), losses: await losses.read() };
    };
    const total = (values: Float32Array) => values.reduce((sum, value) => sum + value, 0);
    const all = { start: 0, end: n };
    const found = await anneal(gpu, false, all);
    for (const e of found.E) expect(Math.abs(e)).toBe(1);
    expectClose(found.losses, await lossesAt(found.E), 'losses reported');
    // Flips are made in another order, so single codes may differ: not the quality.
    const expected = total((await anneal(reference, false, all)).losses);
    expect(Math.abs(total(found.losses) / expected - 1)).toBeLessThan(1e-3);
    expect(await anneal(gpu, false, { start: 0, end: 13 }, { start: 13, end: n })).toEqual(found);
    const before = await lossesAt(decided.E);
    const kept = await anneal(gpu, true, all);
    kept.losses.forEach((loss, i) => {
      expect(loss).toBeLessThanOrEqual(before[i] * (1 + ROUNDING));
    });
  });

  const bits = {
    kind: 'bits',
    n: plain.n,
    V: plain.V,
    bits: plain.rows.kind === 'bits' ? plain.rows.bits : new Uint8Array(),
  } as const;
  const learning = { H: 14, epochs: 6, seed: 3, certify: false } as const;

  it('rehearses proofs without the processor that would finish them', async () => {
    const engine = new GpuEngine(await softwareTools(), new Processor(() => expect.fail('asked')));
    const stage = engine.rehearsal();
    const { point } = place(stage, plain);
    const at = { ...point, loss: hamming };
    const { n, V, width } = plain;
    expect(await stage.polish(at, { tolerance: 0.01, steps: 3, radius: 1 })).toEqual({
      losses: new Float64Array(n),
      gaps: new Float64Array(n),
    });
    expect(await stage.slopes('weights', at, { ridge: 0 })).toEqual({
      losses: new Float64Array(V),
      conjugates: new Float64Array(V),
      gradients: new Float64Array(V * width),
    });
    await engine.close();
  });

  it('learns what the processor learns, the same bits each time, and goes on from a checkpoint of the other', async () => {
    let known = 0;
    const onProgress = ({ phase }: Progress) => {
      if (phase === 'learn') known ||= programs.length;
    };
    const [once, again] = [
      await fit(bits, { ...learning, engine: gpu, onProgress }),
      await fit(bits, { ...learning, engine: gpu }),
    ];
    // All programs but the least were asked for when learning was rehearsed.
    expect(programs.slice(known)).toEqual(programs.slice(known).filter((name) => name.startsWith('decode')));
    expect(again.W).toEqual(once.W);
    const cpu = await createEngine({ threads: 1 });
    try {
      const saved: Checkpoint[] = [];
      const checkpoint = { every: 0, save: async (taken: Checkpoint) => void saved.push(taken) };
      const whole = await fit(bits, { ...learning, engine: cpu, checkpoint, minImprovement: 1e-9 });
      const middle = saved.find(({ progress }) => progress.epoch === 3)!;
      const rest = await fit(bits, { ...learning, engine: gpu, resume: middle, minImprovement: 1e-9 });
      const last = (model: typeof whole) => model.training.history.at(-1)!.loss;
      expect(Math.abs(last(rest) / last(whole) - 1)).toBeLessThan(1e-3);
      expect(Math.abs(last(once) / last(whole) - 1)).toBeLessThan(1e-3);
    } finally {
      await cpu.close();
    }
  });

  it('learns true bits as the processor does, and goes on from a checkpoint of the other', async () => {
    const learning = { H: 14, epochs: 6, seed: 3, encoding: 'bits', certify: false } as const;
    const cpu = await createEngine({ threads: 1 });
    /** Learns on an engine, and keeps its checkpoints by their epoch. */
    const learn = async (engine: Engine, resume?: Checkpoint) => {
      const saved: Checkpoint[] = [];
      const save = async (taken: Checkpoint) => {
        saved[taken.progress.epoch] = taken;
      };
      const model = await fit(bits, { ...learning, engine, resume, checkpoint: { every: 0, save } });
      return { model, saved };
    };
    try {
      const [here, there] = [await learn(gpu), await learn(cpu)];
      // The same bits each time, also by way of a checkpoint.
      expect((await learn(gpu, here.saved[4])).model.W).toEqual(here.model.W);
      const { loss } = there.model.training;
      const others = [here, await learn(gpu, there.saved[2]), await learn(cpu, here.saved[2])];
      for (const { model } of others) expect(Math.abs(model.training.loss / loss - 1)).toBeLessThan(1e-3);
      const [found, expected] = await Promise.all(
        [gpu, cpu].map((engine) => here.model.encode(bits, { engine })),
      );
      expectClose(found.losses, expected.losses, 'losses of codes of bits');
    } finally {
      await cpu.close();
    }
  });

  it.each([
    ['what it leaves open is finished by the processor', 0.01, 2],
    ['nothing is left open, and codes are at their optimum all the same', 5, 2],
    ['and where most numbers of a code are at the bounds of a small box', 5, 0.25],
  ])('proves codes in float32, never less than the true gap: %s', async (_name, tolerance, radius) => {
    const { V, H, W, n } = plain;
    const cpu = await createEngine({ threads: 1 });
    const decoder = { shape: { V, H, bias: true }, W, loss: crossEntropy, radius };
    const curvature = new Float32Array(V).fill(0.15);
    try {
      const width = H + 1;
      const encoder = await Encoder.create(gpu, { ...decoder, curvature });
      const [block, E] = [gpu.load(bits), gpu.floats(n * width)];
      const { losses, gaps } = await encoder.encodeBlock({ block, E }, tolerance);
      encoder.free();
      const [held, codes, weights] = [cpu.load(bits), cpu.floats(n * width), cpu.floats(W.length)];
      codes.write(await E.read());
      weights.write(W);
      const at = { block: held, shape: decoder.shape, W: weights, E: codes, loss: crossEntropy };
      const { losses: here } = await cpu.slopes('codes', at);
      const { losses: best } = await cpu.polish(at, { tolerance: 1e-9, steps: 100, radius });
      const bound = (await E.read()).filter((e, i) => i % width < H && Math.abs(e) === Math.fround(radius));
      expect(bound.length).toBeGreaterThan(n);
      for (let i = 0; i < n; i++) {
        expect(gaps[i]).toBeGreaterThanOrEqual(here[i] - best[i]);
        expect(gaps[i]).toBeLessThanOrEqual(0.01);
        expect(here[i] - best[i]).toBeLessThan(1e-4);
        expect(Math.abs(losses[i] - here[i])).toBeLessThan(1e-4);
      }
      expect(gaps.reduce((sum, gap) => sum + gap) / n, 'pessimism').toBeLessThan(0.002);
    } finally {
      await cpu.close();
    }
  });

  it('refuses by name what it does not do, and says nothing once it is closed', async () => {
    const { point, floats } = place(gpu, plain);
    const at = { ...point, loss: crossEntropy };
    await expect(gpu.measure({ ...at, loss: squared }, {})).rejects.toThrow(/knows the losses cross-entropy/);
    await expect(gpu.enumerate(at)).rejects.toThrow(
      /gpu \(.*SwiftShader.*\) does not do 'enumerate'.*; use engine 'wasm'/,
    );
    const other = await softwareGpu();
    await expect(other.gram(floats([1, 2]), 2, 1)).rejects.toThrow(/another engine/);
    const kept = other.floats(3);
    await other.close();
    expect(other.usable).toBe(false);
    await expect(kept.read()).rejects.toThrow(/is already closed/);
  });

  it('refuses what has no room, and works on', async () => {
    expect(() => gpu.floats(2 ** 40)).toThrow(/holds at most \d+ in one piece/);
    expect(gpu.usable).toBe(true);
    expect(await gpu.floats(2).read()).toEqual(new Float32Array(2));
  });

  it('never asks for more than there is when it reads', async () => {
    const { engine, device: other, limits } = await softwareDevice();
    const sizes: number[] = [];
    const create = other.createBuffer.bind(other);
    other.createBuffer = (descriptor) => {
      sizes.push(descriptor.size);
      return create(descriptor);
    };
    limits.maxBufferSize = 20_000;
    expect(await engine.floats(5000).read()).toEqual(new Float32Array(5000));
    expect(Math.max(...sizes)).toBe(20_000);
    // Ranges may end beyond the last number, as those of arrays do.
    const three = engine.floats(3);
    three.fill(2, 1, 9);
    three.fill(0, 2, 9);
    three.fill(0, 2, 1);
    expect(await three.read(0, 9)).toEqual(Float32Array.of(0, 2, 0));
    expect(await three.read(4, 9)).toEqual(new Float32Array());
    expect(engine.usable).toBe(true);
    await engine.close();
  });

  it('ends with the error that nobody caught', async () => {
    const { engine, device: other } = await softwareDevice();
    const kept = engine.floats(3);
    other.createBuffer({ size: 16, usage: 2 ** 20 });
    await expect(kept.read()).rejects.toThrow(/gpu \(.*\) failed: .*checkpoint/s);
    expect(engine.usable).toBe(false);
    expect(() => engine.floats(1)).toThrow(/failed/);
    await engine.close();
  });

  // The last test: nothing works on this device afterwards.
  it('ends with a clear error when the device is lost, and what was saved before goes on elsewhere', async () => {
    const saved: Checkpoint[] = [];
    const save = async (taken: Checkpoint) => {
      saved.push(taken);
      if (taken.progress.epoch === 3) device.destroy();
    };
    const learning = { H: 14, epochs: 6, seed: 3, certify: false } as const;
    const lost = fit(bits, { ...learning, engine: gpu, checkpoint: { every: 0, save } });
    await expect(lost).rejects.toThrow(/gpu \(.*\) failed: the device was lost .*checkpoint/s);
    expect(saved.at(-1)!.progress.epoch).toBe(3);
    expect(gpu.usable).toBe(false);
    await expect(
      gpu.decode({ ...place(reference, plain).point, loss: crossEntropy }, 'scores'),
    ).rejects.toThrow();
    const cpu = await createEngine({ threads: 1 });
    try {
      const rest = await fit(bits, { ...learning, engine: cpu, resume: saved.at(-1) });
      expect(rest.training.history.length).toBe(6);
    } finally {
      await cpu.close();
    }
  });
});
