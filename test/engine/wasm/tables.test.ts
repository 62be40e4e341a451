import { afterAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../../src/engine/node/index.ts';
import { costWeighted, crossEntropy, customLoss, hamming, type Loss } from '../../../src/math.ts';

const engine = await createEngine({ threads: 1 });
afterAll(() => engine.close());

/** Scores near 0 and ever farther out, of both signs; none lies next to a kink of the losses below. */
const scores = Float32Array.from({ length: 400 }, (_, k) => (k % 2 ? -1 : 1) * (1.045 ** (k / 2) - 0.98));

async function transferOf(loss: Loss): Promise<Float32Array> {
  const [W, E] = [engine.floats(scores.length), engine.floats(1)];
  W.write(scores);
  E.fill(1);
  const shape = { V: scores.length, H: 1, bias: false };
  return engine.decode({ W, E, shape, loss }, 'transfer');
}

/** The loss of a single bit `x` at each score. */
async function lossOf(loss: Loss, x: 1 | -1): Promise<Float32Array> {
  const n = scores.length;
  const block = engine.load({ kind: 'bits', n, V: 1, bits: new Uint8Array(n).fill(x === 1 ? 1 : 0) });
  const [W, E, losses] = [engine.floats(1), engine.floats(n), engine.floats(n)];
  W.fill(1);
  E.write(scores);
  await engine.measure({ block, shape: { V: 1, H: 1, bias: false }, W, E, loss }, { losses });
  return await losses.read();
}

/** The tails of Psi' go like 1/m, more than a table covers. */
const heavy = customLoss({ name: 'heavy tails', plus: (y) => 1 / (1 + y), minus: (y) => 1 / (1 - y) });

describe('the kernels of losses without one of their own', () => {
  it.each([
    { loss: costWeighted(crossEntropy, { falseOne: 1, falseZero: 1.5 }), accuracy: 2e-6 },
    { loss: costWeighted(crossEntropy, { falseOne: 1, falseZero: 30 }), accuracy: 3e-5 },
    { loss: costWeighted(crossEntropy, { falseOne: 100, falseZero: 100 }), accuracy: 3e-5 },
    { loss: costWeighted(hamming, { falseOne: 100, falseZero: 100 }), accuracy: 3e-5 },
    { loss: costWeighted(crossEntropy, { falseOne: 1, falseZero: 1000 }), accuracy: 1e-3 },
    { loss: heavy, accuracy: 2e-3 },
  ])('follow them at all scores, also where they still bend: $loss.name', async ({ loss, accuracy }) => {
    const y = await transferOf(loss);
    const [plus, minus] = [await lossOf(loss, 1), await lossOf(loss, -1)];
    let [worst, farthest] = [0, 0];
    scores.forEach((m, k) => {
      farthest = Math.max(farthest, Math.abs(y[k] - loss.transfer(m)));
      const off = Math.max(
        Math.abs(plus[k] - (loss.psi(m) - m) / 2),
        Math.abs(minus[k] - (loss.psi(m) + m) / 2),
      );
      // Float32 numbers of the size of m are about 1e-7 m apart.
      worst = Math.max(worst, off - 2e-7 * Math.abs(m));
    });
    expect(farthest).toBeLessThan(accuracy);
    expect(worst).toBeLessThan(accuracy);
  });
});
