/**
 * `pc-ae/baselines`: what PC-AE is compared with: one-layer autoencoders, PCA, and the encoder of the paper.
 *
 * @module pc-ae/baselines
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
export { fitLogisticColumns, guessLogistic, type LogisticColumns } from './baselines/logistic-columns.ts';
export { guessByNearest } from './baselines/nearest-rows.ts';
export { fitPca, type PcaOptions, type PcaWithLink, pcaLoss } from './baselines/pca.ts';
export { PAPER, type PaperEncodeOptions, paperEncode } from './training/paper-encode.ts';
