import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
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
});
