import { setOf } from '../encodings/by-name.ts';
import type { Encoding } from '../encodings/encoding.ts';
import type { Engine } from '../engine/engine.ts';
import type { Certificates } from '../engine/proofs.ts';
import type { Rows } from '../rows/rows.ts';
import { type Coded, type Decoder, type Encoded, Encoder, type Preconditioners } from './encode.ts';
import type { BitsOptions } from './encode-bits.ts';

/** Finds codes for new rows, a few thousand at once. */
interface RowEncoder {
  encode(rows: Rows, tolerance: number): Promise<Encoded>;
  /** Writes the codes of rows that are in the engine already into E. */
  encodeBlock(rows: Pick<Coded, 'block' | 'E'>, tolerance: number): Promise<Certificates>;
  free(): void;
}

interface EncoderOptions extends BitsOptions {
  readonly shrink?: number;
  /** Preconditioners from earlier calls with the same decoder. */
  readonly kept?: Preconditioners;
}

/** The encoder for an encoding: bits are searched for, all other codes solve a convex problem. */
export async function createEncoder(
  engine: Engine,
  encoding: Encoding,
  decoder: Omit<Decoder, 'set'>,
  options: EncoderOptions = {},
): Promise<RowEncoder> {
  if (encoding.discrete) {
    const { BitEncoder } = await import('./encode-bits.ts');
    return BitEncoder.create(engine, decoder, options);
  }
  return Encoder.create(engine, { ...decoder, set: setOf(encoding) }, options.shrink, options.kept);
}
