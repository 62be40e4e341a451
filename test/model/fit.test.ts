import { expect, it } from 'vitest';
import { referenceEngine } from '../../src/engine/reference/engine.ts';
import { fitDecoder } from '../../src/model/decoder.ts';
import { fit } from '../../src/model/fit.ts';
import { asRows } from '../../src/rows/input.ts';
import type { FitOptions } from '../../src/training/options.ts';

it('fit without options says what they are for, and with a misspelt one which there are', async () => {
  const rows = { data: Uint8Array.of(0, 1), n: 1, V: 2 };
  await expect(fit(rows, undefined as unknown as FitOptions)).rejects.toThrow(/fit\(rows, \{ H: 8 \}\)/);
  await expect(fit(rows, { H: 1, epoch: 3 } as FitOptions)).rejects.toThrow(
    /no option 'epoch'; there are H, /,
  );
});

it('fit without rows says what it needs', async () => {
  const holes = { data: [true, null] as never, n: 1, V: 2 };
  await expect(fit(holes, { H: 1 })).rejects.toThrow(
    /got null at 1; a missing entry is NaN, with missing: NaN/,
  );
  await expect(fit(undefined as never, { H: 1 })).rejects.toThrow(/^rows: expected arrays .*, got undefined/);
});

it('rows to validate on may be a flat table, and are checked', async () => {
  const table = { data: Uint8Array.from({ length: 60 }, (_, k) => (k % 3) & 1), n: 20, V: 3 };
  const learn = (validation: unknown) =>
    fit(table, { H: 1, epochs: 3, engine: referenceEngine(), validation } as FitOptions);
  const [flat, packed] = [await learn(table), await learn(asRows(table))];
  expect(flat.training.history.at(-1)?.validation).toBeGreaterThan(0);
  expect(flat.W).toEqual(packed.W);
  await expect(learn({ ...table, n: 19 })).rejects.toThrow(/^validation\.data: expected n \* V/);
});

it('rows to validate on may be bits in another coding, and real values are read as those to learn from', async () => {
  const engine = referenceEngine();
  const bits = Int8Array.from({ length: 40 * 6 }, (_, k) => ((k * k) % 7 > 2 ? 1 : -1));
  const unit = Uint8Array.from(bits, (x) => (x + 1) / 2);
  const last = async (data: Int8Array | Uint8Array, validation: Int8Array | Uint8Array) => {
    const table = { data, n: 40, V: 6 };
    const model = await fit(table, { H: 2, epochs: 3, validation: { ...table, data: validation }, engine });
    return model.training.history.at(-1)?.validation;
  };
  const same = await last(bits, bits);
  for (const [a, b] of [
    [bits, unit],
    [unit, bits],
    [unit, unit],
  ])
    expect(await last(a, b)).toBe(same);
  const real = { data: Float32Array.from(bits, (x, k) => x * Math.abs(Math.sin(k))), n: 40, V: 6 };
  const positive = { ...real, data: real.data.map(Math.abs) };
  const model = await fit(real, { H: 2, epochs: 2, engine });
  const held = async (values?: 'signs') =>
    (await fit(real, { H: 2, epochs: 2, validation: { ...positive, values }, engine })).training.history.at(
      -1,
    );
  expect((await held())?.validation).toBe((await held('signs'))?.validation);
  const codes = await model.transform(real, { engine });
  const decoder = await fitDecoder(codes, real, { engine });
  expect((await decoder.model.evaluate(positive, { engine })).loss).toBe(
    (await decoder.model.evaluate({ ...positive, values: 'signs' }, { engine })).loss,
  );
});

it('a loss per bit is that of a known entry', async () => {
  const engine = referenceEngine();
  const data = Float32Array.from({ length: 60 * 4 }, (_, k) => (k % 2 ? Number.NaN : (k >> 3) & 1));
  const half = { data, n: 60, V: 4, missing: Number.NaN };
  const model = await fit(half, { H: 1, epochs: 3, engine });
  const { loss, lossPerBit } = await model.evaluate(half, { engine });
  expect(lossPerBit).toBeCloseTo(loss / 2, 10);
  const nothing = { ...half, data: data.map(() => Number.NaN) };
  expect(await model.evaluate(nothing, { engine })).toMatchObject({ loss: 0, lossPerBit: 0 });
});
