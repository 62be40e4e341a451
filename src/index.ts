/**
 * PC-AE: binary autoencoding with a guarantee. This is what a user meets first: learning, the model, its
 * losses. It runs anywhere, in a browser as in Node; `pc-ae/node` adds files and threads. The other sub-paths
 * say what they hold.
 *
 * @module pc-ae
 */
export { type DigitImages, type DigitOptions, type Digits, digits } from './data/digits.ts';
export type { EncodingName } from './encodings/encoding.ts';
export type { Engine } from './engine/engine.ts';
export { type Costs, costWeighted } from './losses/cost-weighted.ts';
export { crossEntropy } from './losses/cross-entropy.ts';
export { type CustomLossOptions, customLoss } from './losses/custom.ts';
export { hamming } from './losses/hamming.ts';
export type { Loss } from './losses/loss.ts';
export { squared } from './losses/squared.ts';
export type {
  Autoencoder,
  DecodeOptions,
  EncodedPiece,
  EncodeOptions,
  EvaluateOptions,
  LossReport,
  Reconstruction,
} from './model/autoencoder.ts';
export { type CalibrateOptions, calibrate } from './model/calibrate.ts';
export { type CodeLength, codeLength } from './model/code-length.ts';
export {
  type CodesAndCorrelations,
  type DecoderOptions,
  type FittedDecoder,
  fitDecoder,
} from './model/decoder.ts';
export { type EvaluateHiddenOptions, evaluateHidden, type HiddenReport } from './model/evaluate-hidden.ts';
export {
  type ExactGuarantee,
  type ExactGuaranteeOptions,
  exactGuarantee,
} from './model/exact-guarantee.ts';
export { fit } from './model/fit.ts';
export { fitStack, type StackOptions, type StackProgress } from './model/fit-stack.ts';
export { type FittedCodes, fitTransform } from './model/fit-transform.ts';
export type { Drift, Guarantee } from './model/guarantee.ts';
export { type Imputed, type ImputeOptions, impute } from './model/impute.ts';
export { type LoadAs, type LoadOptions, load } from './model/load.ts';
export { type LocalMaskOptions, localMask, strongestMask } from './model/masks.ts';
export { PCAE } from './model/model.ts';
export { type PartialFitOptions, partialFit } from './model/partial-fit.ts';
export type { ModelParts, Restoring, TrainingRecord } from './model/parts.ts';
export { l1Path, type PathOptions, type PathStep } from './model/path.ts';
export { type PathHOptions, type PathHStep, pathH } from './model/path-h.ts';
export { type Sampled, type SampleOptions, sample } from './model/sample.ts';
export type { Shrunk } from './model/shrunk.ts';
export {
  Stack,
  type StackEncoded,
  type StackEncodeOptions,
  type StackEvaluateOptions,
  type StackParts,
} from './model/stack.ts';
export { type Feature, strongestFeatures, type UnitFeatures } from './model/strongest.ts';
export type { Calibration } from './promises/calibration.ts';
export type { Filling } from './promises/filled.ts';
export type { Asked, Promised } from './promises/promise.ts';
export type { SameSource } from './promises/same-source.ts';
export type { ColumnGroup, RowsAbout } from './rows/about.ts';
export type { Bytes } from './rows/bytes.ts';
export { type Candidate, FormatError } from './rows/errors.ts';
export type { RowsInput } from './rows/input.ts';
export type { Pictures } from './rows/pictures.ts';
export type { Rows } from './rows/rows.ts';
export type { TableSchema } from './rows/schema.ts';
export type { RowSource } from './rows/source.ts';
export { folds, holdOut } from './rows/split.ts';
export type { NestedRows, NestedTable, Table, TableValues } from './rows/table.ts';
export type { Encoded } from './solvers/encode.ts';
export type { Effort } from './solvers/encode-bits.ts';
export type { Shrink, ShrinkOptions } from './solvers/shrink.ts';
export type { Checkpoint, CheckpointProgress, CheckpointSink } from './training/checkpoint/checkpoint.ts';
export type { HistoryEntry, Stopped } from './training/loop/history.ts';
export type { Progress } from './training/loop/progress.ts';
export type { Noise } from './training/noise.ts';
export type { FitOptions } from './training/options.ts';
export type { StackRound } from './training/stack/rounds.ts';
