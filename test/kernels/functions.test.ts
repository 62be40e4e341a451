import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { createEngine, enableRelaxedSimd } from '../../src/engine/node/index.ts';
import { crossEntropy } from '../../src/math.ts';

enableRelaxedSimd();

/**
 * Scores over the whole float32 range, of both signs: every exponent, 400 fractions each, and round numbers.
 */
function scores(): Float32Array {
  const bits = new Uint32Array(2 * 255 * 400);
  let at = 0;
  for (const sign of [0, 1]) {
    for (let exponent = 0; exponent < 255; exponent++) {
      for (let k = 0; k < 400; k++) {
        bits[at++] = ((sign << 31) | (exponent << 23) | Math.floor((k * 0x7fffff) / 399)) >>> 0;
      }
    }
  }
  const round = Array.from({ length: 2001 }, (_, k) => (k - 1000) / 10);
  return Float32Array.from([...new Float32Array(bits.buffer), ...round, -3.4028234663852886e38]);
}

/** The smallest normal float32: below it, numbers have fewer digits. */
const SMALLEST = 1.1754943508222875e-38;

async function transferOf(engine: Engine, m: Float32Array): Promise<Float32Array> {
  const W = engine.floats(m.length);
  const E = engine.floats(1);
  W.write(m);
  E.fill(1);
  const shape = { V: m.length, H: 1, bias: false };
  return engine.decode({ W, E, shape, loss: crossEntropy }, 'transfer');
}

/** ln(1 + e^-m): the loss of a single bit 1 with score m. */
async function lossOf(engine: Engine, m: Float32Array): Promise<Float32Array> {
  const n = m.length;
  const block = engine.load({ kind: 'bits', n, V: 1, bits: new Uint8Array(n).fill(1) });
  const W = engine.floats(1);
  const E = engine.floats(n);
  const losses = engine.floats(n);
  W.fill(1);
  E.write(m);
  const point = { block, shape: { V: 1, H: 1, bias: false }, W, E, loss: crossEntropy };
  await engine.measure(point, { losses });
  return await losses.read();
}

describe.each([{ relaxed: false }, { relaxed: true }])(
  'vectorised functions, relaxed: $relaxed',
  (options) => {
    it('tanh(m / 2) has a relative error below 1e-6 over the whole float32 range', async () => {
      const engine = await createEngine({ ...options, threads: 1 });
      const m = scores();
      const t = await transferOf(engine, m);
      let worst = 0;
      m.forEach((value, i) => {
        const exact = Math.tanh(value / 2);
        expect(Math.abs(t[i])).toBeLessThanOrEqual(1);
        if (Math.abs(exact) >= SMALLEST) worst = Math.max(worst, Math.abs(t[i] / exact - 1));
        else expect(Math.abs(t[i] - exact)).toBeLessThan(SMALLEST);
      });
      expect(worst).toBeLessThan(1e-6);
      await engine.close();
    });

    it('ln(1 + exp(-m)) has a relative error below 1e-6 over the whole float32 range', async () => {
      const engine = await createEngine({ ...options, threads: 1 });
      const m = scores();
      const loss = await lossOf(engine, m);
      let worst = 0;
      m.forEach((value, i) => {
        const exact = Math.max(-value, 0) + Math.log1p(Math.exp(-Math.abs(value)));
        if (exact >= 2 * SMALLEST) worst = Math.max(worst, Math.abs(loss[i] / exact - 1));
        else expect(loss[i]).toBeLessThan(4 * SMALLEST);
      });
      expect(worst).toBeLessThan(1e-6);
      await engine.close();
    });
  },
);
