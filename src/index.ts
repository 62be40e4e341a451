/**
 * PC-AE: binary autoencoding with a guarantee. This is all that runs anywhere, in a browser as in Node;
 * `pc-ae/node` adds files and threads.
 */
export {
  type AutoencoderOptions,
  type ChosenEpoch,
  type EpochLosses,
  type FittedAutoencoder,
  fitAutoencoder,
  type Inputs,
  OneLayerAutoencoder,
  type Units,
} from './baselines/autoencoder.ts';
export { fitPca, type PcaOptions, type PcaWithLink, pcaLoss } from './baselines/pca.ts';
export { codesAsText, codesFromFaiss, codesFromText, faissBytes } from './bits/exchange.ts';
export {
  type BitOrder,
  type CodeShape,
  codesAsRows,
  type PackedCodes,
  packCodes,
  reorderCodes,
  unpackCodes,
} from './bits/pack.ts';
export {
  type BoxCodes,
  type DrawOptions,
  drawCodes,
  type ExpectedLoss,
  expectedLoss,
} from './bits/randomised.ts';
export { type CompressOptions, type Compressor, compressRows, openCompressor } from './compress/compress.ts';
export { type Breakdown, breakdown, decompressBlocks, decompressRows } from './compress/decompress.ts';
export { type DigitImages, type DigitOptions, type Digits, digits } from './data/digits.ts';
export type { EncodingName, SetName } from './encodings/index.ts';
export { defaultEngine, setDefaultEngine } from './engine/default.ts';
export type { Block, Engine, Floats, Point, Range, Shape } from './engine/engine.ts';
export { referenceEngine } from './engine/reference.ts';
export { createWasmEngine, type WasmEngineOptions } from './engine/wasm/engine.ts';
export type { EncoderAccuracy } from './export/accuracy.ts';
export { exportDecoder } from './export/decoder.ts';
export { type EncoderOptions, exportEncoder } from './export/encoder.ts';
export * from './figures/index.ts';
export * from './formats/index.ts';
export * from './losses/index.ts';
export {
  type Autoencoder,
  type EncodedPiece,
  loadAutoencoder,
  type Reconstruction,
} from './model/autoencoder.ts';
export {
  type CodesAndCorrelations,
  type DecoderOptions,
  type FittedDecoder,
  fitDecoder,
} from './model/decoder.ts';
export { fit, fitIterator, partialFit } from './model/fit.ts';
export { fitStack, fitStackIterator, type StackOptions, type StackProgress } from './model/fit-stack.ts';
export type { Drift, Guarantee } from './model/guarantee.ts';
export { type Imputed, type ImputeOptions, impute, type Shrunk } from './model/impute.ts';
export { type LocalMaskOptions, localMask, strongestMask } from './model/masks.ts';
export {
  type EncodeOptions,
  type EvaluateOptions,
  type LossReport,
  type ModelParts,
  PCAE,
  type TrainingRecord,
} from './model/model.ts';
export { l1Path, l1PathIterator, type PathOptions, type PathStep } from './model/path.ts';
export { type PathHOptions, type PathHStep, pathH } from './model/path-h.ts';
export type { Restoring } from './model/restore.ts';
export { type Sampled, type SampleOptions, sample } from './model/sample.ts';
export {
  Stack,
  type StackEncoded,
  type StackEncodeOptions,
  type StackEvaluateOptions,
  type StackParts,
  type StackRound,
} from './model/stack.ts';
export { type Report, type ReportPart, report, type SummaryLine } from './report/report.ts';
export type { Binarize } from './rows/binarize.ts';
export { type Corruption, type CorruptionKind, corrupt } from './rows/corrupt.ts';
export { FormatError } from './rows/errors.ts';
export { categoryOf, normaliseGroups } from './rows/groups.ts';
export { asRows, type RowsInput, type Table, type TableValues } from './rows/input.ts';
export { collect, memorySource, type RowNames } from './rows/memory.ts';
export type { NameList } from './rows/names.ts';
export { type BitRows, entry, type RealRows, type Rows, rowBytes, sliceRows, takeRows } from './rows/rows.ts';
export type { Selection } from './rows/select.ts';
export type { ColumnGroup, RowSource } from './rows/source.ts';
export { folds, holdOut } from './rows/split.ts';
export type { ValueKind } from './rows/values.ts';
export {
  type CodeSearch,
  type Nearest,
  nearest,
  openSearch,
  type SearchOptions,
  type Within,
  within,
} from './search/search.ts';
export type { Encoded } from './solvers/encode.ts';
export type { Effort } from './solvers/encode-bits.ts';
export type { Shrink, ShrinkOptions } from './solvers/shrink.ts';
export type { Checkpoint, CheckpointProgress, CheckpointSink } from './training/checkpoint.ts';
export type { HistoryEntry, Stopped } from './training/history.ts';
export { type Noise, noiseInCorrelations } from './training/noise.ts';
export type { FitOptions, Progress } from './training/options.ts';
