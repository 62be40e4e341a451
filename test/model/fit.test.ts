import { expect, it } from 'vitest';
import { referenceEngine } from '../../src/engine/reference.ts';
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
  await expect(fit([[1, 0]] as never, { H: 1 })).rejects.toThrow(/got an array of 1; say how many rows/);
  await expect(fit(undefined as never, { H: 1 })).rejects.toThrow(/^rows: expected rows .*, got undefined/);
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
