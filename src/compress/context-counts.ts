/**
 * How often a one followed each pattern of a column's first `depth` neighbours. A pattern that was seldom
 * seen leans on what is expected without it: the estimate is (ones + 2 p) / (seen + 2), with p the estimate
 * of a shorter pattern.
 */
export class ContextCounts {
  readonly depth: number;
  private readonly ones: Uint16Array;
  private readonly seen: Uint16Array;

  constructor(columns: number, depth: number) {
    this.depth = depth;
    this.ones = new Uint16Array(columns << depth);
    this.seen = new Uint16Array(columns << depth);
  }

  /** Where the counts of a column and a pattern are; bits of the pattern beyond the depth are left out. */
  place(column: number, pattern: number): number {
    return (column << this.depth) | (pattern & ((1 << this.depth) - 1));
  }

  estimate(place: number, expected: number): number {
    return (this.ones[place] + LEAN * expected) / (this.seen[place] + LEAN);
  }

  /** Counts are halved where they would grow old. */
  update(place: number, bit: number): void {
    this.ones[place] += bit;
    if (++this.seen[place] < OLD) return;
    this.ones[place] >>= 1;
    this.seen[place] >>= 1;
  }
}

const LEAN = 2;
const OLD = 1000;
