import type { Bytes } from '../rows/bytes.ts';
import type { RowsInput } from '../rows/input.ts';
import type { Rows } from '../rows/rows.ts';
import type { EncodeOptions, EvaluateOptions, LossReport, ModelParts } from './model.ts';

/** What every model file holds: something that encodes rows and decodes codes, with one layer or with several. */
export interface Autoencoder
  extends Pick<ModelParts, 'V' | 'H' | 'encoding' | 'reconstructionLoss' | 'columnWeights'>,
    Pick<ModelParts, 'columns' | 'groups' | 'image' | 'schema'> {
  /** Encodes rows piece by piece, in order, with only one piece of a source in memory. */
  encodeSource(rows: RowsInput, options?: EncodeOptions): AsyncGenerator<EncodedPiece>;
  /** What codes (n x H) decode to: reconstructions in [-1, 1], n x V. */
  decode(codes: Float32Array, options?: Pick<EncodeOptions, 'engine'>): Promise<Float32Array>;
  /** How well rows are reconstructed from their codes, with bounds and proofs if there are any. */
  evaluate(rows: RowsInput, options?: EvaluateOptions): Promise<Reconstruction | LossReport>;
  /** The bytes of its file. */
  save(): Bytes;
}

/** Some rows, their codes (n x H) and their losses; and gaps if codes are proven. */
export interface EncodedPiece {
  readonly n: number;
  readonly rows: Rows;
  readonly codes: Float32Array;
  readonly losses: ArrayLike<number>;
  readonly gaps?: ArrayLike<number>;
}

/** What can be measured on every autoencoder. */
export type Reconstruction = Pick<LossReport, 'n' | 'loss' | 'lossPerBit' | 'hamming'>;
