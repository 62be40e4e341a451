import { z } from 'zod';
import { encodingNames } from '../encodings/by-name.ts';
import type { EncodingName } from '../encodings/encoding.ts';
import { widthOf } from '../engine/engine.ts';
import { readSafetensors, type Safetensors, type Tensor, writeSafetensors } from '../formats/safetensors.ts';
import { lossByName } from '../losses/by-name.ts';
import type { Loss } from '../losses/loss.ts';
import type { Bytes } from '../rows/bytes.ts';
import { FormatError } from '../rows/errors.ts';
import {
  calibrationMetadata,
  calibrationSchema,
  calibrationTensors,
  readCalibration,
} from './calibration-file.ts';
import { matrixTensors, readMatrix, readTensor } from './matrix-tensors.ts';
import { aboutRows, checkColumns, checkMetadata, checkUnits, parseMetadata, size } from './metadata.ts';
import type { ModelParts } from './model.ts';

/**
 * Model files are safetensors: W, B and curvature as tensors, everything else as JSON in the metadata. The format
 * has a version; files of older versions stay readable. Version 2 knows matrices stored sparse, a mask and a relaxation
 * for each column; a model that has none of them is written as version 1, which older programs read.
 */
const FORMAT_VERSION = 2;

/** What files call the mean gap. */
const meanGap = <T extends { readonly gap?: number }>({ gap, ...rest }: T) => ({ ...rest, meanGap: gap });
const stored = <T extends { readonly meanGap?: number }>({ meanGap: gap, ...rest }: T) => ({ ...rest, gap });

const entrySchema = z.object({
  epoch: z.number(),
  loss: z.number(),
  slack: z.number().optional(),
  gap: z.number().optional(),
  rate: z.number(),
  validation: z.number().optional(),
  seconds: z.number(),
});

const metadataSchema = z.object({
  format: z.literal('pc-ae'),
  version: z.number().int().min(1).max(FORMAT_VERSION),
  V: size,
  H: size,
  encoding: z.enum(encodingNames as [EncodingName, ...EncodingName[]]),
  bias: z.boolean(),
  loss: z.string(),
  radius: z.number().positive(),
  training: z.object({
    algorithm: z.enum(['fast', 'paper', 'paper-text', 'decoder']),
    n: size,
    loss: z.number(),
    bound: z.number().optional(),
    gap: z.number().optional(),
    seed: z.number().int(),
    ridge: z.number().min(0),
    l1: z.union([z.number().min(0), z.array(z.number().min(0))]),
    weightGap: z.number().min(0).optional(),
    slackGap: z.number().min(0).optional(),
    epochs: z.number().int(),
    seconds: z.number(),
    stopped: z.enum(['converged', 'epochs', 'time', 'validation', 'aborted']),
    converged: z.boolean(),
    history: z.array(entrySchema),
    seen: z
      .object({ hashes: z.array(z.number()), upTo: z.number(), repeated: z.number().min(0).max(1) })
      .optional(),
  }),
  calibration: calibrationSchema.optional(),
  restoring: z
    .union([z.object({ mask: z.number().min(0).lt(1) }), z.object({ loss: z.number() })])
    .optional(),
  ...aboutRows,
});

export function writeModel(model: ModelParts): Bytes {
  checkFinite(model);
  const { V, H, encoding, bias, radius, training, restoring, columns, groups, image, schema } = model;
  const width = model.W.length / V;
  const tensors: [string, Tensor][] = [
    ...matrixTensors('W', model.W, V, width),
    ...matrixTensors('B', model.B, V, width),
    ...momentsTensor(model),
    ...chosenTensor(model),
    ['curvature', { type: 'F32', shape: [V], data: model.curvature }],
    ...columnWeights(model),
    ...calibrationTensors(model.calibration),
    ...(restoring && 'W' in restoring ? matrixTensors('restoringW', restoring.W, V, width) : []),
  ];
  const metadata = {
    format: 'pc-ae',
    version: isPlain(tensors, model) ? 1 : FORMAT_VERSION,
    V,
    H,
    encoding,
    bias,
    loss: model.reconstructionLoss.name,
    radius,
    training: { ...stored(training), history: training.history.map(stored) },
    calibration: calibrationMetadata(model.calibration),
    restoring: restoring && ('mask' in restoring ? restoring : { loss: restoring.loss }),
    columns,
    groups,
    image,
    schema,
  };
  return writeSafetensors(tensors, { 'pc-ae': JSON.stringify(metadata) });
}

/** A model whose numbers are not finite could not be read again. */
function checkFinite({ W, B, curvature }: ModelParts): void {
  for (const [name, values] of Object.entries({ W, B, curvature })) {
    const wrong = values.findIndex((value) => !Number.isFinite(value));
    if (wrong >= 0)
      throw new RangeError(`save: ${name} holds ${values[wrong]} at ${wrong}; a model's numbers are finite`);
  }
}

/** Whether a file has nothing in it that programs before version 2 do not know. */
function isPlain(tensors: readonly [string, Tensor][], { training, restoring }: ModelParts): boolean {
  const plain = ['W', 'B', 'curvature', 'moments'];
  return typeof training.l1 === 'number' && !restoring && tensors.every(([name]) => plain.includes(name));
}

/** The parts of the model in `bytes`; `name` is what errors call the file. */
export function readModel(bytes: Uint8Array, name: string, losses: readonly Loss[] = []): ModelParts {
  const file = readSafetensors(bytes, name);
  const { format: _, version: __, loss, ...rest } = readMetadata(file, name);
  const { V, H, bias, columns, groups } = rest;
  checkColumns(V, columns, groups, name);
  checkUnits(V, H, name);
  const { l1 } = rest.training;
  if (typeof l1 !== 'number' && l1.length !== V) {
    throw new FormatError(name, 'metadata, training.l1', `has ${l1.length} numbers for rows of ${V}`);
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

function columnWeights({ V, columnWeights: data }: ModelParts): [string, Tensor][] {
  return data ? [['columnWeights', { type: 'F32', shape: [V], data }]] : [];
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

function momentsTensor({ moments, W, V }: ModelParts): [string, Tensor][] {
  const width = W.length / V;
  return moments ? [['moments', { type: 'F32', shape: [width, width], data: moments }]] : [];
}

function readMoments(file: Safetensors, width: number, name: string): Float32Array | undefined {
  if (!file.tensors.has('moments')) return undefined;
  return readTensor(file, 'moments', ['F32'], [width, width], name).data as Float32Array;
}

/** The chosen pairs as bits, the first of each byte the least significant: V x ceil(H / 8). */
function chosenTensor({ chosen, V, H }: ModelParts): [string, Tensor][] {
  if (!chosen) return [];
  const bytes = Math.ceil(H / 8);
  const data = new Uint8Array(V * bytes);
  for (let v = 0; v < V; v++) {
    for (let h = 0; h < H; h++) data[v * bytes + (h >> 3)] |= chosen[v * H + h] << (h & 7);
  }
  return [['mask', { type: 'U8', shape: [V, bytes], data }]];
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
