import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { createEngine } from '../../src/engine/node/index.ts';
import { crossEntropy } from '../../src/math.ts';
import { fitStack, type StackOptions } from '../../src/model/fit-stack.ts';
import { load } from '../../src/model/load.ts';
import { Stack } from '../../src/model/stack.ts';
import { memorySource } from '../../src/rows/memory.ts';
import { entry, sliceRows } from '../../src/rows/rows.ts';
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
    let compared = 0;
    for (let i = 0; i < n; i++) {
      let loss = 0;
      for (let v = 0; v < test.V; v++) {
        const x = entry(test, i, v);
        const y = decoded[i * test.V + v];
        loss += x > 0 ? crossEntropy.plus(y) : crossEntropy.minus(y);
      }
      // A reconstruction within 1e-7 of 1 is 1 in float32, which a wrong bit makes dear, or endless.
      if (!Number.isFinite(loss)) continue;
      compared++;
      expect(Math.abs(losses[i] - loss)).toBeLessThan(0.005 * loss);
    }
    expect(compared).toBeGreaterThan(0.8 * n);
    expect(await stack.loss(test, { engine })).toBeLessThan(1.5 * baseRateLoss(test));
  });

  it('encodes rows alike whatever rows lie beside them', async () => {
    const { codes } = await stack.encode(test, { engine });
    const alone = await stack.encode(sliceRows(test, 10, 15), { engine });
    for (const [k, e] of alone.codes.entries()) expect(e).toBeCloseTo(codes[10 * stack.H + k], 4);
  });

  it('measures rows by their weights, or against other rows', async () => {
    const { losses } = await stack.encode(test, { engine });
    const only = Float32Array.from({ length: test.n }, (_, i) => Number(i === 7));
    const { loss } = await stack.evaluate(test, { engine, rowWeights: only });
    expect(loss).toBeCloseTo(losses[7], 4);
    const plain = await stack.evaluate(test, { engine });
    expect(plain.n).toBe(test.n);
    expect(plain.lossPerBit).toBeCloseTo(plain.loss / test.V, 6);
    expect(await stack.evaluate(test, { engine, against: test })).toEqual(plain);
    const other = await stack.evaluate(test, { engine, against: toyRows(40, 6) });
    expect(other.hamming).toBeGreaterThan(plain.hamming);
  });

  it('tells how far it has come: layer by layer, then in rounds', async () => {
    const seen: string[] = [];
    await fitStack(rows, {
      ...{ layers: [6, 2], epochs: 2, rounds: 2, engine },
      onProgress({ phase, number, of, fraction }) {
        expect(fraction).toBeLessThanOrEqual(1);
        seen.push(`${phase} ${number} of ${of}`);
      },
    });
    const known = ['layer 1 of 2', 'layer 2 of 2', 'round 1 of 2', 'round 2 of 2'];
    const order = seen.map((text) => known.indexOf(text));
    expect(order).toEqual([...order].sort());
    // Of each phase the first is told, and of all the last.
    for (const told of ['layer 1 of 2', 'round 1 of 2', 'round 2 of 2']) expect(seen).toContain(told);
  });

  it('rejects when it is aborted, or gives the stack as it is where a partial one is asked for', async () => {
    const stopped = (more: Partial<StackOptions>) => {
      const stop = new AbortController();
      return fitStack(rows, {
        ...{ layers: [6, 2], epochs: 2, rounds: 6, engine, signal: stop.signal, ...more },
        onProgress: ({ phase }) => phase === 'round' && stop.abort(),
      });
    };
    await expect(stopped({})).rejects.toMatchObject({ name: 'AbortError' });
    expect((await stopped({ partial: true })).training.history.length).toBeLessThan(7);
    const signal = AbortSignal.abort();
    for (const partial of [true, false])
      await expect(fitStack(rows, { layers: [6, 2], engine, signal, partial })).rejects.toThrow(/abort/);
  });

  it('keeps what its source says of the columns', async () => {
    const columns = Array.from({ length: rows.V }, (_, v) => `c${v}`);
    const image = { height: 14, width: 14 };
    const named = await fitStack(memorySource(rows, { columns, image }), {
      ...{ layers: [4, 2], epochs: 1, rounds: 0, engine },
    });
    expect(load(named.save(), { as: Stack })).toMatchObject({ columns, image, training: { seed: 1 } });
  });

  it('is the same after a file', async () => {
    const copy = load(stack.save(), { as: Stack });
    expect(() => (stack.save as (path: string) => unknown).call(stack, 'x')).toThrow('save: takes nothing');
    expect(await copy.encode(test, { engine })).toEqual(await stack.encode(test, { engine }));
    expect(() => load(stack.save().subarray(0, 50), { as: Stack, name: 's' })).toThrow(/^s/);
  });

  it('names what it cannot do', async () => {
    await expect(fitStack(rows, { layers: [8], engine })).rejects.toThrow(/two or more whole numbers/);
    await expect(fitStack(rows, undefined as unknown as StackOptions)).rejects.toThrow(/layers: \[64, 16\]/);
    await expect(fitStack(undefined as never, { layers: [4, 2] })).rejects.toThrow(/^rows: expected arrays/);
    for (const [name, wrong] of [
      ...[Number.NaN, -1, 1.5].map((rounds) => ['rounds', { rounds }] as const),
      ...[Number.NaN, -1, 0, Number.POSITIVE_INFINITY].map((coupling) => ['coupling', { coupling }] as const),
    ]) {
      await expect(fitStack(rows, { layers: [4, 2], epochs: 1, engine, ...wrong })).rejects.toThrow(
        `fitStack: ${name} must be`,
      );
    }
    await expect(stack.encode(test, { rounds: 0.5, engine })).rejects.toThrow(
      /rounds must be a whole number/,
    );
    await expect(stack.decode(new Float32Array(4).fill(Number.NaN), { engine })).rejects.toThrow(
      /codes must be finite/,
    );
    await expect(stack.encode({ data: new Uint8Array(20), n: 2, V: 10 }, { engine })).rejects.toThrow(
      /196 columns/,
    );
  });
});
