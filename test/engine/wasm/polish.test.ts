import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/engine/engine.ts';
import { referenceEngine } from '../../../src/engine/reference/engine.ts';
import {
  certifiedGap,
  costWeighted,
  crossEntropy,
  customLoss,
  encode,
  hamming,
  type Loss,
  matrix,
  squared,
} from '../../../src/math.ts';
import { entry, type Rows, rowBytes, sliceRows } from '../../../src/rows/rows.ts';
import { type Encoded, Encoder } from '../../../src/solvers/encode.ts';
import { holds } from '../../property.ts';
import { everyEngine, generator, makeProblem, type Problem, place, problems } from '../problems.ts';

const tolerance = 0.01;
const radii = fc.constantFrom(1, 10);

const engines = everyEngine();

async function encoded(
  engine: Engine,
  problem: Problem,
  radius: number,
  rows: Rows,
  loss: Loss = crossEntropy,
): Promise<Encoded> {
  const { V, H, bias, W } = problem;
  const curvature = new Float32Array(V).fill(0.1);
  const encoder = await Encoder.create(engine, {
    ...{ shape: { V, H, bias }, W, loss, radius, curvature },
  });
  const result = await encoder.encode(rows, tolerance);
  encoder.free();
  return result;
}

/** Row i for src/math: only known entries, with weights that turn the box of `radius` into [-1, 1]. */
function plainRow({ V, H, width, W, rows }: Problem, i: number, radius: number) {
  const known = Array.from({ length: V }, (_, v) => v).filter((v) => !Number.isNaN(entry(rows, i, v)));
  const weights = known.flatMap((v) => Array.from({ length: H }, (_, h) => radius * W[v * width + h]));
  return {
    W: matrix(known.length, H, weights),
    x: Float64Array.from(known, (v) => entry(rows, i, v)),
  };
}

/**
 * The same weights, with rows that some code of the box, drawn at random, gives the right sign in every bit.
 */
function separable(problem: Problem): Problem {
  const { V, H, n, width, W } = problem;
  const random = generator(V * 1000 + H);
  const bits = new Uint8Array(n * rowBytes(V));
  for (let i = 0; i < n; i++) {
    const e = Float64Array.from({ length: width }, (_, h) => (h < H ? 2 * random() - 1 : 1));
    for (let v = 0; v < V; v++) {
      const m = e.reduce((sum, value, h) => sum + value * W[v * width + h], 0);
      if (m > 0) bits[i * rowBytes(V) + (v >> 3)] |= 1 << (v & 7);
    }
  }
  return { ...problem, rows: { kind: 'bits', n, V, bits } };
}

/** Large weights that hardly differ from unit to unit: the loss bends far less one way than another. */
function narrow(V: number, H: number, n: number, seed: number): Problem {
  const random = generator(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const W = new Float32Array(V * H);
  for (let v = 0; v < V; v++) {
    const common = normal();
    for (let h = 0; h < H; h++) W[v * H + h] = 2000 * (h % 5 ? 1 : 5) * (0.99 * common + 0.01 * normal());
  }
  const values = new Float32Array(n * V);
  for (let i = 0; i < n; i++) {
    const e = Float64Array.from({ length: H }, () => (random() - 0.5) / 2000);
    for (let v = 0; v < V; v++) {
      const m = e.reduce((sum, value, h) => sum + value * W[v * H + h], 0);
      values[i * V + v] = random() < 1 / (1 + Math.exp(-3 * m)) ? 1 : -1;
    }
  }
  return {
    V,
    H,
    n,
    width: H,
    bias: false,
    W,
    E: new Float32Array(n * H),
    rows: { kind: 'real', n, V, values },
  };
}

describe('encoding with certificates', () => {
  it('is proven to the tolerance, and the float64 mathematics finds nothing better than loss - gap', () =>
    holds(
      fc.asyncProperty(problems({ V: 30, H: 8, n: 4 }), radii, async (drawn, radius) => {
        const problem = { ...drawn, bias: false, H: drawn.width };
        for (const engine of engines.slice(0, 2)) {
          const { codes, losses, gaps } = await encoded(engine, problem, radius, problem.rows);
          for (let i = 0; i < problem.n; i++) {
            const { W, x } = plainRow(problem, i, radius);
            const best = encode(crossEntropy, W, x).value / 2;
            const rounding = 1e-9 * (1 + best);
            expect(gaps[i]).toBeLessThanOrEqual(tolerance);
            expect(losses[i] - gaps[i]).toBeLessThanOrEqual(best + rounding);
            const code = codes.subarray(i * problem.H, (i + 1) * problem.H);
            const unit = Float64Array.from(code, (e) => e / radius);
            for (const e of unit) expect(Math.abs(e)).toBeLessThanOrEqual(1);
            expect(losses[i] - best).toBeLessThanOrEqual(certifiedGap(crossEntropy, W, unit, x) + rounding);
          }
        }
      }),
      { seed: 31, numRuns: 40 },
    ));

  it('is proven for rows whose bits can all be right, whose scores saturate and whose codes end on bounds', () =>
    holds(
      fc.asyncProperty(problems({ V: 60, H: 20, n: 10 }).map(separable), radii, async (problem, radius) => {
        for (const engine of engines.slice(0, 2)) {
          const { gaps } = await encoded(engine, problem, radius, problem.rows);
          for (const gap of gaps) expect(gap).toBeLessThanOrEqual(tolerance);
        }
      }),
      { seed: 32, numRuns: 60 },
    ));

  it('is proven where the loss bends a hundred million times less one way than another', async () => {
    for (const V of [60, 100, 200]) {
      const problem = narrow(V, 32, 60, V);
      const { gaps } = await encoded(engines[0], problem, 1, problem.rows);
      for (const gap of gaps) expect(gap).toBeLessThanOrEqual(tolerance);
    }
  });

  it('holds with a bias unit, missing entries and weights of columns: no code of the reference is better', () =>
    holds(
      fc.asyncProperty(problems({ V: 40, H: 10, n: 5 }), radii, async (problem, radius) => {
        const reference = referenceEngine();
        const plain = place(reference, problem);
        const options = { steps: 60, tolerance, radius };
        const best = await reference.polish({ ...plain.point, loss: crossEntropy }, options);
        for (const engine of engines.slice(0, 2)) {
          const { point } = place(engine, problem);
          const { losses, gaps } = await engine.polish({ ...point, loss: crossEntropy }, options);
          for (let i = 0; i < problem.n; i++) {
            expect(gaps[i]).toBeLessThanOrEqual(tolerance);
            expect(losses[i] - gaps[i]).toBeLessThanOrEqual(best.losses[i] * (1 + 1e-9) + 1e-9);
          }
        }
      }),
      { seed: 33, numRuns: 60 },
    ));

  it('gives a row the same code and proof bit for bit, whatever rows it comes with', () =>
    holds(
      fc.asyncProperty(problems({ V: 50, H: 12, n: 30 }), radii, async (problem, radius) => {
        const { n, H } = problem;
        const cut = n >> 1;
        for (const engine of engines) {
          const all = await encoded(engine, problem, radius, problem.rows);
          const part = await encoded(engine, problem, radius, sliceRows(problem.rows, cut, n));
          expect(part.codes).toEqual(all.codes.slice(cut * H));
          expect(part.losses).toEqual(all.losses.slice(cut));
          expect(part.gaps).toEqual(all.gaps.slice(cut));
        }
      }),
      { seed: 34, numRuns: 30 },
    ));

  it('polishes the rows of a list as it does whole ranges', () =>
    holds(
      fc.asyncProperty(problems({ V: 40, H: 9, n: 20 }), async (problem) => {
        const options = { steps: 20, tolerance: 1e-4, radius: 2 };
        for (const engine of engines) {
          const whole = place(engine, problem);
          const all = await engine.polish({ ...whole.point, loss: crossEntropy }, options);
          const listed = place(engine, problem);
          const rows = Int32Array.from({ length: problem.n }, (_, i) => problem.n - 1 - i);
          const some = await engine.polish({ ...listed.point, loss: crossEntropy }, { ...options, rows });
          expect(some.losses).toEqual(all.losses.slice().reverse());
          expect(some.gaps).toEqual(all.gaps.slice().reverse());
          expect(await listed.E.read()).toEqual(await whole.E.read());
        }
      }),
      { seed: 35, numRuns: 20 },
    ));
});

const smooth = [
  squared,
  costWeighted(crossEntropy, { falseOne: 1, falseZero: 3 }),
  customLoss({
    name: 'exponential',
    plus: (y) => Math.sqrt((1 - y) / (1 + y)),
    minus: (y) => Math.sqrt((1 + y) / (1 - y)),
  }),
];
const kinked = [
  hamming,
  costWeighted(hamming, { falseOne: 2, falseZero: 0.5 }),
  customLoss({
    name: 'a kink on one side',
    plus: (y) => Math.LN2 - Math.log1p(y),
    minus: (y) => (1 + y) / 2,
  }),
];

/** With a kink on one side, the second row's code is at the kink, and only a distant entry has curvature. */
const oneEntryBends = makeProblem({
  ...{ V: 4, H: 2, n: 2, bias: false, kind: 'missing', weighted: true, scale: 1, seed: 999999981 },
});

describe.each([...smooth, ...kinked])('certificates by chords: $name', (loss) => {
  it('proves every code to the tolerance; the plain engine finds nothing better than loss - gap', () =>
    holds(
      fc.asyncProperty(problems({ V: 30, H: 5, n: 2 }), radii, async (drawn, radius) => {
        const problem = { ...drawn, columnWeights: undefined };
        const reference = await encoded(referenceEngine(), problem, radius, problem.rows, loss);
        for (const engine of engines.slice(0, 2)) {
          const { codes, losses, gaps } = await encoded(engine, problem, radius, problem.rows, loss);
          for (let i = 0; i < problem.n; i++) {
            expect(gaps[i]).toBeLessThanOrEqual(tolerance);
            const best = reference.losses[i];
            expect(losses[i] - gaps[i]).toBeLessThanOrEqual(best + 1e-9 * (1 + Math.abs(best)));
            // What is reported is never below the loss itself, and above it by no more than chords are.
            const own = lossOf(problem, i, codes.subarray(i * problem.H, (i + 1) * problem.H), loss);
            expect(losses[i]).toBeGreaterThanOrEqual(own - 1e-10 * (1 + own));
            expect(losses[i]).toBeLessThanOrEqual(own + 1e-6 * problem.V);
          }
        }
      }),
      { seed: 36, numRuns: 10, examples: [[oneEntryBends, 10]] },
    ));

  it('is the same bit for bit for any number of threads and in any company', () =>
    holds(
      fc.asyncProperty(problems({ V: 60, H: 9, n: 20 }), async (problem) => {
        const { n, H } = problem;
        const [one, , two] = engines;
        const all = await encoded(one, problem, 2, problem.rows, loss);
        const part = await encoded(two, problem, 2, sliceRows(problem.rows, n >> 1, n), loss);
        expect(part.codes).toEqual(all.codes.slice((n >> 1) * H));
        expect(part.gaps).toEqual(all.gaps.slice(n >> 1));
      }),
      { seed: 37, numRuns: 5 },
    ));
});

/** The loss of row i at a code, in float64, by the loss's own functions. */
function lossOf({ V, H, width, W, rows }: Problem, i: number, code: Float32Array, loss: Loss): number {
  let sum = 0;
  for (let v = 0; v < V; v++) {
    const x = entry(rows, i, v);
    if (Number.isNaN(x)) continue;
    const bias = width > H ? W[v * width + H] : 0;
    const m = code.reduce((score, e, h) => score + e * W[v * width + h], bias);
    sum += (loss.psi(m) - x * m) / 2;
  }
  return sum;
}

describe('a row whose Hessian bends far less along some direction than the damping of float32', () => {
  it('is proven for the Hamming loss', async () => {
    let state = 69 * 7919;
    const random = () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state / 2 ** 32;
    };
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    // A case that random search found: with the damping of float32, row 15 stays at 0.013.
    const V = 20 + Math.floor(random() * 50);
    const H = 4 + Math.floor(random() * 13);
    const size = 10 ** (random() * 2 - 0.5);
    const radius = random() < 0.5 ? 1 : 10;
    const spread = random();
    const W = Float32Array.from(
      { length: V * H },
      (_, i) => size * normal() * 10 ** (spread * 2 * ((i % H) / H - 0.5)),
    );
    const n = 16;
    const bits = new Uint8Array(n * rowBytes(V));
    for (let i = 0; i < n; i++) {
      const e = Array.from({ length: H }, () => 2 * random() - 1);
      for (let v = 0; v < V; v++) {
        const m = e.reduce((sum, value, h) => sum + value * W[v * H + h], 0);
        if (m > 0 !== random() < 0.08) bits[i * rowBytes(V) + (v >> 3)] |= 1 << (v & 7);
      }
    }
    const curvature = new Float32Array(V).fill(0.1);
    const shape = { V, H, bias: false };
    for (const engine of engines) {
      const encoder = await Encoder.create(engine, { shape, W, loss: hamming, radius, curvature });
      const { gaps } = await encoder.encode({ kind: 'bits', n, V, bits }, tolerance);
      encoder.free();
      expect(Math.max(...gaps), engine.name).toBeLessThanOrEqual(tolerance);
    }
  });
});
