import { setOf } from '../encodings/by-name.ts';
import type { Encoding } from '../encodings/encoding.ts';
import type { Block, Certificates, Engine, Floats } from '../engine/engine.ts';
import type { Rows } from '../rows/rows.ts';
import { type Decoder, type Encoded, Encoder, type Preconditioners } from './encode.ts';
import { BitEncoder, type BitsOptions } from './encode-bits.ts';

/** Finds codes for new rows, a few thousand at once. */
export interface RowEncoder {
  encode(rows: Rows, tolerance: number): Promise<Encoded>;
  /** Codes of rows that are in the engine already, into E. */
  encodeBlock(block: Block, E: Floats, tolerance: number): Promise<Certificates>;
  free(): void;
}

export interface EncoderOptions extends BitsOptions {
  readonly shrink?: number;
  /** What was found out about the decoder before. */
  readonly kept?: Preconditioners;
}

/** The encoder for a kind of codes: bits are searched for, others are the solution of a convex problem. */
export function createEncoder(
  engine: Engine,
  encoding: Encoding,
  decoder: Omit<Decoder, 'set'>,
  options: EncoderOptions = {},
): Promise<RowEncoder> {
  if (encoding.discrete) return BitEncoder.create(engine, decoder, options);
  return Encoder.create(engine, { ...decoder, set: setOf(encoding) }, options.shrink, options.kept);
}
