/**
 * Rows seen so far, stored by columns, eight entries per byte; pairs of columns are counted 32 rows at a
 * time.
 */
export class BitColumns {
  readonly V: number;
  /** Rows so far. */
  n = 0;
  private readonly words: number;
  private readonly bits: Int32Array;
  /** Ones of each column. */
  readonly ones: Int32Array;

  constructor(V: number, most: number) {
    this.V = V;
    this.words = (most + 31) >> 5;
    this.bits = new Int32Array(V * this.words);
    this.ones = new Int32Array(V);
  }

  add(row: Uint8Array): void {
    const [word, bit] = [this.n >> 5, 1 << (this.n & 31)];
    for (let v = 0; v < this.V; v++) {
      if (!row[v]) continue;
      this.bits[v * this.words + word] |= bit;
      this.ones[v]++;
    }
    this.n++;
  }

  /** Fills `row` with row i. */
  read(i: number, row: Uint8Array): void {
    const word = i >> 5;
    for (let v = 0; v < this.V; v++) row[v] = (this.bits[v * this.words + word] >>> (i & 31)) & 1;
  }

  /** Rows in which both columns are one. */
  both(u: number, v: number): number {
    const { bits, words } = this;
    const used = (this.n + 31) >> 5;
    let count = 0;
    for (let k = 0; k < used; k++) count += ones(bits[u * words + k] & bits[v * words + k]);
    return count;
  }
}

/** Ones of a word of 32 bits. */
function ones(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
