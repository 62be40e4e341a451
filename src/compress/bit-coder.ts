import { ONE } from './logistic.ts';
import { RangeDecoder, RangeEncoder } from './range-coder.ts';

/**
 * One face for both directions, so that a predictor is written once and cannot disagree with itself: `code`
 * takes the bit and the probability of a one, and returns the bit. A writer stores the bit it is given; a
 * reader ignores it and returns the stored one.
 */
export interface BitCoder {
  code(bit: number, probability: number): number;
}

export class BitWriter implements BitCoder {
  private readonly encoder = new RangeEncoder();
  code(bit: number, probability: number): number {
    this.encoder.encode(bit, probability);
    return bit;
  }
  finish(): Uint8Array {
    return this.encoder.finish();
  }
}

export class BitReader implements BitCoder {
  private readonly decoder: RangeDecoder;
  constructor(bytes: Uint8Array) {
    this.decoder = new RangeDecoder(bytes);
  }
  code(_bit: number, probability: number): number {
    return this.decoder.decode(probability);
  }
  /** A stream that was read to its end has nothing left. */
  finish(): void {
    if (this.decoder.left > 0) throw new RangeError('the compressed data continue after their end');
  }
}

/** Counts what bits would take, and writes nothing. */
export class BitMeter implements BitCoder {
  /** Bits so far. */
  total = 0;
  code(bit: number, probability: number): number {
    this.total -= Math.log2((bit ? probability : ONE - probability) / ONE);
    return bit;
  }
}
