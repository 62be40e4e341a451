import { afterAll, describe, expect, it } from 'vitest';
import { fitAutoencoder } from '../../src/baselines/autoencoder.ts';
import { scopeOf, withEngine } from '../../src/engine/scope.ts';
import { createWasmEngine } from '../../src/engine/wasm/engine.ts';
import { toyRows } from '../training/toy.ts';
import { failingEngine, leaks } from './failing.ts';

const engine = await createWasmEngine();
afterAll(() => engine.close());

describe('a scope', () => {
  it('works like the engine it was made of', async () => {
    await withEngine({ engine }, async (inside) => {
      const A = inside.floats(2);
      A.write([3, 4]);
      expect(await inside.gram(A, 2, 1)).toEqual(await engine.gram(A, 2, 1));
      expect(inside).toMatchObject({ name: engine.name, threads: engine.threads, usable: true });
    });
  });

  it('gives back what is left, once, and nothing that others made', async () => {
    const watched = failingEngine(engine);
    const others = watched.floats(1);
    const { engine: inside, release } = scopeOf(watched);
    const early = inside.floats(3);
    inside.load(toyRows(4, 1));
    early.free();
    expect(watched.live.size).toBe(2);
    release();
    release();
    expect([...watched.live]).toEqual([others]);
    await expect(early.read()).rejects.toThrow('already freed');
    others.free();
  });

  it('lets scopes lie within scopes', async () => {
    const watched = failingEngine(engine);
    const kept = await withEngine({ engine: watched }, async (outer) => {
      const A = outer.floats(1);
      await withEngine({ engine: outer }, async (inner) => inner.floats(1));
      expect(watched.live).toEqual(new Set([A]));
      return A;
    });
    expect(watched.live.size).toBe(0);
    await expect(kept.read()).rejects.toThrow('already freed');
  });
});

describe('an autoencoder that fails half-way', () => {
  it('leaves nothing in the engine, and neither does one that does not fail', async () => {
    const rows = toyRows(30, 1);
    const options = { H: 2, units: 'relu', epochs: 1, validation: 0.2 } as const;
    const { last } = await fitAutoencoder(rows, { ...options, engine });
    expect(await leaks(engine, (failing) => fitAutoencoder(rows, { ...options, engine: failing }))).toEqual(
      [],
    );
    expect(await leaks(engine, (failing) => last.encode(rows, { engine: failing }))).toEqual([]);
    expect(await leaks(engine, (failing) => last.decode(new Float32Array(4), { engine: failing }))).toEqual(
      [],
    );
  });
});
