import * as z from 'zod/mini';
import type { Safetensors } from '../../formats/safetensors.ts';
import { type Calibration, faultOf } from '../../promises/calibration.ts';
import { FormatError } from '../../rows/errors.ts';
import { readTensor } from './matrix-tensors.ts';
import { size } from './metadata.ts';

const amount = z.number().check(z.nonnegative());

/** A calibration in a model file: losses and guesses as tensors, the rest in the metadata. */
export const calibrationSchema = z.object({
  n: size,
  ceiling: z.number().check(z.positive()),
  seed: z.int(),
  guesses: z.optional(
    z.object({ perRow: size, rows: size, hide: z.number().check(z.gt(0), z.lt(1)), shrink: amount }),
  ),
  described: z.optional(z.object({ nats: amount, gap: amount })),
});

export function readCalibration(
  file: Safetensors,
  found: z.infer<typeof calibrationSchema> | undefined,
  name: string,
): Calibration | undefined {
  if (!found) return undefined;
  const floats = (key: string, shape: number[]) =>
    readTensor(file, `calibration.${key}`, ['F32'], shape, name).data as Float32Array;
  const { guesses, ...rest } = found;
  const calibration = {
    ...rest,
    losses: floats('losses', [found.n]),
    guesses: guesses && {
      perRow: guesses.perRow,
      values: floats('guesses', [guesses.rows, guesses.perRow]),
      hide: guesses.hide,
      shrink: guesses.shrink,
    },
  };
  const fault = faultOf(calibration);
  if (fault) throw new FormatError(name, 'calibration', fault);
  return calibration;
}
