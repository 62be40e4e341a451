import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../../src/engine/node/index.ts';
import { Memory } from '../../../src/engine/wasm/memory.ts';
import { crossEntropy } from '../../../src/math.ts';
import { holds } from '../../property.ts';

const MEBIBYTE = 1048576;

describe('the allocator', () => {
  it('never hands out overlapping pieces, and joins what is given back', () =>
    holds(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 5000 }), fc.boolean()), { maxLength: 200 }),
        (steps) => {
          const memory = new Memory(4 * MEBIBYTE);
          const first = memory.allocate(1, 'a test');
          memory.free(first);
          const held: { at: number; bytes: number }[] = [];
          for (const [bytes, giveBack] of steps) {
            if (giveBack && held.length > 0) {
              memory.free(held.splice(bytes % held.length, 1)[0].at);
              continue;
            }
            const at = memory.allocate(bytes, 'a test');
            expect(at % 64).toBe(0);
            expect(at + bytes).toBeLessThanOrEqual(memory.size);
            for (const other of held) {
              expect(
                at + bytes <= other.at || other.at + other.bytes <= at || bytes * other.bytes === 0,
              ).toBe(true);
              expect(at).not.toBe(other.at);
            }
            held.push({ at, bytes });
          }
          for (const { at } of held) memory.free(at);
          // All of it is one piece again.
          expect(memory.allocate(memory.size - first, 'a test')).toBe(first);
        },
      ),
      { seed: 31, numRuns: 100 },
    ));

  it('says how much is needed and how much is left', () => {
    const memory = new Memory(MEBIBYTE);
    expect(() => memory.allocate(5 * MEBIBYTE, 'the codes')).toThrow(
      /the codes need 5\.0 MiB, but at most 0\.9 MiB are left/,
    );
    expect(memory.allocate(1000, 'less')).toBeGreaterThan(0);
  });
});

describe('the memory of an engine', () => {
  it('what cannot fit is refused before anything starts, and the engine stays usable', async () => {
    const engine = await createEngine({ threads: 1, memory: 8 * MEBIBYTE });
    expect(() => engine.floats(4 * MEBIBYTE)).toThrow(/need 16\.0 MiB/);
    const [V, H, n] = [20000, 40, 20];
    const block = engine.load({ kind: 'bits', n, V, bits: new Uint8Array(n * 2500) });
    const [W, E] = [engine.floats(V * H), engine.floats(n * H)];
    const point = { block, shape: { V, H, bias: false }, W, E, loss: crossEntropy };
    const losses = engine.floats(n);
    await expect(engine.measure(point, { losses })).rejects.toThrow(/packed factors need .* MiB/);
    W.free();
    expect(await engine.gram(E, n, H)).toHaveLength(H * H);
    await engine.close();
  });

  it('what was read is a copy: it stays as it was when the memory changes or grows', async () => {
    const engine = await createEngine({ threads: 1 });
    const a = engine.floats(10);
    a.fill(3);
    const read = await a.read();
    a.fill(4);
    engine.floats(10 * MEBIBYTE);
    expect([...read]).toEqual(Array(10).fill(3));
    expect(read.buffer).toBeInstanceOf(ArrayBuffer);
    expect([...(await a.read(8))]).toEqual([4, 4]);
    await engine.close();
  });

  it('freed floats and those of another engine are refused by name', async () => {
    const engine = await createEngine({ threads: 1 });
    const other = await createEngine({ threads: 1 });
    const a = engine.floats(4);
    await expect(other.gram(a, 2, 2)).rejects.toThrow('the numbers of A belong to another engine');
    a.free();
    await expect(a.read()).rejects.toThrow('already freed');
    await expect(engine.gram(a, 2, 2)).rejects.toThrow('the numbers of A were already freed');
    await expect(engine.gram(engine.floats(3), 2, 2)).rejects.toThrow('are 3 numbers; expected 4');
    await Promise.all([engine.close(), other.close()]);
  });

  it('10,000 packed rows of 784 bits take less than 64 MiB beyond their codes for an encode step', async () => {
    const [V, H, n] = [784, 32, 10_000];
    // 64 MiB, and the codes and their accumulators.
    const engine = await createEngine({ threads: 2, memory: 64 * MEBIBYTE + 2 * 4 * n * H });
    const block = engine.load({ kind: 'bits', n, V, bits: new Uint8Array(n * 98).fill(0x5b) });
    const [W, E, accumulators] = [engine.floats(V * H), engine.floats(n * H), engine.floats(n * H)];
    W.fill(0.1);
    accumulators.fill(0.1);
    const point = { block, shape: { V, H, bias: false }, W, E, loss: crossEntropy };
    await engine.adagrad('codes', point, { steps: 1, rate: 0.3, accumulators, radius: 1 });
    expect((await E.read(0, 1))[0]).not.toBe(0);
    await engine.close();
  });

  it('freeing everything and starting again does not grow the memory', async () => {
    const engine = await createEngine({ threads: 1, memory: 24 * MEBIBYTE });
    for (let round = 0; round < 40; round++) {
      const a = engine.floats(MEBIBYTE);
      await engine.gram(a, 8192, 128);
      a.free();
    }
    await engine.close();
  });
});
