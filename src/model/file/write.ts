import { type Tensor, writeSafetensors } from '../../formats/safetensors.ts';
import type { Calibration } from '../../promises/calibration.ts';
import type { Bytes } from '../../rows/bytes.ts';
import type { ModelParts } from '../parts.ts';
import { matrixTensors } from './matrix-tensors.ts';

/**
 * Model files are safetensors: W, B and curvature as tensors, everything else as JSON in the metadata. The
 * format has a version, and files of older versions stay readable. Version 2 added sparse matrices, masks and
 * a relaxation per column; version 3 added neighbours. A model is written in the oldest version that can hold
 * it, so that older programs can read it.
 */
export const FORMAT_VERSION = 3;

export function writeModel(model: ModelParts): Bytes {
  checkFinite(model);
  const { V, H, encoding, bias, radius, temperature, training, restoring, columns, groups, image, schema } =
    model;
  const width = model.W.length / V;
  const tensors: [string, Tensor][] = [
    ...matrixTensors('W', model.W, V, width),
    ...matrixTensors('B', model.B, V, width),
    ...momentsTensor(model),
    ...chosenTensor(model),
    ['curvature', { type: 'F32', shape: [V], data: model.curvature }],
    ...columnWeights(model),
    ...calibrationTensors(model.calibration),
    ...neighboursTensors(model),
    ...(restoring && 'W' in restoring ? matrixTensors('restoringW', restoring.W, V, width) : []),
  ];
  const metadata = {
    format: 'pc-ae',
    version: model.neighbours ? FORMAT_VERSION : isPlain(tensors, model) ? 1 : 2,
    V,
    H,
    encoding,
    bias,
    loss: model.reconstructionLoss.name,
    radius,
    temperature,
    training: { ...stored(training), history: training.history.map(stored) },
    calibration: calibrationMetadata(model.calibration),
    neighbours: model.neighbours && { ...model.neighbours, passes: model.neighbours.passes.length },
    restoring: restoring && ('mask' in restoring ? restoring : { loss: restoring.loss }),
    columns,
    groups,
    image,
    schema,
  };
  return writeSafetensors(tensors, { 'pc-ae': JSON.stringify(metadata) });
}

/** Refuses numbers that are not finite, because such a file could not be read again. */
function checkFinite({ W, B, curvature }: ModelParts): void {
  for (const [name, values] of Object.entries({ W, B, curvature })) {
    const wrong = values.findIndex((value) => !Number.isFinite(value));
    if (wrong >= 0)
      throw new RangeError(`save: ${name} holds ${values[wrong]} at ${wrong}; a model's numbers are finite`);
  }
}

/** Whether programs from before version 2 can read the file. */
function isPlain(tensors: readonly [string, Tensor][], { training, restoring }: ModelParts): boolean {
  const plain = ['W', 'B', 'curvature', 'moments'];
  return typeof training.l1 === 'number' && !restoring && tensors.every(([name]) => plain.includes(name));
}

/** In files the mean gap is called `gap`. */
const stored = <T extends { readonly meanGap?: number }>({ meanGap: gap, ...rest }: T) => ({ ...rest, gap });

function columnWeights({ V, columnWeights: data }: ModelParts): [string, Tensor][] {
  return data ? [['columnWeights', { type: 'F32', shape: [V], data }]] : [];
}

function momentsTensor({ moments, W, V }: ModelParts): [string, Tensor][] {
  const width = W.length / V;
  return moments ? [['moments', { type: 'F32', shape: [width, width], data: moments }]] : [];
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

function calibrationMetadata(calibration?: Calibration): object | undefined {
  if (!calibration) return undefined;
  const { n, ceiling, seed, described, guesses } = calibration;
  return {
    n,
    ceiling,
    seed,
    described,
    guesses: guesses && {
      perRow: guesses.perRow,
      rows: guesses.values.length / guesses.perRow,
      hide: guesses.hide,
      shrink: guesses.shrink,
    },
  };
}

function calibrationTensors(calibration?: Calibration): [string, Tensor][] {
  if (!calibration) return [];
  const { n, losses, guesses } = calibration;
  const kept: [string, Tensor][] = [['calibration.losses', { type: 'F32', shape: [n], data: losses }]];
  if (guesses) {
    const shape = [guesses.values.length / guesses.perRow, guesses.perRow];
    kept.push(['calibration.guesses', { type: 'F32', shape, data: guesses.values }]);
  }
  return kept;
}

/** One tensor with the columns of all passes, and one with their weights. */
function neighboursTensors({ V, neighbours }: ModelParts): [string, Tensor][] {
  if (!neighbours?.passes.length) return [];
  const { K, passes } = neighbours;
  const columns = new Int32Array(passes.length * V * K);
  const W = new Float32Array(passes.length * V * (K + 2));
  passes.forEach((pass, p) => {
    columns.set(pass.columns, p * V * K);
    W.set(pass.W, p * V * (K + 2));
  });
  return [
    ['neighbours.columns', { type: 'I32', shape: [passes.length, V, K], data: columns }],
    ['neighbours.W', { type: 'F32', shape: [passes.length, V, K + 2], data: W }],
  ];
}
