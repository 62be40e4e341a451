/**
 * The contract of an encoding: what a code may be (Sec. 3.1; the proof of Theorem 1 assumes no structure on
 * codes), and all that the rest of the house has to know of it. Nothing outside this room asks for the name
 * of an encoding: a new one is a file here and a line in `by-name.ts`. (Kernels know some sets by number, for
 * speed; see `engine/wasm/sets.ts`.)
 */
export interface Encoding extends CodeSet {
  readonly name: EncodingName;
  /** Codes are true bits: they are searched for, and proven over their convex relaxation, the box. */
  readonly discrete: boolean;
  /**
   * Codes are learned in all of R^H, where units may be turned and scaled one by one, and brought into the
   * set at the end. Codes of other sets stay in their set while they are learned, and units keep their axes.
   */
  readonly free: boolean;
  /** The set has a size, which models bring to 1; otherwise `radius` is how far out certificates reach. */
  readonly bounded: boolean;
  /**
   * How many bits a number of a code may be rounded to, as one of even steps from -1 to 1; none where codes
   * are not rounded.
   */
  readonly roundsTo: readonly number[];
  /**
   * The size of the set while codes are learned in it; Infinity where nothing holds them. Any size is the
   * same model in other coordinates: it leaves room for codes of about unit variance, which learning is tuned
   * for.
   */
  learningRadius(H: number): number;
  /**
   * Weights to start from, made of weights W (V x width) whose codes have mean 0 and unit variance: the set
   * is laid around those codes by an affine map that weights and bias undo, so that learning starts from the
   * same scores.
   */
  start(W: Float32Array, shape: CodeShape): Float32Array;
  readonly words: EncodingWords;
  /** Options that make no sense with it, by their names in the library, and why. */
  readonly refuses: Refusals;
}

/**
 * A set of codes, of any size. A convex set needs two things: the nearest point, and the most that a linear
 * function can fall by inside the set, which is what turns a gradient into a certificate. The set of size
 * `radius` lies within the box of that radius.
 */
export interface CodeSet {
  readonly name: string;
  /** Moves e, in place, to the nearest point of the set of that size. */
  project(e: Float64Array, radius: number): void;
  /** max over e' in the set of g . (e - e'): with g the gradient at e, an upper bound on f(e) - f*. */
  gap(g: Float64Array, e: Float64Array, radius: number): number;
}

/**
 * Codes of H numbers for rows of V bits; weights are V x H, or V x (H + 1) with the bias unit's in the last
 * column.
 */
export interface CodeShape {
  readonly V: number;
  readonly H: number;
  readonly bias: boolean;
}

export interface EncodingWords {
  /** What a code is made of, in the singular. */
  readonly one: string;
  /** What comes after "codes of H numbers". */
  readonly which: string;
  /** What one number of a code must be. */
  readonly entry: string;
  /** Completes "codes ..." for a set of that size. */
  about(radius: number): string;
  /**
   * What to call the gap: bits are proven over the box, whose codes cost far less, which says nothing against
   * the bits.
   */
  readonly gap: 'certified gap' | 'not ruled out';
  /** For a list of all encodings. */
  readonly help: string;
}

export type Refusals = Readonly<Partial<Record<string, string>>>;

export type EncodingName = 'box' | 'real' | 'bits' | 'nonnegative' | 'simplex' | 'ball';
