import * as z from 'zod/mini';
import { checkFinite, readSafetensors, writeSafetensors } from '../formats/safetensors.ts';
import type { Bytes } from '../rows/bytes.ts';
import { conforming } from '../rows/conforming.ts';
import { badFile, FormatError } from '../rows/errors.ts';
import { VectorCodes } from './codes.ts';
import { METRICS } from './vectors.ts';

/** Learned codes of vectors as a safetensors file. */
export function saveVectorCodes(codes: VectorCodes): Bytes {
  const { V, H, metric, temperature, training, words, centre } = codes;
  return writeSafetensors(
    [
      ['words', { type: 'F32', shape: [4 * H, V], data: words }],
      ['centre', { type: 'F32', shape: [V], data: centre }],
    ],
    { 'pc-ae': JSON.stringify({ format: FORMAT, version: 1, V, H, metric, temperature, training }) },
  );
}

/** The codes in such a file; `name` is what errors call it. */
export function loadVectorCodes(bytes: Uint8Array, name = 'codes of vectors'): VectorCodes {
  const { tensors, metadata } = readSafetensors(bytes, name);
  if (!holdsVectorCodes(metadata)) throw badFile(name, 'holds no codes of vectors');
  const {
    format: _,
    version: __,
    ...found
  } = conforming(
    parts,
    JSON.parse(metadata['pc-ae']),
    (place, message) => new FormatError(name, `metadata, ${place.join('.') || 'top level'}`, message),
  );
  const { V, H } = found;
  const tensor = (key: string, length: number): Float32Array => {
    const stored = tensors.get(key);
    if (!(stored?.data instanceof Float32Array) || stored.data.length !== length) {
      throw new FormatError(name, `tensor '${key}'`, `must hold ${length} float32 numbers`);
    }
    checkFinite(stored, key, name);
    return stored.data;
  };
  return new VectorCodes({ ...found, words: tensor('words', 4 * H * V), centre: tensor('centre', V) });
}

/** Whether the metadata of a safetensors file say that it holds codes of vectors. */
export function holdsVectorCodes(metadata: Readonly<Record<string, string>>): boolean {
  try {
    return (JSON.parse(metadata['pc-ae']) as { format?: unknown } | null)?.format === FORMAT;
  } catch {
    return false;
  }
}

const FORMAT = 'pc-ae-vectors';

const parts = z.object({
  format: z.literal(FORMAT),
  version: z.literal(1),
  V: z.int().check(z.positive()),
  H: z.int().check(z.positive(), z.multipleOf(8)),
  metric: z.enum(METRICS as ['cosine', 'inner', 'euclidean']),
  temperature: z.number().check(z.nonnegative()),
  training: z.object({
    ...{
      n: z.int().check(z.nonnegative()),
      error: z.number(),
      squares: z.number(),
      rounds: z.int(),
      seed: z.int(),
      seconds: z.number(),
    },
    recall: z.number(),
  }),
});
