import { expect, it } from 'vitest';
import { fit } from '../../src/model/fit.ts';
import type { FitOptions } from '../../src/training/options.ts';

it('fit without options says what they are for', async () => {
  const rows = { data: Uint8Array.of(0, 1), n: 1, V: 2 };
  await expect(fit(rows, undefined as unknown as FitOptions)).rejects.toThrow(/fit\(rows, \{ H: 8 \}\)/);
});
