import { describe, expect, it } from 'vitest';
import { WIDE } from '../../../src/engine/engine.ts';
import { referenceEngine } from '../../../src/engine/reference/engine.ts';
import { constants } from '../../../src/engine/wasm/layout.generated.ts';
import { crossEntropy } from '../../../src/math.ts';
import { rowBytes } from '../../../src/rows/rows.ts';
import { everyEngine, generator, type Problem, place } from '../problems.ts';

const engines = everyEngine();

/** Rows with few ones, drawn from scores that a bias keeps low. */
function sparseProblem(n: number, V: number, H: number, seed: number): Problem {
  const random = generator(seed);
  const normal = () => (random() + random() + random() + random() - 2) * Math.sqrt(3);
  const width = H + 1;
  const W = Float32Array.from({ length: V * width }, (_, k) =>
    k % width < H ? 0.8 * normal() : -5 + normal(),
  );
  const E = Float32Array.from({ length: n * width }, (_, k) => (k % width < H ? normal() : 1));
  const bits = new Uint8Array(n * rowBytes(V));
  for (let i = 0; i < n; i++) {
    for (let v = 0; v < V; v++) {
      let score = 0;
      for (let h = 0; h < width; h++) score += W[v * width + h] * E[i * width + h];
      if (random() * (1 + Math.exp(-score)) < 1) bits[i * rowBytes(V) + (v >> 3)] |= 1 << (v & 7);
    }
  }
  return { n, V, H, width, bias: true, rows: { kind: 'bits', n, V, bits }, W, E };
}

/** The same problem with codes of nothing. */
function unencoded(problem: Problem): Problem {
  const { width, H } = problem;
  return { ...problem, E: problem.E.map((_, k) => (k % width < H ? 0 : 1)) };
}

describe('wide tables', () => {
  const problem = sparseProblem(19, WIDE + 333, 3, 7);
  const [tolerance, radius] = [0.01, 8];

  it('are wide for the kernels where they are for everything else', () => {
    expect(constants.WIDE).toBe(WIDE);
  });

  it('have honest certificates, by few entries or by all', async () => {
    const reference = referenceEngine();
    const { point } = place(reference, problem);
    const best = await reference.polish(
      { ...point, loss: crossEntropy },
      { tolerance: 1e-7, steps: 60, radius },
    );
    for (const engine of engines) {
      for (const start of [problem, unencoded(problem)]) {
        const placed = place(engine, start);
        const at = { ...placed.point, loss: crossEntropy };
        const { losses, gaps } = await engine.polish(at, { tolerance, steps: 60, radius });
        losses.forEach((loss, i) => {
          expect(gaps[i]).toBeLessThanOrEqual(tolerance);
          expect(loss - gaps[i]).toBeLessThanOrEqual(best.losses[i] + 1e-9);
          expect(loss).toBeGreaterThan(best.losses[i] - 1e-6);
        });
      }
    }
  });

  it("take Newton's steps by a sample: codes come to their optimum by a factor each", async () => {
    for (const engine of engines) {
      const placed = place(engine, unencoded(problem));
      const at = { ...placed.point, loss: crossEntropy };
      const decrements = engine.floats(problem.n);
      const options = { ridge: 1e-3, move: true, decrements };
      const left: number[] = [];
      for (let step = 0; step < 6; step++) {
        await engine.newton('codes', at, options);
        left.push((await decrements.read()).reduce((sum, each) => sum + each, 0));
      }
      expect(left[4]).toBeLessThan(1e-3 * left[0]);
      expect(left[5]).toBeLessThan(0.2);
    }
  });

  it('do so for the weights of many rows', async () => {
    const [n, V] = [4300, WIDE];
    const random = generator(3);
    const bits = new Uint8Array(n * rowBytes(V));
    for (let k = 0; k < 2 * bits.length; k++)
      bits[Math.floor(bits.length * random())] |= k % 25 ? 0 : 1 << (k & 7);
    const W = new Float32Array(2 * V).map((_, k) => (k % 2 ? -5 : 0));
    const E = new Float32Array(2 * n).map((_, k) => (k % 2 ? 1 : 4 * random() - 2));
    const many: Problem = { n, V, H: 1, width: 2, bias: true, rows: { kind: 'bits', n, V, bits }, W, E };
    const [, engine] = engines;
    const placed = place(engine, many);
    const at = { ...placed.point, loss: crossEntropy };
    const decrements = engine.floats(many.V);
    const left: number[] = [];
    for (let step = 0; step < 4; step++) {
      await engine.newton('weights', at, { ridge: 1e-3, move: true, decrements });
      left.push((await decrements.read()).reduce((sum, each) => sum + each, 0));
    }
    expect(left[3]).toBeLessThan(1e-2 * left[0]);
  });
});
