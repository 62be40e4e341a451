/**
 * A program that uses every sub-path of the package, as somebody else's would, compiled against the built
 * declarations by the oldest and the newest TypeScript with the strictest flags (scripts/check-types.mjs). It
 * is never run.
 */
import type { Autoencoder, Encoded, FitOptions, LossReport, Stack } from 'pc-ae';
import { fit, fitStack, fitTransform, impute, load, PCAE } from 'pc-ae';
import { fitAutoencoder, fitPca, type PcaOptions, type PcaWithLink } from 'pc-ae/baselines';
import type { BitOrder, BoxCodes, CodeShape, DrawOptions, ExpectedLoss, PackedCodes } from 'pc-ae/bits';
import { drawCodes, expectedLoss, nearest, packCodes } from 'pc-ae/bits';
import { type Breakdown, breakdown, type CompressOptions, compressRows } from 'pc-ae/compress';
import { createWasmEngine, type Engine, type Point, type WasmEngineOptions } from 'pc-ae/engine';
import { lossCurveFigure, report } from 'pc-ae/figures';
import { blobBytes, encodeRows, openBytes } from 'pc-ae/formats';
import { algorithm1, crossEntropy, matrix, worstCaseBound } from 'pc-ae/math';
import { checkpointFile, createEngine, loadModel, openSource, saveModel } from 'pc-ae/node';
import { exportDecoder, exportEncoder } from 'pc-ae/onnx';
import { asRows, collect, type Rows, type RowsInput, sliceRows } from 'pc-ae/rows';

export async function learn(data: Uint8Array, signal: AbortSignal): Promise<PCAE> {
  const rows = asRows({ data, n: data.length / 64, V: 64 });
  const options: FitOptions = { H: 8, signal, validation: sliceRows(rows, 0, 10) };
  const model = await fit(rows, { ...options, onProgress: ({ loss }) => console.log(loss.toFixed(2)) });
  const { codes, gaps }: Encoded = await model.encode(rows);
  const { loss, bound }: LossReport = await model.evaluate(rows);
  console.log(codes.length, gaps[0]?.toFixed(3), loss, bound, model.guarantee(0.01).bound);
  const both = await fitTransform(rows, { H: 8, encoding: 'real' });
  const filled = await impute(both.model, rows);
  const stack: Stack = await fitStack(rows, { layers: [16, 4] });
  const kept: Autoencoder = load(stack.save());
  return filled && kept instanceof PCAE ? kept : load(model.save(), { as: PCAE });
}

export async function files(path: string, file: File): Promise<void> {
  const source = await openSource(path);
  const rows = await collect(source);
  await saveModel(
    'model.safetensors',
    await fit(rows, { H: 4, checkpoint: { ...checkpointFile('run'), every: 60 } }),
  );
  const model = await loadModel('model.safetensors', { as: PCAE });
  const dropped = await openBytes(blobBytes(file.name, file), {});
  for await (const piece of encodeRows(dropped, 'csv')) console.log(piece.length);
  console.log(model.columns?.[0], exportDecoder(model), await exportEncoder(model, { steps: 60 }));
}

export async function others(rows: Rows): Promise<void> {
  const engine: Engine = await createEngine({ threads: 2 });
  const { bestOnValidation } = await fitAutoencoder(rows, { H: 4, units: 'relu', validation: 0.1, engine });
  const svg = lossCurveFigure({ over: 'epochs', series: [{ label: 'loss', x: [1, 2], y: [3, 1] }] });
  console.log(bestOnValidation, report({ title: 'Loss', sections: [] }), svg);
  const { W, E, B } = algorithm1(crossEntropy, matrix(2, 3), matrix(3, 1), 5);
  console.log(worstCaseBound(crossEntropy, E, B, W));
}

/** Bytes can be handed on as they are, to a download as to a request. */
export function download(model: PCAE): Blob {
  return new Blob([model.save(), exportDecoder(model)]);
}

/** The types of what functions take and return have names of their own. */
export const named: [
  (codes: BoxCodes, options: DrawOptions) => Float32Array,
  (engine: Engine, at: Point, options: { draws: number; seed: number }) => Promise<ExpectedLoss>,
  (codes: Float32Array, shape: CodeShape, order: BitOrder) => PackedCodes,
  (rows: Rows, options: CompressOptions) => unknown,
  (bytes: Uint8Array) => Breakdown,
  (options: WasmEngineOptions) => Promise<Engine>,
  (rows: RowsInput, options: PcaOptions) => Promise<PcaWithLink>,
  (codes: PackedCodes, queries: PackedCodes, k: number) => Promise<unknown>,
] = [drawCodes, expectedLoss, packCodes, compressRows, breakdown, createWasmEngine, fitPca, nearest];
