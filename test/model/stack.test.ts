import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { createEngine } from '../../src/engine/node/index.ts';
import { crossEntropy } from '../../src/losses/index.ts';
import { fitStack, Stack } from '../../src/model/stack.ts';
import { entry } from '../../src/rows/rows.ts';
import { baseRateLoss, toyRows } from '../training/toy.ts';

const rows = toyRows(300);
const test = toyRows(40, 5);
let engine: Engine;
let stack: Stack;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
  stack = await fitStack(rows, { layers: [12, 4], epochs: 10, rounds: 8, engine });
});
afterAll(() => engine.close());

describe('a stack of two layers', () => {
  it('is brought together by its passes', () => {
    const { history, loss } = stack.training;
    expect(history).toHaveLength(9);
    expect(loss).toBeLessThan(history[0].loss);
    expect(loss).toBeLessThan(baseRateLoss(rows));
    expect(stack.H).toBe(4);
  });

  it('decodes rows from the topmost codes alone, and its losses are those of what it decodes to', async () => {
    const { codes, losses, n } = await stack.encode(test, { engine });
    expect(codes.every((e) => Math.abs(e) <= 1)).toBe(true);
    const decoded = await stack.decode(codes, { engine });
    for (let i = 0; i < n; i++) {
      let loss = 0;
      for (let v = 0; v < test.V; v++) {
        const x = entry(test, i, v);
        const y = decoded[i * test.V + v];
        loss += ((1 + x) / 2) * crossEntropy.plus(y) + ((1 - x) / 2) * crossEntropy.minus(y);
      }
      expect(losses[i]).toBeCloseTo(loss, 1);
    }
    expect(await stack.loss(test, { engine })).toBeLessThan(1.5 * baseRateLoss(test));
  });

  it('is the same after a file', async () => {
    const copy = Stack.load(stack.save());
    expect(await copy.encode(test, { engine })).toEqual(await stack.encode(test, { engine }));
    expect(() => Stack.load(stack.save().subarray(0, 50), { name: 's' })).toThrow(/^s/);
  });

  it('names what it cannot do', async () => {
    await expect(fitStack(rows, { layers: [8], engine })).rejects.toThrow(/two or more whole numbers/);
    await expect(stack.encode({ data: new Uint8Array(20), n: 2, V: 10 }, { engine })).rejects.toThrow(
      /196 columns/,
    );
  });
});
