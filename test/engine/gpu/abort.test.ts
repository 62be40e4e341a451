import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/engine/engine.ts';
import { crossEntropy } from '../../../src/math.ts';
import { fit } from '../../../src/model/fit.ts';
import { toyRows } from '../../training/toy.ts';
import { missing, softwareDevice } from './device.ts';

const title = missing ? `an abort on the GPU (skipped: ${missing})` : 'an abort on the GPU, on SwiftShader';

describe.skipIf(missing && !process.env.CI)(title, { timeout: 120_000 }, () => {
  it('ends a call that waits for programs', async () => {
    const { engine, device } = await softwareDevice();
    let asked = 0;
    device.createComputePipelineAsync = () => {
      asked++;
      return new Promise(() => {});
    };
    const stop = new AbortController();
    const learning = fit(toyRows(40, 1), { H: 3, epochs: 2, engine, signal: stop.signal });
    const ended = expect(learning).rejects.toThrow('enough');
    while (asked === 0) await sleep(5);
    // By now it waits for a number that no program will compute.
    await sleep(100);
    stop.abort(new Error('enough'));
    await ended;
    await engine.close();
  });

  it('ends a search for codes of vectors that waits for programs', async () => {
    const { engine, device } = await softwareDevice();
    device.createComputePipelineAsync = () => new Promise(() => {});
    const stop = new AbortController();
    const codes = engine.wordCodes!(Float32Array.from({ length: 40 }, Math.sin), 4, 2);
    const effort = { sweeps: 1, hot: 1, seed: 1, noise: new Float32Array(4112), signal: stop.signal };
    const ended = expect(codes.seek(new Float32Array(128), effort)).rejects.toThrow('enough');
    await sleep(20);
    stop.abort(new Error('enough'));
    await ended;
    codes.free();
    await engine.close();
  });

  it('leaves a device that works, whatever the caller frees afterwards', async () => {
    const { engine } = await softwareDevice();
    const stop = new AbortController();
    const decoding = decode(engine.until(stop.signal), 4300, 1000);
    const ended = expect(decoding.done).rejects.toThrow('enough');
    // It is at its first piece.
    await sleep(20);
    stop.abort(new Error('enough'));
    await ended;
    decoding.free();
    // The device has come to the end of the aborted work when this is done.
    for (let again = 0; again < 2; again++) await decode(engine, 4300, 1000).done;
    await engine.close();
  });
});

describe.skipIf(missing && !process.env.CI)('calls side by side on the GPU', { timeout: 120_000 }, () => {
  it('decode in several pieces each, and share memory', async () => {
    const { engine } = await softwareDevice();
    // The second takes a little more memory than the first, which is between two pieces then.
    const both = [decode(engine, 6000, 784), decode(engine, 4300, 1000)];
    for (const scores of await Promise.all(both.map(({ done }) => done)))
      for (const score of [scores[0], scores.at(-1)]) expect(score).toBeCloseTo(0.5, 5);
    expect(engine.usable).toBe(true);
    await engine.close();
  });
});

/** Scores of 0.5, whose pieces take more than 16 MB. */
function decode(engine: Engine, n: number, V: number) {
  const [W, E] = [engine.floats(2 * V), engine.floats(2 * n)];
  W.fill(0.5);
  E.fill(0.5);
  return {
    done: engine.decode({ shape: { V, H: 2, bias: false }, W, E, loss: crossEntropy }, 'scores'),
    free() {
      W.free();
      E.free();
    },
  };
}
