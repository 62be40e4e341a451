import { z } from 'zod';
import { checkFinite, readSafetensors, writeSafetensors } from '../formats/safetensors.ts';
import { FormatError } from '../rows/errors.ts';
import type { StackParts } from './stack.ts';

const size = z.number().int().min(1);

const schema = z.object({
  format: z.literal('pc-ae-stack'),
  version: z.literal(1),
  V: size,
  layers: z.array(size).min(2),
  coupling: z.number().positive(),
  training: z.object({
    n: size,
    loss: z.number(),
    seconds: z.number(),
    history: z.array(z.object({ round: z.number(), coupling: z.number(), loss: z.number() })),
  }),
});

/** A stack as safetensors: W1 beside the rows, W2 above it and so on; everything else as JSON in the metadata. */
export function writeStack(stack: StackParts): Uint8Array {
  const { V, layers, coupling, training } = stack;
  const sizes = layers.map(({ H }) => H);
  const metadata = { format: 'pc-ae-stack', version: 1, V, layers: sizes, coupling, training };
  return writeSafetensors(
    layers.map(({ H, W }, k) => [
      `W${k + 1}`,
      { type: 'F32', shape: [k === 0 ? V : sizes[k - 1], H + 1], data: W },
    ]),
    { 'pc-ae': JSON.stringify(metadata) },
  );
}

export function readStack(bytes: Uint8Array, name: string): StackParts {
  const file = readSafetensors(bytes, name);
  const parsed = schema.safeParse(parse(file.metadata['pc-ae'], name));
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0];
    throw new FormatError(name, `metadata, ${path.join('.') || 'top level'}`, message);
  }
  const { V, layers: sizes, coupling, training } = parsed.data;
  const layers = sizes.map((H, k) => {
    const key = `W${k + 1}`;
    const found = file.tensors.get(key);
    const expected = `${k === 0 ? V : sizes[k - 1]} x ${H + 1}`;
    if (found?.type !== 'F32' || found.shape.join(' x ') !== expected) {
      throw new FormatError(name, `tensor '${key}'`, `is missing or is not F32 of ${expected}`);
    }
    checkFinite(found, key, name);
    return { H, W: found.data as Float32Array };
  });
  return { V, layers, coupling, training };
}

function parse(text: string | undefined, name: string): unknown {
  if (text === undefined) throw new FormatError(name, 'metadata', "is no stack of ours: no 'pc-ae' entry");
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new FormatError(name, 'metadata', `cannot be read as JSON (${(error as Error).message})`);
  }
}
