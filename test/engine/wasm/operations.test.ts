import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Engine, FORBIDDEN } from '../../../src/engine/engine.ts';
import { referenceEngine } from '../../../src/engine/reference/engine.ts';
import { type Loss, squared } from '../../../src/math.ts';
import { instances } from '../../losses/instances.ts';
import { holds } from '../../property.ts';
import type { Placed } from '../problems.ts';
import { difference, everyEngine, exactness, largest, makeProblem, place, problems } from '../problems.ts';

const sizes = { V: 90, H: 30, n: 70 };
const runs = { seed: 1704, numRuns: 60 };
const losses = instances.map(({ loss }) => loss);
const kinked = losses.filter(({ name }) => name.includes('hamming'));

const reference = referenceEngine();
const engines = everyEngine();

type Result = Record<string, ArrayLike<number>>;

/**
 * Runs the operation on the reference and on every engine, and compares all that it returns; on problems
 * whose scores are sums of numbers up to `farthest` at most.
 */
async function agree(
  operation: (engine: Engine, placed: Placed, loss: Loss) => Promise<Result>,
  among: readonly Loss[] = losses,
  farthest = Number.POSITIVE_INFINITY,
): Promise<void> {
  await holds(
    fc.asyncProperty(problems(sizes), fc.constantFrom(...among), async (problem, loss) => {
      const scores = largest(problem.W) * largest(problem.E) * problem.width;
      fc.pre(scores <= farthest);
      const expected = await operation(reference, place(reference, problem), loss);
      for (const engine of engines) {
        const actual = await operation(engine, place(engine, problem), loss);
        for (const [key, values] of Object.entries(expected)) {
          const scale = largest(values) + exactness(loss) * scores * problem.V;
          const worst = difference(actual[key], values, scale);
          expect(worst, `${key} of ${engine.name}, ${engine.threads} threads, ${loss.name}`).toBeLessThan(
            exactness(loss),
          );
        }
      }
    }),
    runs,
  );
}

describe('every build, on one and two threads, agrees with the float64 reference', () => {
  it('losses and gaps', () =>
    agree(async (engine, { point }, loss) => {
      const gaps = engine.floats(point.block.n);
      const out = { losses: engine.floats(point.block.n), gaps, radius: 0.5 };
      await engine.measure({ ...point, loss }, out);
      // Where Psi' jumps, a score within rounding of a kink may fall on either side, and gaps are made of
      // Psi'.
      const smooth = !loss.name.includes('hamming') && { gaps: await gaps.read() };
      return { losses: await out.losses.read(), ...smooth };
    }));

  it('gaps where Psi has kinks are above the distance to any other code', () =>
    holds(
      fc.asyncProperty(problems(sizes), fc.constantFrom(...kinked), async (problem, loss) => {
        const lossesAt = async (E: Float32Array) => {
          const { point } = place(reference, { ...problem, E });
          const out = reference.floats(problem.n);
          await reference.measure({ ...point, loss }, { losses: out });
          return out.read();
        };
        const boxed = problem.E.map((e) => Math.max(-1.5, Math.min(1.5, e)));
        const here = await lossesAt(boxed);
        const other = await lossesAt(boxed.map((e, k) => (k % problem.width < problem.H ? -e : e)));
        for (const engine of engines) {
          const { point } = place(engine, { ...problem, E: boxed });
          const out = { losses: engine.floats(problem.n), gaps: engine.floats(problem.n), radius: 1.5 };
          await engine.measure({ ...point, loss }, out);
          (await out.gaps.read()).forEach((gap, i) => {
            const rounding = exactness(loss) * (1 + here[i] + other[i]);
            expect(gap, `${engine.name}, row ${i}`).toBeGreaterThanOrEqual(here[i] - other[i] - rounding);
          });
        }
      }),
      runs,
    ));

  it('gradients in codes and weights of a range, with its losses', () =>
    agree(async (engine, { point, E, W }, loss) => {
      const out = {
        codes: engine.floats(E.length),
        weights: engine.floats(W.length),
        losses: engine.floats(point.block.n),
      };
      const range = { start: point.block.n >> 2, end: point.block.n };
      await engine.gradients({ ...point, range, loss }, out);
      // Where Psi' jumps, a score within rounding of a kink may fall on either side.
      const smooth = !loss.name.includes('hamming');
      const gradients = smooth && { codes: await out.codes.read(), weights: await out.weights.read() };
      return { losses: await out.losses.read(), ...gradients };
    }));

  it('scores and reconstructions', () =>
    agree(async (engine, { point }, loss) => {
      const range = { start: point.block.n >> 2, end: point.block.n };
      return {
        scores: await engine.decode({ ...point, range, loss }, 'scores'),
        transfer: await engine.decode({ ...point, range, loss }, 'transfer'),
      };
    }));

  it('codes that are linear in their rows', () =>
    agree(async (engine, { point, E, floats }, loss) => {
      const { V, H } = point.shape;
      const inverseHessian = floats(Float32Array.from({ length: H * H }, (_, i) => (i % (H + 1) ? 0.1 : 1)));
      const linear = floats(Float32Array.from({ length: V }, (_, v) => 0.01 * (1 + Math.cos(v))));
      const range = { start: point.block.n >> 2, end: point.block.n };
      const options = { steps: 0, tolerance: 0, ridge: 0, inverseHessian, linear };
      await engine.solve('codes', { ...point, range, loss }, options);
      return { codes: await E.read() };
    }));

  it('Gram matrices', () =>
    agree(async (engine, { point, E }) => {
      const width = E.length / point.block.n;
      return {
        plain: await engine.gram(E, point.block.n, width),
        weighted: await engine.gram(E, point.block.n, width, point.rowWeights),
      };
    }));

  it('products with the rows themselves', () =>
    agree(async (engine, { point, block, W, E }) => {
      const width = E.length / block.n;
      const [Y, A] = [engine.floats(block.n * width), engine.floats(block.V * width)];
      await engine.project(point.block, W, width, Y);
      await engine.correlate(point.block, E, width, A);
      return { project: await Y.read(), correlate: await A.read() };
    }));

  it('sums over the rows of a range', () =>
    agree(
      async (engine, { point, floats }, loss) => {
        const { V, H } = point.shape;
        const width = point.W.length / V;
        const sums = { gradient: engine.floats(V * width), curvature: engine.floats(V) };
        const range = { start: point.block.n >> 1, end: point.block.n };
        await engine.solve(
          'codes',
          { ...point, range, loss },
          { steps: 0, tolerance: 0, ridge: 0, inverseHessian: floats(new Float32Array(H * H)), sums },
        );
        // Where Psi has kinks, or Psi'' jumps, curvatures are smoothed: see docs/engine.md.
        const smooth = loss.name.includes('cross-entropy');
        return {
          gradient: await sums.gradient.read(),
          ...(smooth && { curvature: await sums.curvature.read() }),
        };
      },
      losses.filter((loss) => !loss.name.includes('hamming')),
    ));

  it('Adagrad steps on both sides', () =>
    agree(
      async (engine, { point, floats }, loss) => {
        const accumulators = floats(new Float32Array(point.E.length).fill(0.1));
        const options = { steps: 2, rate: 0.1, accumulators, radius: 1 };
        await engine.adagrad('codes', { ...point, loss }, options);
        const others = floats(new Float32Array(point.W.length).fill(0.1));
        await engine.adagrad('weights', { ...point, loss }, { steps: 2, rate: 0.1, accumulators: others });
        return { E: await point.E.read(), W: await point.W.read(), accumulators: await accumulators.read() };
      },
      losses.filter((loss) => !loss.name.includes('hamming')),
      // The second gradient is squared: it follows from scores that float32 rounds after the first step.
      500,
    ));

  it('Adagrad steps without a gradient, from accumulators of 0', () =>
    agree(async (engine, { point, floats, W, E }, loss) => {
      W.fill(0);
      const accumulators = floats(new Float32Array(E.length));
      await engine.adagrad('codes', { ...point, loss }, { steps: 2, rate: 0.1, accumulators });
      return { E: await E.read(), accumulators: await accumulators.read() };
    }));

  it('Adam steps', () =>
    agree(async (engine, { point, floats, W }) => {
      const moments = { first: engine.floats(W.length), second: engine.floats(W.length) };
      const width = W.length / point.shape.V;
      // Away from 0 together with the ridge's share: Adam divides by what would be left of two that cancel.
      const gradient = floats(
        Float32Array.from(await W.read(), (w, i) => {
          const g = Math.sin(w + i);
          return Math.abs(0.5 * g + 0.01 * w) < 0.05 ? g + 0.4 : g;
        }),
      );
      const prices = floats(Float32Array.from(await W.read(), (_, i) => [0, 0.1, FORBIDDEN][i % 3]));
      for (const step of [1, 2, 3]) {
        engine.adam(W, gradient, moments, {
          ...{ rate: 0.02, beta1: 0.9, beta2: 0.99, epsilon: 1e-6, step, scale: 0.5, width },
          ...{ free: point.shape.H, ridge: 0.01, prices },
        });
      }
      return { W: await W.read(), first: await moments.first.read(), second: await moments.second.read() };
    }));
});

describe('a loss with the name of another', () => {
  it.each(['cross-entropy', 'hamming'])('is itself under the name %s', async (name) => {
    const problem = makeProblem({
      ...{ V: 12, H: 3, n: 5, bias: true, kind: 'bits', weighted: false, scale: 1, seed: 4 },
    });
    for (const engine of engines) {
      const results: unknown[] = [];
      for (const loss of [
        { ...squared, name: 'own' },
        { ...squared, name },
      ]) {
        const { point } = place(engine, problem);
        const losses = engine.floats(problem.n);
        await engine.measure({ ...point, loss }, { losses });
        const polished = await engine.polish({ ...point, loss }, { steps: 20, tolerance: 1e-6, radius: 1 });
        results.push({ losses: await losses.read(), polished, E: await point.E.read() });
      }
      expect(results[1]).toEqual(results[0]);
    }
  });
});
