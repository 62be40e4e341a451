import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { createEngine } from '../../src/engine/node/index.ts';
import { customLoss } from '../../src/losses/index.ts';
import { fit } from '../../src/model/fit.ts';
import { toyRows } from './toy.ts';

const rows = toyRows(300);
let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
});
afterAll(() => engine.close());

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
});
