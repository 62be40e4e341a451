import * as z from 'zod/mini';
import { checkFinite, readSafetensors, writeSafetensors } from '../formats/safetensors.ts';
import type { Bytes } from '../rows/bytes.ts';
import { conforming } from '../rows/conforming.ts';
import { FormatError } from '../rows/errors.ts';
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
    { [KEY]: JSON.stringify({ V, H, metric, temperature, training }) },
  );
}

/** The codes in such a file; `name` is what errors call it. */
export function loadVectorCodes(bytes: Uint8Array, name = 'codes of vectors'): VectorCodes {
  const { tensors, metadata } = readSafetensors(bytes, name);
  if (!(KEY in metadata)) throw new FormatError(name, '', 'holds no codes of vectors');
  const read = conforming(
    parts,
    parsed(metadata[KEY], name),
    (place, message) => new FormatError(name, `metadata, ${place.join('.') || 'top level'}`, message),
  );
  const { V, H } = read;
  const tensor = (key: string, length: number): Float32Array => {
    const found = tensors.get(key);
    if (!(found?.data instanceof Float32Array) || found.data.length !== length) {
      throw new FormatError(name, `tensor '${key}'`, `must hold ${length} float32 numbers`);
    }
    checkFinite(found, key, name);
    return found.data;
  };
  return new VectorCodes({ ...read, words: tensor('words', 4 * H * V), centre: tensor('centre', V) });
}

const KEY = 'pc-ae vectors';

const parts = z.object({
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

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new FormatError(name, '', 'its metadata is damaged');
  }
}
