import * as z from 'zod/mini';
import { encodingNames } from '../../encodings/by-name.ts';
import type { EncodingName } from '../../encodings/encoding.ts';
import { widthOf } from '../../engine/engine.ts';
import { readSafetensors, type Safetensors } from '../../formats/safetensors.ts';
import { lossByName } from '../../losses/by-name.ts';
import type { Loss } from '../../losses/loss.ts';
import { counted } from '../../rows/counted.ts';
import { FormatError } from '../../rows/errors.ts';
import type { ModelParts } from '../parts.ts';
import { calibrationSchema, readCalibration } from './calibration.ts';
import { readMatrix, readTensor } from './matrix-tensors.ts';
import { aboutRows, checkColumns, checkMetadata, checkUnits, parseMetadata, size } from './metadata.ts';
import { neighboursSchema, readNeighbours } from './neighbours.ts';
import { FORMAT_VERSION } from './write.ts';

/** In files the mean gap is called `gap`. */
const meanGap = <T extends { readonly gap?: number }>({ gap, ...rest }: T) => ({ ...rest, meanGap: gap });
const number = z.number();
const amount = number.check(z.nonnegative());

const entrySchema = z.object({
  epoch: number,
  loss: number,
  slack: z.optional(number),
  gap: z.optional(number),
  rate: number,
  validation: z.optional(number),
  seconds: number,
});

const metadataSchema = z.object({
  format: z.literal('pc-ae'),
  version: z.int().check(z.positive(), z.lte(FORMAT_VERSION)),
  V: size,
  H: size,
  encoding: z.enum(encodingNames as [EncodingName, ...EncodingName[]]),
  bias: z.boolean(),
  loss: z.string(),
  radius: number.check(z.positive()),
  temperature: z.optional(number.check(z.positive())),
  training: z.object({
    algorithm: z.enum(['fast', 'paper', 'paper-text', 'decoder']),
    n: size,
    loss: number,
    bound: z.optional(number),
    gap: z.optional(number),
    seed: z.int(),
    ridge: amount,
    ridgeChosen: z.optional(z.boolean()),
    l1: z.union([amount, z.array(amount)]),
    weightGap: z.optional(amount),
    slackGap: z.optional(amount),
    epochs: z.int(),
    seconds: number,
    stopped: z.enum(['converged', 'epochs', 'time', 'validation', 'aborted']),
    converged: z.boolean(),
    history: z.array(entrySchema),
    seen: z.optional(z.object({ hashes: z.array(number), upTo: number, repeated: amount.check(z.lte(1)) })),
  }),
  calibration: z.optional(calibrationSchema),
  neighbours: z.optional(neighboursSchema),
  restoring: z.optional(z.union([z.object({ mask: amount.check(z.lt(1)) }), z.object({ loss: number })])),
  ...aboutRows,
});

/** The parts of the model in `bytes`; `name` is what errors call the file. */
export function readModel(bytes: Uint8Array, name: string, losses: readonly Loss[] = []): ModelParts {
  const file = readSafetensors(bytes, name);
  const { format: _, version: __, loss, ...rest } = readMetadata(file, name);
  const { V, H, bias, columns, groups } = rest;
  checkColumns(V, columns, groups, name);
  checkUnits(V, H, name);
  const { l1 } = rest.training;
  if (typeof l1 !== 'number' && l1.length !== V) {
    throw new FormatError(
      name,
      'metadata, training.l1',
      `has ${counted(l1.length, 'number')} for rows of ${V}`,
    );
  }
  const width = widthOf({ H, bias });
  const floats = (key: string) => readTensor(file, key, ['F32'], [V], name).data as Float32Array;
  const training = { ...meanGap(rest.training), history: rest.training.history.map(meanGap) };
  return {
    ...rest,
    training,
    reconstructionLoss: readLoss(loss, losses, name),
    W: readMatrix(file, 'W', { rows: V, width }, name),
    B: readMatrix(file, 'B', { rows: V, width }, name),
    moments: readMoments(file, width, name),
    chosen: readChosen(file, V, H, name),
    restoring: readRestoring(file, rest.restoring, { rows: V, width }, name),
    curvature: floats('curvature'),
    calibration: readCalibration(file, rest.calibration, name),
    neighbours: readNeighbours(file, rest.neighbours, V, name),
    columnWeights: file.tensors.has('columnWeights') ? floats('columnWeights') : undefined,
  };
}

function readLoss(loss: string, losses: readonly Loss[], name: string): Loss {
  try {
    return lossByName(loss, losses);
  } catch (error) {
    throw new FormatError(name, 'metadata, loss', (error as Error).message, error);
  }
}

function readRestoring(
  file: Safetensors,
  found: z.infer<typeof metadataSchema>['restoring'],
  shape: { readonly rows: number; readonly width: number },
  name: string,
): ModelParts['restoring'] {
  if (!found || 'mask' in found) return found;
  return { ...found, W: readMatrix(file, 'restoringW', shape, name) };
}

function readMetadata(file: Safetensors, name: string): z.infer<typeof metadataSchema> {
  const { json } = parseMetadata(file.metadata, name);
  const version = (json as { version?: unknown } | null)?.version;
  if (typeof version === 'number' && version > FORMAT_VERSION) {
    throw new FormatError(
      name,
      'metadata',
      `has format version ${version}; this program reads up to ${FORMAT_VERSION}`,
    );
  }
  return checkMetadata(metadataSchema, json, name);
}

function readMoments(file: Safetensors, width: number, name: string): Float32Array | undefined {
  if (!file.tensors.has('moments')) return undefined;
  return readTensor(file, 'moments', ['F32'], [width, width], name).data as Float32Array;
}

function readChosen(file: Safetensors, V: number, H: number, name: string): Uint8Array | undefined {
  if (!file.tensors.has('mask')) return undefined;
  const bytes = Math.ceil(H / 8);
  const { data } = readTensor(file, 'mask', ['U8'], [V, bytes], name);
  const chosen = new Uint8Array(V * H);
  for (let v = 0; v < V; v++) {
    for (let h = 0; h < H; h++) chosen[v * H + h] = (data[v * bytes + (h >> 3)] >> (h & 7)) & 1;
  }
  return chosen;
}
