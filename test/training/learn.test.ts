import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { createEngine } from '../../src/engine/node/index.ts';
import { customLoss } from '../../src/losses/index.ts';
import { fit } from '../../src/model/fit.ts';
import type { Checkpoint } from '../../src/training/checkpoint.ts';
import { toyRows } from './toy.ts';

const rows = toyRows(300);
let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
});
afterAll(() => engine.close());

afterEach(() => {
  vi.useRealTimers();
});

/** A loss may be any number: here five less than the squared one. */
const negative = customLoss({
  name: 'below zero',
  plus: (y) => ((1 - y) / 2) ** 2 - 5,
  minus: (y) => ((1 + y) / 2) ** 2 - 5,
});

describe('a run of learning', () => {
  it.each(['box', 'bits'] as const)(
    'ends by its tolerance where losses are negative: %s',
    async (encoding) => {
      const options = { H: 3, encoding, epochs: 60, tolerance: 0.01, certify: false, engine };
      const { training } = await fit(rows, { ...options, loss: negative });
      expect(training.loss).toBeLessThan(0);
      expect(training.stopped).toBe('converged');
    },
  );

  it('reports the speed at which rows are visited, the short minibatches and a resumed run included', async () => {
    // Where no time passes, speeds are rows in a thousandth of a second.
    vi.useFakeTimers({ toFake: ['performance'] });
    const stop = new AbortController();
    const visited: number[] = [];
    const saved: Checkpoint[] = [];
    const options = { H: 3, epochs: 2, certify: false, engine };
    const { n } = rows;
    await fit(rows, {
      ...{ ...options, signal: stop.signal },
      checkpoint: { every: 1e9, save: async (checkpoint) => void saved.push(checkpoint) },
      onProgress({ phase, rowsPerSecond, epoch }) {
        if (phase !== 'learn') return;
        visited.push(rowsPerSecond / 1000);
        if (epoch === 1) stop.abort();
      },
    });
    const [epoch, more] = visited.slice(-2).map(Math.round);
    expect(epoch).toBe(n);
    expect(more).toBeGreaterThan(n);
    const resumed: number[] = [];
    await fit(rows, {
      ...{ ...options, resume: saved[0] },
      onProgress: ({ phase, rowsPerSecond }) => phase === 'learn' && resumed.push(rowsPerSecond / 1000),
    });
    expect(Math.round(resumed.at(-1) ?? 0)).toBe(2 * n - more);
  });
});
