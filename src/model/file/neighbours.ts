import * as z from 'zod/mini';
import type { Safetensors } from '../../formats/safetensors.ts';
import { FormatError } from '../../rows/errors.ts';
import type { Neighbours } from '../../solvers/neighbours.ts';
import { readTensor } from './matrix-tensors.ts';

/**
 * Neighbours in a model file: two tensors hold the columns and weights of all passes, the metadata the rest.
 */
export const neighboursSchema = z.object({
  K: z.int().check(z.nonnegative(), z.lte(4096)),
  passes: z.int().check(z.nonnegative(), z.lte(16)),
  shrink: z.number().check(z.nonnegative()),
  entryLoss: z.number(),
  entryLossAlone: z.number(),
});

export function readNeighbours(
  file: Safetensors,
  found: z.infer<typeof neighboursSchema> | undefined,
  V: number,
  name: string,
): Neighbours | undefined {
  if (!found) return undefined;
  const { K, passes: count } = found;
  if (count === 0) return { ...found, passes: [] };
  const columns = readTensor(file, 'neighbours.columns', ['I32'], [count, V, K], name).data as Int32Array;
  const W = readTensor(file, 'neighbours.W', ['F32'], [count, V, K + 2], name).data as Float32Array;
  const wrong = columns.findIndex((u) => u < 0 || u >= V);
  if (wrong >= 0) {
    const place = `tensor 'neighbours.columns', element ${wrong}`;
    throw new FormatError(name, place, `is column ${columns[wrong]} of ${V}`);
  }
  const passes = Array.from({ length: count }, (_, p) => ({
    columns: columns.slice(p * V * K, (p + 1) * V * K),
    W: W.slice(p * V * (K + 2), (p + 1) * V * (K + 2)),
  }));
  return { ...found, passes };
}
