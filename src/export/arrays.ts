import { zipSync } from 'fflate';
import { npyFile, npyText } from '../formats/npy.ts';
import type { PCAE } from '../model/model.ts';

/** The arrays of a model with the bias apart, each with its shape. */
function arrays(model: PCAE): [name: string, shape: readonly number[], values: Float32Array][] {
  const { V, H, bias, W, B } = model;
  const width = W.length / V;
  const units = (A: Float32Array) =>
    Float32Array.from({ length: V * H }, (_, k) => A[Math.floor(k / H) * width + (k % H)]);
  const last = (A: Float32Array) => Float32Array.from({ length: V }, (_, v) => (bias ? A[v * width + H] : 0));
  return [
    ['W', [V, H], units(W)],
    ['bias', [V], last(W)],
    ['B', [V, H], units(B)],
    ...(bias ? [['means', [V], last(B)] as [string, number[], Float32Array]] : []),
  ];
}

function facts(model: PCAE) {
  const { V, H, encoding, bias, radius, columns, image, training } = model;
  const { history: _, ...record } = training;
  const loss = model.reconstructionLoss.name;
  return { format: 'pc-ae', V, H, encoding, hasBias: bias, radius, loss, columns, image, training: record };
}

/** The model as an archive of arrays, for numpy.load. */
export function modelNpz(model: PCAE): Uint8Array {
  const files: Record<string, Uint8Array> = {};
  for (const [name, shape, values] of arrays(model)) files[`${name}.npy`] = npyFile(values, shape);
  // An array like the others: readers of archives take all of their members for arrays.
  files['about.npy'] = npyText(JSON.stringify(facts(model)));
  // A fixed date: the same model gives the same bytes.
  return zipSync(files, { level: 0, mtime: new Date(1980, 0, 1) });
}

/** The model as JSON, for anything else. */
export function modelJson(model: PCAE): string {
  const tables = arrays(model).map(([name, [, width], values]) => [
    name,
    width === undefined ? Array.from(values) : rowsOf(values, width),
  ]);
  return `${JSON.stringify({ ...facts(model), ...Object.fromEntries(tables) })}\n`;
}

function rowsOf(values: Float32Array, width: number): number[][] {
  return Array.from({ length: values.length / width }, (_, v) =>
    Array.from(values.subarray(v * width, (v + 1) * width)),
  );
}
