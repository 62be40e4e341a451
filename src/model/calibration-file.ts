import { z } from 'zod';
import type { Safetensors, Tensor } from '../formats/safetensors.ts';
import { type Calibration, faultOf } from '../promises/calibration.ts';
import { FormatError } from '../rows/errors.ts';
import { readTensor } from './matrix-tensors.ts';
import { size } from './metadata.ts';

/** A calibration in a model file: losses and guesses as tensors, the rest in the metadata. */
export const calibrationSchema = z.object({
  n: size,
  ceiling: z.number().positive(),
  seed: z.number().int(),
  guesses: z
    .object({ perRow: size, rows: size, hide: z.number().gt(0).lt(1), shrink: z.number().min(0) })
    .optional(),
  described: z.object({ nats: z.number().min(0), gap: z.number().min(0) }).optional(),
});

export function calibrationMetadata(
  calibration?: Calibration,
): z.infer<typeof calibrationSchema> | undefined {
  if (!calibration) return undefined;
  const { n, ceiling, seed, described, guesses } = calibration;
  return {
    ...{ n, ceiling, seed, described },
    guesses: guesses && {
      perRow: guesses.perRow,
      rows: guesses.values.length / guesses.perRow,
      hide: guesses.hide,
      shrink: guesses.shrink,
    },
  };
}

export function calibrationTensors(calibration?: Calibration): [string, Tensor][] {
  if (!calibration) return [];
  const { n, losses, guesses } = calibration;
  const kept: [string, Tensor][] = [['calibration.losses', { type: 'F32', shape: [n], data: losses }]];
  if (guesses) {
    const shape = [guesses.values.length / guesses.perRow, guesses.perRow];
    kept.push(['calibration.guesses', { type: 'F32', shape, data: guesses.values }]);
  }
  return kept;
}

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
