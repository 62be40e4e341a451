import { describe, expect, it } from 'vitest';
import { createWasmEngine } from '../../src/engine/wasm/engine.ts';
import { fit } from '../../src/model/fit.ts';
import { PCAE } from '../../src/model/model.ts';
import { sample } from '../../src/model/sample.ts';
import { corrupt } from '../../src/rows/corrupt.ts';
import { type BitRows, entry, type Rows, rowBytes } from '../../src/rows/rows.ts';

const engine = await createWasmEngine();

/** Rows that are one of two patterns, twelve bits each. */
function twoKinds(n: number): BitRows {
  const bits = new Uint8Array(n * rowBytes(12));
  for (let i = 0; i < n; i++) bits.set(i % 2 ? [0b00111111, 0] : [0b11000000, 0b1111], i * 2);
  return { kind: 'bits', n, V: 12, bits };
}

function ones(rows: Rows, i: number, from: number, to: number): number {
  let count = 0;
  for (let v = from; v < to; v++) if (entry(rows, i, v) > 0) count++;
  return count;
}

describe('sample', () => {
  it('walks to rows like those it learned from, of every kind', async () => {
    const clean = twoKinds(200);
    const corruption = { kind: 'flip', rho: 0.2 } as const;
    const model = await fit(corrupt(clean, corruption), { H: 1, epochs: 60, noise: { clean }, engine });
    const { rows, means } = await sample(model, { count: 40, steps: 15, corruption, engine });
    expect(means).toHaveLength(40 * 12);
    let [first, second] = [0, 0];
    for (let i = 0; i < 40; i++) {
      if (ones(rows, i, 0, 6) >= 5 && ones(rows, i, 6, 12) <= 1) first++;
      if (ones(rows, i, 0, 6) <= 1 && ones(rows, i, 6, 12) >= 5) second++;
    }
    expect(first + second).toBeGreaterThan(35);
    expect(Math.min(first, second)).toBeGreaterThan(5);
  });

  it('is fixed by its seed, and each row walks on its own', async () => {
    const model = await fit(twoKinds(50), { H: 2, epochs: 10, engine });
    const few = await sample(model, { count: 3, steps: 4, seed: 7, engine });
    const many = await sample(model, { count: 9, steps: 4, seed: 7, engine });
    expect(many.rows.bits.slice(0, 6)).toEqual(few.rows.bits);
    const other = await sample(model, { count: 9, steps: 4, seed: 8, engine });
    expect(other.rows.bits).not.toEqual(many.rows.bits);
  });

  it('draws exactly one value of each category', async () => {
    const learned = await fit(twoKinds(50), { H: 2, epochs: 10, engine });
    const groups = [{ name: 'kind', first: 2, values: ['a', 'b', 'c', 'd', 'e'] }];
    const { rows } = await sample(new PCAE({ ...learned, groups }), { count: 20, steps: 3, engine });
    for (let i = 0; i < 20; i++) expect(ones(rows, i, 2, 7)).toBe(1);
  });

  it('names what is wrong', async () => {
    const model = await fit(twoKinds(10), { H: 1, epochs: 1, engine });
    await expect(sample(model, { count: 0, engine })).rejects.toThrow(/count must be a whole number/);
    const start: BitRows = { kind: 'bits', n: 1, V: 8, bits: new Uint8Array(1) };
    await expect(sample(model, { start, engine })).rejects.toThrow(/start has 8 columns, the model 12/);
  });
});
