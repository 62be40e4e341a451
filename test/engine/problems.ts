import fc from 'fast-check';
import { afterAll, beforeAll } from 'vitest';
import { type Block, type Engine, type Floats, floatsOf, type Point } from '../../src/engine/engine.ts';
import { createEngine, enableRelaxedSimd } from '../../src/engine/node/index.ts';
import { referenceEngine } from '../../src/engine/reference/engine.ts';
import type { Loss } from '../../src/math.ts';
import { type Rows, rowBytes } from '../../src/rows/rows.ts';

/** Numbers of one random problem, to be put into any engine. */
export interface Problem {
  readonly V: number;
  readonly H: number;
  readonly n: number;
  readonly bias: boolean;
  readonly width: number;
  readonly rows: Rows;
  readonly W: Float32Array;
  readonly E: Float32Array;
  readonly columnWeights?: Float32Array;
  readonly rowWeights?: Float32Array;
}

/** The problem inside an engine. */
export interface Placed {
  readonly point: Omit<Point, 'loss'>;
  readonly block: Block;
  readonly W: Floats;
  readonly E: Floats;
  floats(values: ArrayLike<number>): Floats;
}

export interface Sizes {
  readonly V: number;
  readonly H: number;
  readonly n: number;
}

/**
 * Problems of odd shapes, with and without masks, weights, real entries, a bias unit, and very large weights.
 */
export function problems(largest: Sizes): fc.Arbitrary<Problem> {
  return fc
    .record({
      V: fc.integer({ min: 1, max: largest.V }),
      H: fc.integer({ min: 1, max: largest.H }),
      n: fc.integer({ min: 1, max: largest.n }),
      bias: fc.boolean(),
      kind: fc.constantFrom<Kind>('bits', 'known', 'real', 'missing'),
      weighted: fc.boolean(),
      scale: fc.constantFrom(0.01, 1, 1, 1, 40),
      seed: fc.integer({ min: 1, max: 1e9 }),
    })
    .map(makeProblem);
}

type Kind = 'bits' | 'known' | 'real' | 'missing';

export function makeProblem(given: {
  readonly V: number;
  readonly H: number;
  readonly n: number;
  readonly bias: boolean;
  readonly kind: Kind;
  readonly weighted: boolean;
  readonly scale: number;
  readonly seed: number;
}): Problem {
  const { V, H, n, bias, kind, weighted, scale } = given;
  const random = generator(given.seed);
  const draw = (length: number, value: () => number) => Float32Array.from({ length }, value);
  const normal = () => (random() + random() + random() + random() - 2) * Math.sqrt(3);
  const width = bias ? H + 1 : H;
  const bytes = n * rowBytes(V);
  const byte = () => Math.floor(random() * 256);
  const real = () => (kind === 'missing' && random() < 0.2 ? Number.NaN : 2 * random() - 1);
  const bits = Uint8Array.from({ length: bytes }, byte);
  const rows: Rows =
    kind === 'real' || kind === 'missing'
      ? { kind: 'real', n, V, values: draw(n * V, real) }
      : kind === 'known'
        ? { kind: 'bits', n, V, bits, known: Uint8Array.from({ length: bytes }, () => byte() | byte()) }
        : { kind: 'bits', n, V, bits };
  const E = draw(n * width, () => 0.7 * normal());
  if (bias) for (let i = 0; i < n; i++) E[i * width + H] = 1;
  return {
    ...{ V, H, n, bias, width, rows, E },
    W: draw(V * width, () => scale * normal()),
    columnWeights: weighted ? draw(V, () => 0.2 + random()) : undefined,
    rowWeights: weighted ? draw(n, () => 0.2 + random()) : undefined,
  };
}

/**
 * The same problem with codes of 0, from which codes are found. From elsewhere Newton's steps may end where
 * every bit is certain of a wrong value and no curvature is left; what they prove holds even there.
 */
export function centred(problem: Problem): Problem {
  return { ...problem, E: problem.E.map((_, k) => (k % problem.width < problem.H ? 0 : 1)) };
}

/** The same problem with codes of true bits, the signs of its codes. */
export function signed(problem: Problem): Problem {
  const isBias = (k: number) => problem.bias && k % problem.width === problem.H;
  return { ...problem, E: problem.E.map((e, k) => (e < 0 && !isBias(k) ? -1 : 1)) };
}

/** The loss of each row at its code, in float64. */
export async function lossesOf(problem: Problem, loss: Loss): Promise<Float32Array> {
  const engine = referenceEngine();
  const losses = engine.floats(problem.n);
  await engine.measure({ ...place(engine, problem).point, loss }, { losses });
  return losses.read();
}

export function place(engine: Engine, problem: Problem): Placed {
  const floats = (values: ArrayLike<number>) => floatsOf(engine, values);
  const { V, H, bias } = problem;
  const block = engine.load(problem.rows);
  const W = floats(problem.W);
  const E = floats(problem.E);
  const point = {
    ...{ block, shape: { V, H, bias }, W, E },
    columnWeights: problem.columnWeights && floats(problem.columnWeights),
    rowWeights: problem.rowWeights && floats(problem.rowWeights),
  };
  return { point, block, W, E, floats };
}

/** A square matrix with `value` on its diagonal. */
export function diagonal(size: number, value: number): Float32Array {
  return Float32Array.from({ length: size * size }, (_, i) => (i % (size + 1) === 0 ? value : 0));
}

/**
 * A preconditioner that is right up to a factor: 1 / (the largest curvature of a step along one coordinate).
 */
export function preconditioner(problem: Problem, side: 'codes' | 'weights'): Float32Array {
  const { width } = problem;
  const A = side === 'codes' ? problem.W : problem.E;
  const count = A.length / width;
  const size = side === 'codes' ? problem.H : width;
  const sums = new Float64Array(size);
  A.forEach((a, i) => {
    if (i % width < size) sums[i % width] += a * a;
  });
  const scale = side === 'codes' ? 1 : 1 / count;
  return Float32Array.from({ length: size * size }, (_, i) =>
    i % (size + 1) === 0 ? 4 / (scale * sums[i % size] + 1e-3) : 0,
  );
}

/** Every build on one and on two threads, after `others`, for the tests of a file; closed after them. */
export function everyEngine(...others: readonly Engine[]): readonly Engine[] {
  const engines = [...others];
  beforeAll(async () => {
    enableRelaxedSimd();
    for (const threads of [1, 2])
      for (const relaxed of [false, true]) engines.push(await createEngine({ relaxed, threads }));
  });
  afterAll(async () => {
    for (const engine of engines) await engine.close();
  });
  return engines;
}

/** The largest difference, relative to `1 + scale`; NaN when one of the numbers is none. */
export function difference(actual: ArrayLike<number>, expected: ArrayLike<number>, scale = 0): number {
  if (actual.length !== expected.length) return Number.NaN;
  let worst = 0;
  for (let i = 0; i < actual.length; i++) {
    const error = Math.abs(actual[i] - expected[i]) / (1 + scale);
    if (Number.isNaN(error)) return error;
    worst = Math.max(worst, error);
  }
  return worst;
}

/** Largest size of an entry. */
export function largest(values: ArrayLike<number>): number {
  let most = 0;
  for (let i = 0; i < values.length; i++) most = Math.max(most, Math.abs(values[i]));
  return most;
}

/** How much float32 rounding may change: losses that come from a table are less exact. */
export function exactness(loss: Loss): number {
  return loss.name === 'cross-entropy' || loss.name === 'hamming' ? 1e-5 : 2e-4;
}

/** Multiplicative congruential numbers in (0, 1): the same on every machine. */
export function generator(seed: number): () => number {
  let state = seed % 2147483647;
  for (let i = 0; i < 8; i++) state = (state * 48271) % 2147483647;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}
