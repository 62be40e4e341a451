import { z } from 'zod';
import {
  checkFinite,
  readSafetensors,
  type Safetensors,
  type Tensor,
  writeSafetensors,
} from '../formats/safetensors.ts';
import { lossByName } from '../losses/by-name.ts';
import type { Loss } from '../losses/loss.ts';
import { FormatError } from '../rows/errors.ts';
import type { ModelParts } from './model.ts';

/**
 * Model files are safetensors: W, B and curvature as tensors, everything else as JSON in the metadata. The format
 * has a version; files of older versions stay readable.
 */
export const FORMAT_VERSION = 1;

const entrySchema = z.object({
  epoch: z.number(),
  seconds: z.number(),
  loss: z.number(),
  slack: z.number().optional(),
  gap: z.number().optional(),
  rate: z.number(),
  validation: z.number().optional(),
});

const size = z
  .number()
  .int()
  .min(1)
  .max(2 ** 31);

const metadataSchema = z.object({
  format: z.literal('pc-ae'),
  version: z.number().int().min(1).max(FORMAT_VERSION),
  V: size,
  H: size,
  encoding: z.enum(['box', 'real', 'bits']),
  bias: z.boolean(),
  loss: z.string(),
  radius: z.number().positive(),
  training: z.object({
    algorithm: z.enum(['fast', 'paper', 'decoder']),
    n: size,
    loss: z.number(),
    gap: z.number(),
    seed: z.number().int(),
    ridge: z.number().min(0),
    l1: z.number().min(0),
    epochs: z.number().int(),
    seconds: z.number(),
    stopped: z.enum(['converged', 'epochs', 'time', 'validation', 'aborted']),
    converged: z.boolean(),
    history: z.array(entrySchema),
  }),
  columns: z.array(z.string()).optional(),
  groups: z
    .array(z.object({ name: z.string(), first: z.number().int().min(0), values: z.array(z.string()).min(1) }))
    .optional(),
  image: z.object({ height: size, width: size }).optional(),
  reading: z
    .object({
      values: z.enum(['bits', 'signs', 'unit', 'bytes', 'presence', 'packed']),
      binarize: z.enum(['sample', 'threshold', 'none']),
      seed: z.number().int(),
      kind: z.enum(['bits', 'real']),
    })
    .optional(),
});

export function writeModel(model: ModelParts): Uint8Array {
  const { V, H, encoding, bias, radius, training, columns, groups, image, reading } = model;
  const metadata = {
    format: 'pc-ae',
    version: FORMAT_VERSION,
    V,
    H,
    encoding,
    bias,
    loss: model.reconstructionLoss.name,
    radius,
    training,
    columns,
    groups,
    image,
    reading,
  };
  const width = model.W.length / V;
  return writeSafetensors(
    [
      ['W', { type: 'F32', shape: [V, width], data: model.W }],
      ['B', { type: 'F32', shape: [V, width], data: model.B }],
      ['curvature', { type: 'F32', shape: [V], data: model.curvature }],
      ...columnWeights(model),
    ],
    { 'pc-ae': JSON.stringify(metadata) },
  );
}

/** The parts of the model in `bytes`; `name` is what errors call the file. */
export function readModel(bytes: Uint8Array, name: string, losses: readonly Loss[] = []): ModelParts {
  const file = readSafetensors(bytes, name);
  const { format: _, version: __, loss, ...rest } = readMetadata(file, name);
  const { V, H, bias, columns, groups } = rest;
  if (columns && columns.length !== V) {
    throw new FormatError(name, 'metadata', `names ${columns.length} columns for rows of ${V}`);
  }
  for (const { name: group, first, values } of groups ?? []) {
    if (first + values.length > V)
      throw new FormatError(name, 'metadata', `group '${group}' reaches beyond the ${V} columns`);
  }
  const width = bias ? H + 1 : H;
  return {
    ...rest,
    reconstructionLoss: lossByName(loss, [...losses]),
    W: tensor(file, 'W', [V, width], name),
    B: tensor(file, 'B', [V, width], name),
    curvature: tensor(file, 'curvature', [V], name),
    columnWeights: file.tensors.has('columnWeights') ? tensor(file, 'columnWeights', [V], name) : undefined,
  };
}

function columnWeights({ V, columnWeights: data }: ModelParts): [string, Tensor][] {
  return data ? [['columnWeights', { type: 'F32', shape: [V], data }]] : [];
}

function readMetadata(file: Safetensors, name: string): z.infer<typeof metadataSchema> {
  const text = file.metadata['pc-ae'];
  if (text === undefined) {
    throw new FormatError(
      name,
      'metadata',
      "is a safetensors file, but not a model of ours: no 'pc-ae' entry",
    );
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new FormatError(name, 'metadata', `cannot be read as JSON (${(error as Error).message})`);
  }
  const version = (parsed as { version?: unknown } | null)?.version;
  if (typeof version === 'number' && version > FORMAT_VERSION) {
    throw new FormatError(
      name,
      'metadata',
      `has format version ${version}; this program reads up to ${FORMAT_VERSION}`,
    );
  }
  const checked = metadataSchema.safeParse(parsed);
  if (checked.success) return checked.data;
  const { path, message } = checked.error.issues[0];
  throw new FormatError(name, `metadata, ${path.join('.') || 'top level'}`, message);
}

function tensor(file: Safetensors, key: string, shape: readonly number[], name: string): Float32Array {
  const found = file.tensors.get(key);
  if (!found) throw new FormatError(name, `tensor '${key}'`, 'is missing');
  if (found.type !== 'F32' || found.shape.join() !== shape.join()) {
    const expected = `F32 of ${shape.join(' x ')}`;
    throw new FormatError(
      name,
      `tensor '${key}'`,
      `is ${found.type} of ${found.shape.join(' x ')}, expected ${expected}`,
    );
  }
  checkFinite(found, key, name);
  return found.data as Float32Array;
}
