/**
 * A binary range coder (Martin 1979) with the carry of LZMA: an interval [low, low + range) is cut in two in
 * proportion to the probability of a one, and the part of the bit that came is kept.
 *
 * All numbers are integers below 2^53, on which the arithmetic of JavaScript is exact, so the bytes are the
 * same on every machine. Probabilities are 1 .. 65535, in units of 2^-16.
 */
export const PROBABILITY_BITS = 16;
const ONE = 2 ** PROBABILITY_BITS;
const TOP = 2 ** 24;
const WORD = 2 ** 32;

export class RangeEncoder {
  private low = 0;
  private range = WORD - 1;
  private cache = 0;
  /** Bytes held back: the cached one and the 255s after it, all of which a carry would change. */
  private held = 1;
  private bytes = new Uint8Array(1024);
  private length = 0;

  encode(bit: number, probability: number): void {
    const bound = Math.floor((this.range * probability) / ONE);
    if (bit) {
      this.range = bound;
    } else {
      this.low += bound;
      this.range -= bound;
    }
    while (this.range < TOP) {
      this.range *= 256;
      this.shift();
    }
  }

  /** The bytes so far, exactly as many as a decoder will ask for. The encoder is of no use afterwards. */
  finish(): Uint8Array {
    for (let k = 0; k < 5; k++) this.shift();
    return this.bytes.slice(0, this.length);
  }

  private shift(): void {
    if (this.low < 0xff000000 || this.low >= WORD) {
      const carry = this.low >= WORD ? 1 : 0;
      for (let byte = this.cache; this.held > 0; this.held--, byte = 255) this.push((byte + carry) & 255);
      this.cache = Math.floor(this.low / TOP) & 255;
    }
    this.held++;
    this.low = (this.low % TOP) * 256;
  }

  private push(byte: number): void {
    if (this.length === this.bytes.length) {
      const larger = new Uint8Array(2 * this.length);
      larger.set(this.bytes);
      this.bytes = larger;
    }
    this.bytes[this.length++] = byte;
  }
}

export class RangeDecoder {
  private readonly bytes: Uint8Array;
  private at = 0;
  private range = WORD - 1;
  private code = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    for (let k = 0; k < 5; k++) this.code = ((this.code % TOP) * 256 + this.next()) % WORD;
  }

  decode(probability: number): number {
    const bound = Math.floor((this.range * probability) / ONE);
    let bit = 0;
    if (this.code < bound) {
      this.range = bound;
      bit = 1;
    } else {
      this.code -= bound;
      this.range -= bound;
    }
    while (this.range < TOP) {
      this.range *= 256;
      this.code = this.code * 256 + this.next();
    }
    return bit;
  }

  /** Bytes that were not asked for. */
  get left(): number {
    return this.bytes.length - this.at;
  }

  private next(): number {
    if (this.at === this.bytes.length) throw new RangeError('the compressed data end too early');
    return this.bytes[this.at++];
  }
}
