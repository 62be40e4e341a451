import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fitAutoencoder } from '../../src/baselines/autoencoder.ts';
import { fitPca, pcaLoss } from '../../src/baselines/pca.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { createEngine } from '../../src/engine/node/index.ts';
import type { Where } from '../../src/engine/scope.ts';
import { calibrate } from '../../src/model/calibrate.ts';
import { fitDecoder } from '../../src/model/decoder.ts';
import { evaluateHidden } from '../../src/model/evaluate-hidden.ts';
import { fit } from '../../src/model/fit.ts';
import { fitStack } from '../../src/model/fit-stack.ts';
import { fitTransform } from '../../src/model/fit-transform.ts';
import { impute } from '../../src/model/impute.ts';
import type { PCAE } from '../../src/model/model.ts';
import { partialFit } from '../../src/model/partial-fit.ts';
import { l1Path } from '../../src/model/path.ts';
import { pathH } from '../../src/model/path-h.ts';
import { sample } from '../../src/model/sample.ts';
import type { Stack } from '../../src/model/stack.ts';
import { failingEngine } from '../engine/failing.ts';
import { toyRows } from '../training/toy.ts';

const rows = toyRows(120);
let engine: Engine;
let model: PCAE;
let stack: Stack;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
  model = await fit(rows, { H: 3, epochs: 2, engine });
  stack = await fitStack(rows, { layers: [4, 2], epochs: 1, rounds: 1, engine });
});
afterAll(() => engine.close());

/** Every call that takes a signal. */
const calls: Readonly<Record<string, (where: Where) => Promise<unknown>>> = {
  fit: (where) => fit(rows, { H: 3, epochs: 2, ...where }),
  'fit of bits': (where) => fit(rows, { H: 3, encoding: 'bits', epochs: 6, ...where }),
  'fit by the paper': (where) => fit(rows, { H: 3, algorithm: 'paper', epochs: 2, ...where }),
  'fit, relaxed': (where) => fit(rows, { H: 3, l1: 0.01, epochs: 2, ...where }),
  'fit with a ridge to choose': (where) =>
    fit(rows, { H: 3, ridge: 'auto', validation: 0.2, epochs: 2, ...where }),
  'fit of noisy rows': (where) => fit(rows, { H: 3, epochs: 2, noise: { clean: rows }, ...where }),
  partialFit: (where) => partialFit(model, rows, where),
  fitTransform: (where) => fitTransform(rows, { H: 3, epochs: 2, ...where }),
  fitStack: (where) => fitStack(rows, { layers: [4, 2], epochs: 1, rounds: 1, ...where }),
  fitDecoder: (where) => fitDecoder(model.trainingCodes!, rows, where),
  'fitDecoder, relaxed': (where) => fitDecoder(model.trainingCodes!, rows, { l1: 0.01, ...where }),
  pathH: (where) => pathH(rows, { Hs: [2, 3], epochs: 2, ...where }),
  l1Path: (where) => l1Path(rows, { H: 2, l1s: [0, 0.01], epochs: 2, ...where }),
  encode: (where) => model.encode(rows, where),
  decode: (where) => model.decode(new Float32Array(30), where),
  reconstruct: (where) => model.reconstruct(rows, where),
  evaluate: (where) => model.evaluate(rows, where),
  chooseShrink: (where) => model.chooseShrink(rows, where),
  calibrate: (where) => calibrate(model, rows, { learned: true, ...where }),
  evaluateHidden: (where) => evaluateHidden(model, rows, where),
  impute: (where) => impute(model, rows, where),
  sample: (where) => sample(model, { count: 4, steps: 2, ...where }),
  'encode by a stack': (where) => stack.encode(rows, where),
  'decode by a stack': (where) => stack.decode(new Float32Array(20), where),
  'evaluate a stack': (where) => stack.evaluate(rows, where),
  fitAutoencoder: (where) => fitAutoencoder(rows, { H: 2, units: 'relu', epochs: 2, ...where }),
  fitPca: (where) => fitPca(rows, { H: 2, ...where }),
  pcaLoss: async (where) => pcaLoss(rows, await fitPca(rows, { H: 2, engine }), where),
};

describe.each(Object.entries(calls))('an abort of %s', (_, call) => {
  it('rejects with the reason of the signal, before any work where it has aborted before', async () => {
    const reason = new Error('enough');
    const watched = failingEngine(engine);
    await expect(call({ engine: watched, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(watched.called).toEqual([]);
  });

  it('rejects in the operation that hears of it, wherever that is, and leaves nothing behind', async () => {
    const whole = failingEngine(engine);
    await call({ engine: whole });
    const total = whole.called.length;
    for (const share of [0.1, 0.5, 0.9]) {
      const stop = new AbortController();
      const reason = new Error('enough');
      const at = Math.max(1, Math.floor(share * total));
      const watched = failingEngine(engine, at, () => stop.abort(reason));
      await expect(call({ engine: watched, signal: stop.signal })).rejects.toBe(reason);
      expect(watched.live.size).toBe(0);
      // Nothing that takes long is begun after it: memory is made and given back at most.
      const after = watched.called
        .slice(at)
        .filter((name) => !['floats', 'load', 'turn', 'until'].includes(name));
      expect(after.length, after.join()).toBeLessThanOrEqual(2);
    }
  });
});

it('does not look at codes for a call that has been aborted before', async () => {
  const reason = new Error('enough');
  const wrong = new Float32Array(7);
  await expect(model.decode(wrong, { engine, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});
