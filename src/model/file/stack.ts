import * as z from 'zod/mini';
import { readSafetensors, writeSafetensors } from '../../formats/safetensors.ts';
import type { Bytes } from '../../rows/bytes.ts';
import { FormatError } from '../../rows/errors.ts';
import type { StackParts } from '../stack.ts';
import { checkWeights } from './matrix-tensors.ts';
import { aboutRows, checkColumns, checkMetadata, checkUnits, parseMetadata, size } from './metadata.ts';

/** The format that the metadata of a stack name; those of a model of one layer name 'pc-ae'. */
export const STACK_FORMAT = 'pc-ae-stack';

const schema = z.object({
  format: z.literal(STACK_FORMAT),
  version: z.literal(1),
  V: size,
  layers: z.array(size).check(z.minLength(2)),
  coupling: z.number().check(z.positive()),
  training: z.object({
    n: size,
    loss: z.number(),
    seed: z.int(),
    ridge: z.number().check(z.nonnegative()),
    seconds: z.number(),
    history: z.array(z.object({ round: z.number(), coupling: z.number(), loss: z.number() })),
  }),
  ...aboutRows,
});

/**
 * A stack as safetensors: W1 beside the rows, W2 above it and so on; everything else as JSON in the metadata.
 */
export function writeStack(stack: StackParts): Bytes {
  const { V, layers, coupling, training, columns, groups, image, schema } = stack;
  const sizes = layers.map(({ H }) => H);
  const about = { columns, groups, image, schema };
  const metadata = { format: STACK_FORMAT, version: 1, V, layers: sizes, coupling, training, ...about };
  return writeSafetensors(
    layers.map(({ H, W }, k) => [
      `W${k + 1}`,
      { type: 'F32', shape: [k === 0 ? V : sizes[k - 1], H + 1], data: W },
    ]),
    { 'pc-ae': JSON.stringify(metadata) },
  );
}

/** The parts of the stack in `bytes`; `name` is what errors call the file. */
export function readStack(bytes: Uint8Array, name: string): StackParts {
  const file = readSafetensors(bytes, name);
  const { json } = parseMetadata(file.metadata, name);
  const { format: _, version: __, layers: sizes, ...rest } = checkMetadata(schema, json, name);
  const { V, columns, groups } = rest;
  checkColumns(V, columns, groups, name);
  const layers = sizes.map((H, k) => {
    const key = `W${k + 1}`;
    checkUnits(k === 0 ? V : sizes[k - 1], H, name);
    const found = file.tensors.get(key);
    const expected = `${k === 0 ? V : sizes[k - 1]} x ${H + 1}`;
    if (found?.type !== 'F32' || found.shape.join(' x ') !== expected) {
      throw new FormatError(name, `tensor '${key}'`, `is missing or is not F32 of ${expected}`);
    }
    checkWeights(found, key, name);
    return { H, W: found.data as Float32Array };
  });
  return { ...rest, layers };
}
